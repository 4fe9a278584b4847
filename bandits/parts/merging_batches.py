"""Small batches of arms that are visited in turn and merged, for mergeRUCB and MergeDTS.

Every step visits one batch, round robin. Arms that another arm of the batch confidently beats
(bandits/parts/bounds.py, where c is the head start C of the clock) are removed. When half of the arms of a
stage have been removed, small batches are merged with large ones. Batches are never split.

After a removal no arm of the batch is confidently beaten by another. A duel can change this for its own pair
only, and arms merged from another batch have no duels with the arms of this one. So the next visit tests only
the pair that was compared. At the end of a stage the clock may be reset, so all pairs are tested once then.
"""

from __future__ import annotations

import enum
import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from rankduel.bandits.parts.answers import copeland_leader_among
from rankduel.bandits.parts.bounds import beaten
from rankduel.bandits.parts.head_start import log_head_start, log_of_sum
from rankduel.bandits.parts.picks import pick
from rankduel.base.compiling import kernel, record
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Setting

EVERY_PAIR, NO_PAIR = -1, -2  # values of Batches.compared[row, 0] that are not arms


class Partition(enum.IntEnum):
    """Rounding of the number of batches: the last batch is larger than the others, or smaller."""

    FLOOR = 0
    CEIL = 1


BatchSize = Annotated[int, Setting("arms in a batch; theory requires at least 4", at_least=2)]
HeadStart = Annotated[
    float,
    Setting(
        "constant C added to the step in the bounds; 0: C(epsilon) of the theory", at_least=0, at_most=1e300
    ),
]
FailureProbability = Annotated[
    float,
    Setting(
        "probability of removing the Condorcet winner, for C(epsilon); 0: 1 / `horizon`",
        at_least=0,
        at_most=1,
    ),
]
PriorWins = Annotated[
    int, Setting("wins that each side of a pair starts with, in the bounds only", at_least=0)
]
PartitionRule = Annotated[
    Partition, Setting("rounding of the number of batches: the last is larger (floor) or smaller (ceil)")
]
ResetClock = Annotated[bool, Setting("reset the clock of the bounds at the end of every stage")]
StagePlusOne = Annotated[
    bool, Setting("end stages one arm sooner, and merge again if a batch has `batch` / 2 arms")
]
OneAtATime = Annotated[
    bool, Setting("remove beaten arms one at a time in random order, with a new test after each")
]


class BatchesNow(NamedTuple):
    clock: int = 0  # steps played, since the last reset
    n_batches: int = 0
    n_remaining: int = 0  # arms that are not removed
    stage: int = 1
    visited: int = 0  # row of the batch visited last
    head_start: float = 0.0  # C; infinite if it exceeds all numbers
    log_head_start: float = 0.0  # ln C


class Batches(NamedTuple):
    now: np.recarray  # (1,), fields of BatchesNow
    arms: np.ndarray  # (rows, arms) int64: a batch is the first size[row] entries of its row
    size: np.ndarray  # (rows,) int64
    compared: np.ndarray  # (rows, 2) int64: the pair compared since the last removal, EVERY_PAIR or NO_PAIR
    turn: np.ndarray  # (rows,) int64: the rows in use, in the order of the visits
    remaining: np.ndarray  # (arms,) bool: False for removed arms


def new_batches(n_arms: int, params: Any, head_start: float) -> Batches:
    """Return batches of consecutive arms."""
    floor = params.partition == Partition.FLOOR
    n_batches = max(1, n_arms // params.batch) if floor else math.ceil(n_arms / params.batch)
    start = np.append(np.arange(n_batches) * params.batch, n_arms)
    log_c = _log_of_theory(n_arms, params) if math.isinf(head_start) else math.log(head_start)
    now = BatchesNow(
        n_batches=n_batches, n_remaining=n_arms, head_start=float(head_start), log_head_start=log_c
    )
    return Batches(
        now=record(now),
        arms=np.minimum(start[:-1, None] + np.arange(n_arms), n_arms - 1),
        size=np.diff(start),
        compared=np.full((n_batches, 2), EVERY_PAIR),
        turn=np.arange(n_batches),
        remaining=np.ones(n_arms, np.bool_),
    )


def head_start_of_theory(name: str, n_arms: int, params: Any) -> float:
    """Return C(epsilon) of bandits/parts/head_start.py; infinite if it exceeds all numbers."""
    alpha, epsilon = params.alpha, params.epsilon or 1.0 / params.horizon
    if alpha <= 0.5:
        raise PolicyError(
            f"{name}: alpha is {alpha:g}; expected more than 1/2 for C(epsilon) of the theory, which c = 0 "
            "selects. Give c, or a larger alpha"
        )
    try:
        return ((4 * alpha - 1) * n_arms**2 / ((2 * alpha - 1) * epsilon)) ** (1 / (2 * alpha - 1))
    except OverflowError:
        return math.inf


def _log_of_theory(n_arms: int, params: Any) -> float:
    return log_head_start(n_arms, params.alpha, params.epsilon or 1.0 / params.horizon)


def head_start_needs_horizon(params: Any) -> bool:
    """Return whether C is computed for epsilon = 1 / horizon."""
    return params.c == 0 and params.epsilon == 0


@kernel
def log_time(batches):
    """Return ln(t + C) of the coming step."""
    now = batches.now[0]
    return log_of_sum(now.clock + 1, now.head_start, now.log_head_start)


@kernel
def next_batch(batches):
    """Return the row of batch number t mod b, and record that it is visited."""
    now = batches.now[0]
    now.visited = batches.turn[(now.clock + 1) % now.n_batches]
    return now.visited


@kernel
def record_step(batches, first, second):
    """Record a step in the batch visited last."""
    now = batches.now[0]
    now.clock += 1
    if first != second:
        pair = batches.compared[now.visited]
        pair[0] = first if pair[0] == NO_PAIR else EVERY_PAIR
        pair[1] = second


@kernel
def remove_beaten(batches, wins, params, row, rng):
    """Remove the arms that another arm of the batch confidently beats; return their number."""
    log_t, pair = log_time(batches), batches.compared[row]
    one, other = pair[0], pair[1]
    pair[0] = NO_PAIR
    if one == NO_PAIR:
        return 0
    if one != EVERY_PAIR:
        if not (_beats(wins, params, one, other, log_t) or _beats(wins, params, other, one, log_t)):
            return 0
    n_removed, n_pairs = 0, 1
    while n_pairs > 0:
        batch = batches.arms[row, : batches.size[row]]
        n_pairs = _mark_beaten(batches.remaining, wins, params, batch, log_t, rng)
        n_removed += _keep_remaining(batches, row)
    batches.now[0].n_remaining -= n_removed
    return n_removed


@kernel
def merge_with_next(batches, row):
    """Append the batch to the next one; return the row of the merged batch, and record that it is visited."""
    now, turn, place = batches.now[0], batches.turn, 0
    while turn[place] != row:
        place += 1
    merged = turn[(place + 1) % now.n_batches]
    _append(batches, row, merged)
    now.n_batches -= 1
    for later in range(place, now.n_batches):
        turn[later] = turn[later + 1]
    now.visited = merged
    return merged


@kernel
def stage_is_over(batches, params):
    """Return whether at most K / 2^stage arms remain, in more than one batch."""
    now, n_arms = batches.now[0], len(batches.remaining)
    if params.stage_plus_one:
        over = now.n_remaining <= (n_arms >> now.stage) + 1
    else:
        over = now.n_remaining << now.stage <= n_arms
    return over and now.n_batches > 1


@kernel
def merge_after_stage(batches, params, rng):
    """If the stage is over, merge small batches with large ones, to sizes of `batch` / 2 to 3/2 `batch`."""
    if not stage_is_over(batches, params):
        return
    now = batches.now[0]
    now.stage += 1
    if params.reset_t:
        now.clock = 0
    smallest, n_passes = 0, 0
    while n_passes < 2 and now.n_batches > 1 and 2 * smallest < params.batch + params.stage_plus_one:
        _sort_by_size(batches, rng)
        smallest = _merge_small_with_large(batches, params)
        n_passes += 1


@kernel
def best_remaining(batches, wins):
    """Return the remaining arm that leads most arms; the answer of both policies."""
    return copeland_leader_among(wins, batches.remaining)


@kernel
def count_remaining(batches):
    return batches.now[0].n_remaining


@kernel
def _beats(wins, params, winner, loser, log_t):
    return beaten(wins[loser, winner] + params.w0, wins[winner, loser] + params.w0, params.alpha, log_t)


@kernel
def _mark_beaten(remaining, wins, params, batch, log_t, rng):
    """Mark as removed the losers of all beaten pairs, or of one at random; return the number of pairs."""
    n_pairs, chosen = 0, -1
    for loser in batch:
        for winner in batch:
            if _beats(wins, params, winner, loser, log_t):
                n_pairs += 1
                if not params.one_at_a_time:
                    remaining[loser] = False
                elif pick(n_pairs, rng) == 0:  # each of n pairs is the final choice with probability 1 / n
                    chosen = loser
    if chosen >= 0:
        remaining[chosen] = False
    return n_pairs


@kernel
def _keep_remaining(batches, row):
    """Remove from the batch all arms that are not remaining; return their number."""
    size, batch = batches.size, batches.arms[row, : batches.size[row]]
    size[row] = 0
    for arm in batch:
        if batches.remaining[arm]:
            batch[size[row]] = arm
            size[row] += 1
    return len(batch) - size[row]


@kernel
def _sort_by_size(batches, rng):
    """Order the batches by ascending size; those of equal size are in random order."""
    turn, size, n = batches.turn, batches.size, batches.now[0].n_batches
    for place in range(n - 1, 0, -1):
        other = pick(place + 1, rng)
        turn[place], turn[other] = turn[other], turn[place]
    for last in range(1, n):
        row, place = turn[last], last
        while place > 0 and size[turn[place - 1]] > size[row]:
            turn[place] = turn[place - 1]
            place -= 1
        turn[place] = row


@kernel
def _merge_small_with_large(batches, params):
    """Merge the smallest batch with the largest, and so on, up to 3/2 `batch` arms; return the least size."""
    now, turn, size = batches.now[0], batches.turn, batches.size
    first, last, smallest = 0, now.n_batches - 1, now.n_remaining
    while first <= last:
        row = turn[last]
        if first < last and 2 * (size[turn[first]] + size[row]) <= 3 * params.batch:
            row = turn[first]
            _append(batches, turn[last], row)
            first += 1
        batches.compared[row, 0] = EVERY_PAIR
        smallest = min(smallest, size[row])
        turn[last] = row  # from the end of `turn`, whose entries have been read by now
        last -= 1
    _reverse(turn, now.n_batches)
    now.n_batches -= first
    return smallest


@kernel
def _reverse(values, n):
    for place in range(n // 2):
        values[place], values[n - 1 - place] = values[n - 1 - place], values[place]


@kernel
def _append(batches, row, target):
    """Append the arms of a batch to those of the batch in row `target`."""
    arms, size = batches.arms, batches.size
    for place in range(size[row]):
        arms[target, size[target] + place] = arms[row, place]
    size[target] += size[row]
