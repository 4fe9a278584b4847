"""Arms in small batches that are visited in turn: what mergeRUCB and MergeDTS share.

In every step one batch is visited, round robin. First it is purged: an arm that some mate beats confidently
(bandits/parts/bounds.py, with the clock ahead by C) is given up for good. When half of the arms of a stage
are gone, small batches are joined to large ones. Batches are never split.

After a purge no pair of the batch is beaten, time alone lets no pair become so, and arms that join from other
batches were never met. At the next visit it is thus enough to test the pair compared since. Only after a
regroup, which may set the clock back, all pairs are tested once.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from bandits.parts.bounds import beaten
from bandits.parts.picks import pick
from rankduel.base.compiling import kernel
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Setting

PARTITIONS = ("floor", "ceil")  # kernels see the number, and so does `init`
CLOCK, N_BATCHES, N_ALIVE, STAGE, VISITED = range(5)  # entries of Batches.now
EVERY_PAIR, NO_PAIR = -1, -2  # instead of an arm in Batches.compared

SETTINGS = {
    "alpha": Setting("width of the confidence bounds; theory wants it above 1/2", above=0),
    "batch": Setting("arms in a batch; theory wants at least 4", at_least=2),
    "c": Setting("head start of the clock in the bounds; 0: the theory's C(epsilon)", at_least=0),
    "epsilon": Setting(
        "accepted chance of losing the winner, for C(epsilon); 0: 1 / horizon", at_least=0, at_most=1
    ),
    "w0": Setting("wins and losses each pair starts with, in the bounds only", at_least=0),
    "partition": Setting(
        "round the number of batches so that one may be larger, or one smaller", choices=PARTITIONS
    ),
    "reset_t": Setting("start the clock of the bounds afresh whenever batches are regrouped"),
    "stage_plus_one": Setting("end stages one arm sooner, and regroup again if a batch has batch / 2 arms"),
    "one_at_a_time": Setting("of the beaten pairs pick one, remove its loser, and look again"),
    "horizon": Setting("steps of the run, for epsilon = 0; 0: as played", at_least=0),
}


class Batches(NamedTuple):
    arms: np.ndarray  # (rows, arms) int64: a batch is the first size[row] entries of its row
    size: np.ndarray  # (rows,) int64
    compared: np.ndarray  # (rows, 2) int64: the pair compared since the last purge, EVERY_PAIR or NO_PAIR
    turn: np.ndarray  # (rows,) int64: the rows in use, in the order in which they are visited
    alive: np.ndarray  # (arms,) bool, by arm
    now: np.ndarray  # (5,) int64: steps played, batches, survivors, stage (from 1), row visited last
    head_start: np.ndarray  # (1,) float64, C


def new_batches(n_arms: int, size: int, partition: int, head_start: float) -> Batches:
    """Consecutive arms. What is left over joins the last batch (floor) or is one of its own (ceil)."""
    n_batches = max(1, n_arms // size) if PARTITIONS[partition] == "floor" else math.ceil(n_arms / size)
    start = np.append(np.arange(n_batches) * size, n_arms)
    return Batches(
        arms=np.minimum(start[:-1, None] + np.arange(n_arms), n_arms - 1),
        size=np.diff(start),
        compared=np.full((n_batches, 2), EVERY_PAIR),
        turn=np.arange(n_batches),
        alive=np.ones(n_arms, np.bool_),
        now=np.array([0, n_batches, n_arms, 1, 0]),
        head_start=np.array([float(head_start)]),
    )


def theory_c(name: str, n_arms: int, params: Any) -> float:
    """C(epsilon) = ((4 alpha - 1) K^2 / ((2 alpha - 1) epsilon)) ^ (1 / (2 alpha - 1))."""
    alpha, epsilon = params.alpha, params.epsilon or 1.0 / params.horizon
    if alpha <= 0.5:
        raise PolicyError(
            f"{name}: c is 0, which asks for the theory's C(epsilon); that needs alpha above 1/2, and alpha "
            f"is {alpha:g}. Give c, or a larger alpha"
        )
    try:
        return ((4 * alpha - 1) * n_arms**2 / ((2 * alpha - 1) * epsilon)) ** (1 / (2 * alpha - 1))
    except OverflowError:
        raise PolicyError(
            f"{name}: alpha = {alpha:g} is so close to 1/2 that the theory's C(epsilon) is beyond all "
            "numbers. Give c, or a larger alpha"
        ) from None


@kernel
def log_time(batches):
    """ln(t + C) in the coming step."""
    return math.log(batches.now[CLOCK] + 1 + batches.head_start[0])


@kernel
def next_row(turn, now):
    """The batch whose turn it is, by its row."""
    now[VISITED] = turn[(now[CLOCK] + 1) % now[N_BATCHES]]
    return now[VISITED]


@kernel
def note_step(compared, now, first, second):
    """A step was played, in the batch visited last."""
    now[CLOCK] += 1
    if first != second:
        pair = compared[now[VISITED]]
        pair[0] = first if pair[0] == NO_PAIR else EVERY_PAIR
        pair[1] = second


@kernel
def purge(batches, wins, row, params, rng):
    """Give up the arms of a batch that a mate beats confidently; returns how many they are."""
    log_t, pair = log_time(batches), batches.compared[row]
    one, other = pair[0], pair[1]
    pair[0] = NO_PAIR
    if one == NO_PAIR:
        return 0
    if one != EVERY_PAIR:
        if not (_beats(wins, one, other, params, log_t) or _beats(wins, other, one, params, log_t)):
            return 0
    n_dropped, n_pairs = 0, 1
    while n_pairs > 0:
        batch = batches.arms[row, : batches.size[row]]
        n_pairs = _mark_beaten(batch, batches.alive, wins, params, log_t, rng)
        n_dropped += _drop_dead(batch, batches.size, row, batches.alive)
    batches.now[N_ALIVE] -= n_dropped
    return n_dropped


@kernel
def join_to_next(batches, row):
    """Append a purged batch to the one after it; returns the row of both, which counts as visited."""
    now, turn, place = batches.now, batches.turn, 0
    while turn[place] != row:
        place += 1
    heir = turn[(place + 1) % now[N_BATCHES]]
    _append(batches.arms, batches.size, row, heir)
    now[N_BATCHES] -= 1
    for later in range(place, now[N_BATCHES]):
        turn[later] = turn[later + 1]
    now[VISITED] = heir
    return heir


@kernel
def stage_is_over(now, n_arms, plus_one):
    """Are at most K / 2^stage arms left, in more than one batch?"""
    if plus_one:
        over = now[N_ALIVE] <= (n_arms >> now[STAGE]) + 1
    else:
        over = now[N_ALIVE] << now[STAGE] <= n_arms
    return over and now[N_BATCHES] > 1


@kernel
def regroup_after_stage(batches, params, rng):
    """If the stage is over, join small batches to large ones: sizes from batch / 2 to 3 batch / 2."""
    now = batches.now
    if not stage_is_over(now, len(batches.alive), params.stage_plus_one):
        return
    now[STAGE] += 1
    if params.reset_t:
        now[CLOCK] = 0
    smallest, n_rounds = 0, 0
    while n_rounds < 2 and now[N_BATCHES] > 1 and 2 * smallest < params.batch + params.stage_plus_one:
        _sort_randomly(batches.turn, batches.size, now[N_BATCHES], rng)
        smallest = _pair_up(batches, params.batch)
        n_rounds += 1


@kernel
def _beats(wins, winner, loser, params, log_t):
    return beaten(wins[loser, winner] + params.w0, wins[winner, loser] + params.w0, params.alpha, log_t)


@kernel
def _mark_beaten(batch, alive, wins, params, log_t, rng):
    """The arms that a mate beats, or just one of them, are not alive; returns the number of such pairs."""
    n_pairs, chosen = 0, -1
    for loser in batch:
        for winner in batch:
            if _beats(wins, winner, loser, params, log_t):
                n_pairs += 1
                if not params.one_at_a_time:
                    alive[loser] = False
                elif pick(n_pairs, rng) == 0:  # each of n pairs ends up chosen with chance 1 / n
                    chosen = loser
    if chosen >= 0:
        alive[chosen] = False
    return n_pairs


@kernel
def _drop_dead(batch, size, row, alive):
    """Take the arms that are no longer alive out of their batch; returns how many they are."""
    size[row] = 0
    for arm in batch:
        if alive[arm]:
            batch[size[row]] = arm
            size[row] += 1
    return len(batch) - size[row]


@kernel
def _sort_randomly(turn, size, n, rng):
    """Batches in ascending size, those of one size in random order."""
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
def _pair_up(batches, batch):
    """Join smallest and largest, and so on inwards, where that is not too many; returns the least size."""
    turn, size, n, first = batches.turn, batches.size, batches.now[N_BATCHES], 0
    last, smallest = n - 1, batches.now[N_ALIVE]
    while first <= last:
        row = turn[last]
        if first < last and 2 * (size[turn[first]] + size[row]) <= 3 * batch:
            row = turn[first]
            _append(batches.arms, size, turn[last], row)
            first += 1
        batches.compared[row, 0] = EVERY_PAIR
        smallest = min(smallest, size[row])
        turn[last] = row  # the new batches gather at the end, from behind
        last -= 1
    for place in range(n // 2):
        turn[place], turn[n - 1 - place] = turn[n - 1 - place], turn[place]
    batches.now[N_BATCHES] = n - first
    return smallest


@kernel
def _append(arms, size, row, heir):
    """Put the arms of a batch behind those of another."""
    for place in range(size[row]):
        arms[heir, size[heir] + place] = arms[row, place]
    size[heir] += size[row]
