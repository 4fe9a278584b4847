"""Thompson sampling over many arms: draw only which of K independent Beta posteriors has the largest sample.

Levels 1 = x_0 > x_1 > ... > x_m = 0 divide the unit interval into cells. The probability that all samples are
below a level is a product, so one random number determines the cell of the largest sample, and the first arm
with a sample in that cell. Mostly no other arm has a sample there: then that arm is the result, and no Beta
variable is drawn. Otherwise samples from the cell are compared. The distribution is exact for any levels;
they determine only the cost.

A success or a failure changes the probability to be below a level by the edge of
bandits/parts/thompson/beta_tails.py divided by a count, and the edge by a factor, so no special function is
evaluated until the levels move. They move when cells with several arms have cost about as much as moving
does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.bandits.parts.thompson.beta_tails import draw_between, log_edge, probability_below
from rankduel.base.compiling import kernel

COLUMNS = 8  # levels, with 1 and 0 at the two ends
LAST = COLUMNS - 2  # the last column that is not an end
BLOCK = 16  # arms whose probabilities are multiplied in advance
# Probabilities that all samples are below each of the best levels.
_BEST_PROBABILITIES = np.array([1.0, 0.7, 0.44, 0.22, 0.08, 0.015, 0.0001, 0.0])
_HEIGHT_RANGE = 3.25  # difference of `_height` between the last and the first of these that are no ends
_LEAST_SPREAD = 1e-9  # least distance of the highest from the lowest level between the ends
_LEAST_DISTANCE = 1e-14  # least distance of these levels from 0 and 1
_ALLOWED_ARMS = 0.5  # mean number of arms after the first in a cell, per draw, with the best levels
_EXCESS_PER_ARM = 20.0  # number of arms in excess, per arm, that costs as much as moving the levels
_EDGE_UNIT = 2.0**-512
_LOG_EDGE_UNIT = math.log(_EDGE_UNIT)
_UNDERFLOW = 1e-200  # a product below this may have underflowed, and is computed again


class Posteriors(NamedTuple):
    """One or more samplers; in sampler s, arm k has the posterior Beta(*counts[s, k])."""

    counts: np.ndarray  # (samplers, arms, 2) float64, at least 1
    level: np.ndarray  # (samplers, COLUMNS) float64, descending from 1 to 0
    below: np.ndarray  # (samplers, arms up to whole blocks, COLUMNS) float64: P(sample is below the level)
    edge: np.ndarray  # (the same) float64: see bandits/parts/thompson/beta_tails.py; 0 at both ends
    edge_units: np.ndarray  # (the same) int64: factors 2^-512 left out of `edge`, which would underflow
    block_below: np.ndarray  # (samplers, blocks, COLUMNS) float64: products of `below`
    all_below: np.ndarray  # (samplers, COLUMNS) float64: products of `block_below`
    excess: np.ndarray  # (samplers,) float64: number of arms in excess since the levels moved


class PosteriorsRoom(NamedTuple):
    below_before: np.ndarray  # (COLUMNS,) float64: `below` of one arm before an outcome
    old_level: np.ndarray  # (COLUMNS,) float64
    old_height: np.ndarray  # (COLUMNS,) float64


def flat_posteriors(n_samplers: int, n_arms: int) -> Posteriors:
    """Return samplers in which every arm has the posterior Beta(1, 1)."""
    n_blocks = -(-n_arms // BLOCK)
    level = np.tile(_BEST_PROBABILITIES ** (1.0 / n_arms), (n_samplers, 1))
    below = np.ones((n_samplers, n_blocks * BLOCK, COLUMNS))
    edge = np.zeros_like(below)
    below[:, :n_arms], edge[:, :n_arms] = level[:, None], (level * (1.0 - level))[:, None]
    block_below = below.reshape(n_samplers, n_blocks, BLOCK, COLUMNS).prod(axis=2)
    return Posteriors(
        counts=np.ones((n_samplers, n_arms, 2)),
        level=level,
        below=below,
        edge=edge,
        edge_units=np.zeros(below.shape, np.int64),
        block_below=block_below,
        all_below=block_below.prod(axis=1),
        excess=np.zeros(n_samplers),
    )


def posteriors_room() -> PosteriorsRoom:
    """Return the workspace, whose size does not depend on the number of samplers and arms."""
    return PosteriorsRoom(np.zeros(COLUMNS), np.zeros(COLUMNS), np.zeros(COLUMNS))


@kernel
def record_outcome(posteriors, room, sampler, arm, successes, failures):
    """Add `successes` and `failures` to the counts of an arm; values of 0 and 1 take the least time."""
    level, counts = posteriors.level[sampler], posteriors.counts[sampler, arm]
    below, before = posteriors.below[sampler, arm], room.below_before
    edge, edge_units = posteriors.edge[sampler, arm], posteriors.edge_units[sampler, arm]
    a, b = counts[0], counts[1]
    counts[0], counts[1] = a + successes, b + failures
    for column in range(1, COLUMNS - 1):
        before[column] = below[column]
    if (successes == 0.0 or successes == 1.0) and (failures == 0.0 or failures == 1.0):
        if successes > 0.0:
            _count_one(level, below, edge, edge_units, a, a + b, -1.0)
        if failures > 0.0:
            _count_one(level, below, edge, edge_units, b, a + successes + b, 1.0)
    else:
        _compute_below(level, below, edge, edge_units, counts[0], counts[1])
    block_below, all_below = posteriors.block_below[sampler], posteriors.all_below[sampler]
    for column in range(1, COLUMNS - 1):
        if below[column] != before[column]:
            _update_products(posteriors.below[sampler], block_below, all_below, arm, column, before[column])


@kernel
def draw_best(posteriors, room, sampler, rng):
    """Return the arm with the largest of one sample from every posterior of a sampler."""
    excess = posteriors.excess
    if excess[sampler] > _EXCESS_PER_ARM * posteriors.counts.shape[1]:
        _move_levels(posteriors, room, sampler)
    below, block_below = posteriors.below[sampler], posteriors.block_below[sampler]
    all_below = posteriors.all_below[sampler]
    best, cell = -1, 0
    while best < 0:  # runs once, except for rounding
        # The largest sample M has P(M < x) = all_below(x), so M is in cell c if all_below[c] < U <=
        # all_below[c - 1], with U uniform in (0, 1]. Given the cell, U / all_below[c - 1] is uniform above
        # all_below[c] / all_below[c - 1]. The same number therefore also determines the first arm with a
        # sample in the cell.
        number = 1.0 - rng.random()
        cell = 1
        while all_below[cell] >= number:
            cell += 1
        best = _next_in_cell(below, block_below, cell, 0, number / all_below[cell - 1])
    # Given the cell and its first arm, the arms after it are independent, and a fresh number decides. The
    # arms before it have no sample in the cell, and every sample in the cell is larger than those outside.
    other = _next_in_cell(below, block_below, cell, best + 1, 1.0 - rng.random())
    if other >= 0:
        level, counts = posteriors.level[sampler], posteriors.counts[sampler]
        best, n_others = _best_in_cell(level, counts, below, block_below, cell, best, other, rng)
        excess[sampler] += n_others
    excess[sampler] = max(excess[sampler] - _ALLOWED_ARMS, 0.0)
    return best


@kernel
def best_mean(counts):
    """Return the arm with the largest posterior mean by the counts of one sampler; the first if tied."""
    best, largest = 0, -1.0
    for arm in range(len(counts)):
        mean = counts[arm, 0] / (counts[arm, 0] + counts[arm, 1])
        if mean > largest:
            best, largest = arm, mean
    return best


@kernel
def _next_in_cell(below, block_below, cell, start, number):
    """Return the first arm from `start` on with a sample in the cell, given that all are below its top.

    The probability that no arm up to some arm has one is a quotient of products: the result is the arm at
    which it falls below `number`, and -1 if it never does.
    """
    # Given that all samples are below the top of the cell, arm k has none in it with probability below[k,
    # cell] / below[k, cell - 1]. The result is the first arm at which the product of these falls below
    # `number`; comparing low with high = number * (product of the denominators) saves the divisions.
    low, high = 1.0, number
    arm = start
    while arm < len(below):
        if arm % BLOCK == 0:
            block = arm // BLOCK
            # The product only falls: if it is not below `number` at the end of a block, it is not within the
            # block.
            if low * block_below[block, cell] >= high * block_below[block, cell - 1]:
                low *= block_below[block, cell]
                high *= block_below[block, cell - 1]
                arm += BLOCK
                continue
        low *= below[arm, cell]
        high *= below[arm, cell - 1]
        if low < high:
            return arm
        arm += 1
    return -1


@kernel
def _best_in_cell(level, counts, below, block_below, cell, first, second, rng):
    """Return the arm with the largest sample, and how many arms after `first` have one in the cell.

    `first` and `second` are the first two arms with a sample in the cell; further ones are drawn.
    """
    low, high = level[cell], level[cell - 1]
    best, largest, arm, following, n_drawn = first, -1.0, first, second, 0
    while arm >= 0:
        sample = draw_between(counts[arm, 0], counts[arm, 1], low, high, rng)
        if sample > largest:
            best, largest = arm, sample
        if n_drawn > 0:
            following = _next_in_cell(below, block_below, cell, arm + 1, 1.0 - rng.random())
        arm = following
        n_drawn += 1
    return best, n_drawn - 1


@kernel
def _count_one(level, below, edge, edge_units, count, total, direction):
    """Update one arm's probabilities for one more outcome of a kind that had `count` of `total`.

    Successes (`direction` -1) make the probabilities to be below smaller, failures (1) larger.
    """
    # With x the level and edge(a, b) = x^a (1 - x)^b / B(a, b), for the Beta distribution function I:
    #     I_x(a + 1, b) = I_x(a, b) - edge(a, b) / a,    edge(a + 1, b) = edge(a, b) * x (a + b) / a,
    #     I_x(a, b + 1) = I_x(a, b) + edge(a, b) / b,    edge(a, b + 1) = edge(a, b) * (1 - x) (a + b) / b.
    # An edge whose power of 2^-512 is left out is below 2^-512 and does not change I in double precision.
    move, growth = direction / count, total / count
    for column in range(1, COLUMNS - 1):
        if edge_units[column] == 0:
            below[column] = min(max(below[column] + edge[column] * move, 0.0), 1.0)
        after = edge[column] * growth * (level[column] if direction < 0.0 else 1.0 - level[column])
        if after < _EDGE_UNIT:
            after /= _EDGE_UNIT
            edge_units[column] += 1
        elif after > 1.0 and edge_units[column] > 0:
            after *= _EDGE_UNIT
            edge_units[column] -= 1
        edge[column] = after


@kernel
def _compute_below(level, below, edge, edge_units, a, b):
    """Compute one arm's probabilities from its counts alone."""
    for column in range(1, COLUMNS - 1):
        log = log_edge(a, b, level[column])
        edge_units[column] = int(max(log / _LOG_EDGE_UNIT, 0.0))
        edge[column] = math.exp(log - edge_units[column] * _LOG_EDGE_UNIT)
        edge_at_level = edge[column] if edge_units[column] == 0 else 0.0
        below[column] = probability_below(a, b, level[column], edge_at_level)


@kernel
def _update_products(below, block_below, all_below, arm, column, before):
    """Update the products of a column after the probability of `arm` changed from `before`."""
    if min(before, all_below[column]) > _UNDERFLOW:
        # A product changes by the factor of its only changed member, unless it may have underflowed.
        change = below[arm, column] / before
        block_below[arm // BLOCK, column] *= change
        all_below[column] *= change
    else:
        _multiply(below, block_below, all_below, arm // BLOCK, column)


@kernel
def _multiply(below, block_below, all_below, block, column):
    """Compute the product of a block, and the product of all blocks, from `below`."""
    product = 1.0
    for arm in range(block * BLOCK, (block + 1) * BLOCK):
        product *= below[arm, column]
    block_below[block, column] = product
    product = 1.0
    for other in range(len(block_below)):
        product *= block_below[other, column]
    all_below[column] = product


@kernel
def _move_levels(posteriors, room, sampler):
    """Move the levels so that `all_below` is near _BEST_PROBABILITIES, as far as the old ones show where."""
    level, counts = posteriors.level[sampler], posteriors.counts[sampler]
    below, edge = posteriors.below[sampler], posteriors.edge[sampler]
    edge_units = posteriors.edge_units[sampler]
    block_below, all_below = posteriors.block_below[sampler], posteriors.all_below[sampler]
    _place_levels(level, all_below, room)
    for arm in range(len(counts)):
        _compute_below(level, below[arm], edge[arm], edge_units[arm], counts[arm, 0], counts[arm, 1])
    for block in range(len(block_below)):
        for column in range(1, COLUMNS - 1):
            _multiply(below, block_below, all_below, block, column)
    posteriors.excess[sampler] = 0.0


@kernel
def _place_levels(level, all_below, room):
    """Place the levels by interpolation, or spread them if all are above or below most samples."""
    spread = max(level[1] - level[LAST], _LEAST_SPREAD)
    if all_below[LAST] > 0.5:
        _space_evenly(level, level[LAST], max(level[LAST] - 2.0 * spread, 0.25 * level[LAST]))
    elif all_below[1] < 0.01:
        _space_evenly(level, min(level[1] + 2.0 * spread, 0.75 + 0.25 * level[1]), level[1])
    else:
        _interpolate_levels(level, all_below, spread, room)


@kernel
def _interpolate_levels(level, all_below, spread, room):
    """Place the levels where the interpolated height is that of _BEST_PROBABILITIES.

    The height falls about linearly with the level, as for the maximum of many independent variables.
    """
    # For the maximum of n independent samples with tails like exp(-x / s), P(max < x) = exp(-n exp(-x / s)),
    # so that ln(-ln P) = ln n - x / s, a straight line in the level. Beyond the outer levels it is continued
    # by `spread`, which the level moves for _HEIGHT_RANGE.
    old, height = room.old_level, room.old_height
    for column in range(1, COLUMNS - 1):
        old[column], height[column] = level[column], _height(all_below[column])
    old[0], height[0] = min(old[1] + spread, 0.5 * (old[1] + 1.0)), height[1] - _HEIGHT_RANGE
    old[LAST + 1], height[LAST + 1] = max(old[LAST] - spread, 0.5 * old[LAST]), height[LAST] + _HEIGHT_RANGE
    left = 0
    for column in range(1, COLUMNS - 1):
        wanted = _height(_BEST_PROBABILITIES[column])
        while height[left + 1] < wanted:
            left += 1
        part = (wanted - height[left]) / (height[left + 1] - height[left])
        level[column] = _inside(old[left] + part * (old[left + 1] - old[left]))


@kernel
def _space_evenly(level, highest, lowest):
    for column in range(1, COLUMNS - 1):
        level[column] = _inside(highest + (lowest - highest) * (column - 1) / (LAST - 1))


@kernel
def _inside(level):
    """Return `level`, limited to at least _LEAST_DISTANCE from 0 and 1."""
    return min(max(level, _LEAST_DISTANCE), 1.0 - _LEAST_DISTANCE)


@kernel
def _height(probability):
    """Return ln(-ln(probability)), with the probability limited away from 0 and 1."""
    return math.log(-math.log(min(max(probability, 1e-12), 1.0 - 1e-12)))
