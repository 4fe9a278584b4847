"""Thompson sampling over many arms: which of K independent Beta posteriors has the largest draw?

Drawing all K of them would give the answer; only the answer is drawn. Levels 1 = x_0 > x_1 > ... > x_m = 0
cut the unit interval into cells. The chance that all draws are below a level is a product, so the cell with
the largest draw costs one random number, and the same number says which is the first arm with a draw in that
cell. If no other arm has one there, and mostly none has, that arm is the answer and no Beta is ever drawn.
Otherwise draws inside the cell decide. The law is exact wherever the levels lie; they only settle the cost.

One more success or failure changes the chance to be below a level by the edge of
bandits/parts/thompson/beta_tails.py divided by a count, and the edge by a factor: no special function is
evaluated until the levels move. They move when cells shared by several arms have cost about as much as moving
does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.parts.thompson.beta_tails import chance_below, draw_between, log_edge
from rankduel.base.compiling import kernel

COLUMNS = 8  # levels, with 1 and 0 at the two ends
LAST = COLUMNS - 2  # the last column that is not an end
BLOCK = 16  # arms whose chances are multiplied beforehand
# The chance that all draws are below a level, where the levels are best.
_SHARES = np.array([1.0, 0.7, 0.44, 0.22, 0.08, 0.015, 0.0001, 0.0])
_USUAL = 3.25  # ln(-ln share) at the last of these less that at the first
_NARROWEST, _OUTERMOST = 1e-9, 1e-14  # levels spread at least so far, and keep so far from 0 and 1
_ALLOWED = 0.5  # arms beyond the first that a draw may meet without anything being wrong
_PATIENCE = 20.0  # arms met beyond those allowed, for each arm there is, that cost as much as moving levels
_FAINT = 2.0**-512
_LOG_FAINT = math.log(_FAINT)
_FIRST = np.int64(0)  # typed: a literal 0 is a type of its own, for which Numba would compile again
_LOST = 1e-200  # a product below this may have underflowed, and is multiplied afresh


class Posteriors(NamedTuple):
    """One or more samplers; in sampler s, arm k has the posterior Beta(*counts[s, k])."""

    counts: np.ndarray  # (samplers, arms, 2) float64, at least 1
    level: np.ndarray  # (samplers, COLUMNS) float64, falling from 1 to 0
    below: np.ndarray  # (samplers, arms up to whole blocks, COLUMNS) float64: chance that a draw is below
    edge: np.ndarray  # (the same) float64: see bandits/parts/thompson/beta_tails.py; 0 at both ends
    faint: np.ndarray  # (the same) int64: factors 2^-512 still to be put to `edge`, which would underflow
    block_below: np.ndarray  # (samplers, blocks, COLUMNS) float64: products of `below`
    all_below: np.ndarray  # (samplers, COLUMNS) float64: product of them all
    burden: np.ndarray  # (samplers,) float64: arms met beyond those allowed, since the levels moved
    room: np.ndarray  # (2, COLUMNS) float64, for notes within a call


def flat_posteriors(n_samplers: int, n_arms: int) -> Posteriors:
    """Nothing known: Beta(1, 1) everywhere."""
    n_blocks = -(-n_arms // BLOCK)
    level = np.tile(_SHARES ** (1.0 / n_arms), (n_samplers, 1))
    below = np.ones((n_samplers, n_blocks * BLOCK, COLUMNS))
    edge = np.zeros_like(below)
    below[:, :n_arms], edge[:, :n_arms] = level[:, None], (level * (1.0 - level))[:, None]
    block_below = below.reshape(n_samplers, n_blocks, BLOCK, COLUMNS).prod(axis=2)
    return Posteriors(
        counts=np.ones((n_samplers, n_arms, 2)),
        level=level,
        below=below,
        edge=edge,
        faint=np.zeros(below.shape, np.int64),
        block_below=block_below,
        all_below=block_below.prod(axis=1),
        burden=np.zeros(n_samplers),
        room=np.empty((2, COLUMNS)),
    )


@kernel
def learn(posteriors, sampler, arm, successes, failures):
    """Add to the counts of an arm; steps of 1 are cheapest."""
    level, counts = posteriors.level[sampler], posteriors.counts[sampler, arm]
    row, before = posteriors.below[sampler, arm], posteriors.room[0]
    edge, faint = posteriors.edge[sampler, arm], posteriors.faint[sampler, arm]
    a, b = counts[0], counts[1]
    counts[0], counts[1] = a + successes, b + failures
    for column in range(1, COLUMNS - 1):
        before[column] = row[column]
    if (successes == 0.0 or successes == 1.0) and (failures == 0.0 or failures == 1.0):
        if successes > 0.0:
            _count(level, row, edge, faint, a, a + b, -1.0)
        if failures > 0.0:
            _count(level, row, edge, faint, b, a + successes + b, 1.0)
    else:
        _find_chances(level, row, edge, faint, counts[0], counts[1])
    block_below, all_below = posteriors.block_below[sampler], posteriors.all_below[sampler]
    for column in range(1, COLUMNS - 1):
        if row[column] != before[column]:
            _follow(posteriors.below[sampler], block_below, all_below, arm, column, before[column])


@kernel
def draw_best(posteriors, sampler, rng):
    """The arm with the largest of one draw from every posterior of a sampler."""
    burden = posteriors.burden
    if burden[sampler] > _PATIENCE * posteriors.counts.shape[1]:
        _move_levels(posteriors, sampler)
    below, block_below = posteriors.below[sampler], posteriors.block_below[sampler]
    all_below = posteriors.all_below[sampler]
    best, cell = -1, 0
    while best < 0:  # once, but for rounding
        number = 1.0 - rng.random()
        cell = 1
        while all_below[cell] >= number:
            cell += 1
        best = _next_in_cell(below, block_below, cell, _FIRST, number / all_below[cell - 1])
    other = _next_in_cell(below, block_below, cell, best + 1, 1.0 - rng.random())
    if other >= 0:
        level, counts = posteriors.level[sampler], posteriors.counts[sampler]
        best, n_met = _best_in_cell(level, counts, below, block_below, cell, best, other, rng)
        burden[sampler] += n_met
    burden[sampler] = max(burden[sampler] - _ALLOWED, 0.0)
    return best


@kernel
def best_mean(counts):
    """The arm with the largest posterior mean, by one sampler's counts; the first of several."""
    best, largest = 0, -1.0
    for arm in range(len(counts)):
        mean = counts[arm, 0] / (counts[arm, 0] + counts[arm, 1])
        if mean > largest:
            best, largest = arm, mean
    return best


@kernel
def _next_in_cell(below, block_below, cell, start, number):
    """The first arm from `start` on with a draw in the cell, given that all are below its upper level.

    No arm up to some arm has one with a chance that is a quotient of products: the answer is where it falls
    below `number`. -1 if it never does.
    """
    low, high = 1.0, number
    arm = start
    while arm < len(below):
        if arm % BLOCK == 0:
            block = arm // BLOCK
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
def _best_in_cell(level, counts, below, block_below, cell, best, arm, rng):
    """(arm with the largest draw, of n + 1): `best`, `arm` and later ones have a draw in the cell; and n."""
    low, high = level[cell], level[cell - 1]
    largest, drawn, n_drawn = -1.0, best, 0
    while drawn >= 0:
        draw = draw_between(counts[drawn, 0], counts[drawn, 1], low, high, rng)
        if draw > largest:
            best, largest = drawn, draw
        if n_drawn > 0:
            arm = _next_in_cell(below, block_below, cell, drawn + 1, 1.0 - rng.random())
        drawn = arm
        n_drawn += 1
    return best, n_drawn - 1


@kernel
def _count(level, below, edge, faint, count, total, direction):
    """One more of a kind of which there were `count` in `total`: move one arm's chances to be below.

    Successes (`direction` -1) make them smaller, failures (1) larger.
    """
    move, growth = direction / count, total / count
    for column in range(1, COLUMNS - 1):
        if faint[column] == 0:
            below[column] = min(max(below[column] + edge[column] * move, 0.0), 1.0)
        after = edge[column] * growth * (level[column] if direction < 0.0 else 1.0 - level[column])
        if after < _FAINT:
            after /= _FAINT
            faint[column] += 1
        elif after > 1.0 and faint[column] > 0:
            after *= _FAINT
            faint[column] -= 1
        edge[column] = after


@kernel
def _find_chances(level, below, edge, faint, a, b):
    """One arm's chances from its counts alone."""
    for column in range(1, COLUMNS - 1):
        log = log_edge(a, b, level[column])
        faint[column] = int(max(log / _LOG_FAINT, 0.0))
        edge[column] = math.exp(log - faint[column] * _LOG_FAINT)
        below[column] = chance_below(a, b, level[column], edge[column] if faint[column] == 0 else 0.0)


@kernel
def _follow(below, block_below, all_below, arm, column, before):
    """Let the products take over a chance that was `before`."""
    if min(before, all_below[column]) > _LOST:
        change = below[arm, column] / before
        block_below[arm // BLOCK, column] *= change
        all_below[column] *= change
    else:
        _multiply(below, block_below, all_below, arm // BLOCK, column)


@kernel
def _multiply(below, block_below, all_below, block, column):
    product = 1.0
    for arm in range(block * BLOCK, (block + 1) * BLOCK):
        product *= below[arm, column]
    block_below[block, column] = product
    product = 1.0
    for other in range(len(block_below)):
        product *= block_below[other, column]
    all_below[column] = product


@kernel
def _move_levels(posteriors, sampler):
    """Bring the chances that all draws are below a level near _SHARES, as far as old levels tell where."""
    level, counts = posteriors.level[sampler], posteriors.counts[sampler]
    below, edge, faint = posteriors.below[sampler], posteriors.edge[sampler], posteriors.faint[sampler]
    block_below, all_below = posteriors.block_below[sampler], posteriors.all_below[sampler]
    _place_levels(level, all_below, posteriors.room)
    for arm in range(len(counts)):
        _find_chances(level, below[arm], edge[arm], faint[arm], counts[arm, 0], counts[arm, 1])
    for block in range(len(block_below)):
        for column in range(1, COLUMNS - 1):
            _multiply(below, block_below, all_below, block, column)
    posteriors.burden[sampler] = 0.0


@kernel
def _place_levels(level, all_below, room):
    """Interpolate: ln(-ln share) falls about linearly with the level, as for any maximum of many.

    Levels that are all too high or too low first spread to where the draws may be.
    """
    spread = max(level[1] - level[LAST], _NARROWEST)
    if all_below[LAST] > 0.5:
        _space_evenly(level, level[LAST], max(level[LAST] - 2.0 * spread, 0.25 * level[LAST]))
        return
    if all_below[1] < 0.01:
        _space_evenly(level, min(level[1] + 2.0 * spread, 0.75 + 0.25 * level[1]), level[1])
        return
    old, height = room[0], room[1]
    for column in range(1, COLUMNS - 1):
        old[column], height[column] = level[column], _height(all_below[column])
    old[0], height[0] = min(old[1] + spread, 0.5 * (old[1] + 1.0)), height[1] - _USUAL
    old[LAST + 1], height[LAST + 1] = max(old[LAST] - spread, 0.5 * old[LAST]), height[LAST] + _USUAL
    at = 0
    for column in range(1, COLUMNS - 1):
        wanted = _height(_SHARES[column])
        while height[at + 1] < wanted:
            at += 1
        part = (wanted - height[at]) / (height[at + 1] - height[at])
        level[column] = min(max(old[at] + part * (old[at + 1] - old[at]), _OUTERMOST), 1.0 - _OUTERMOST)


@kernel
def _space_evenly(level, highest, lowest):
    for column in range(1, COLUMNS - 1):
        placed = highest + (lowest - highest) * (column - 1) / (LAST - 1)
        level[column] = min(max(placed, _OUTERMOST), 1.0 - _OUTERMOST)


@kernel
def _height(share):
    return math.log(-math.log(min(max(share, 1e-12), 1.0 - 1e-12)))
