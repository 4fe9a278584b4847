"""A race of pairs: those still open duel in turn, round after round, until no question about them is left.

The frame of Copeland SAVAGE, PBR and RankEl. A pair is closed when it needs no more duels for its own sake,
most often because its sign is known; it also leaves when both of its arms are settled.

In round n every open pair has its n-th duel, and its estimate has the radius sqrt(L / (2 n)) with
L = a + b ln n. That excludes one half exactly when the lead, wins minus losses, is above sqrt(2 n L): one
barrier judges all duels of a round. A pair that has left keeps the interval it left with.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.parts.racing.commitment import (
    Commitment,
    committed_arm,
    committed_arm_plays_on,
    no_commitment,
)
from rankduel.base.compiling import kernel

N_OPEN, PLACE, ROUND = range(3)  # entries of Race.now
BARRIER, CONSTANT, SLOPE = range(3)  # entries of Race.bound
WINS, LOSSES = range(2)  # columns of a table of known signs


class Race(NamedTuple):
    pairs: np.ndarray  # (pairs, 2) int64: the open ones, in lexicographic order; the first of them count
    closed: np.ndarray  # (arms, arms) bool: does this pair need no more duels?
    settled: np.ndarray  # (arms,) bool: does this arm need no more duels?
    bound: np.ndarray  # (3,) float64: a larger lead decides in this round; a and b of L = a + b ln n
    now: np.ndarray  # (3,) int64: open pairs; place of the next one; number of the round, from 1
    commitment: Commitment


def new_race(n_arms: int, constant: float, slope: float, ordered: bool = False) -> Race:
    """All pairs are open; if `ordered`, (i, j) and (j, i) are two."""
    apart = ~np.eye(n_arms, dtype=np.bool_)
    pairs = np.ascontiguousarray(np.argwhere(apart if ordered else np.triu(apart)))
    return Race(
        pairs=pairs,
        closed=np.zeros((n_arms, n_arms), np.bool_),
        settled=np.zeros(n_arms, np.bool_),
        bound=np.array([math.sqrt(2.0 * constant), constant, slope]),
        now=np.array([len(pairs), 0, 1]),
        commitment=no_commitment(n_arms),
    )


@kernel
def next_pair(race, rng):
    """The pair to duel now; when all is known, the arm committed to, twice."""
    if race.now[N_OPEN] == 0:
        arm = committed_arm(race.commitment, rng)
        return arm, arm
    place = race.now[PLACE]
    return race.pairs[place, 0], race.pairs[place, 1]


@kernel
def note_duel(race, wins, known, first, second, first_won):
    """Count the duel of the next pair, and its sign if it has become known; returns whether it has."""
    winner, loser = (first, second) if first_won else (second, first)
    wins[winner, loser] += 1
    race.now[PLACE] += 1
    if wins[winner, loser] - wins[loser, winner] <= race.bound[BARRIER]:
        return False
    race.closed[first, second] = True
    known[winner, WINS] += 1
    known[loser, LOSSES] += 1
    return True


@kernel
def drop_pairs(race):
    """Take out the pairs that are closed or between settled arms; the next pair remains the next."""
    pairs, settled, now = race.pairs, race.settled, race.now
    n_kept = n_before = 0
    for place in range(now[N_OPEN]):
        one, other = pairs[place, 0], pairs[place, 1]
        if not (race.closed[one, other] or (settled[one] and settled[other])):
            pairs[n_kept, 0], pairs[n_kept, 1] = one, other
            n_kept += 1
            n_before += place < now[PLACE]
    now[N_OPEN], now[PLACE] = n_kept, n_before


@kernel
def is_round_over(race):
    return race.now[PLACE] >= race.now[N_OPEN]


@kernel
def begin_round(race):
    bound, now = race.bound, race.now
    now[PLACE] = 0
    now[ROUND] += 1
    log_term = bound[CONSTANT] + bound[SLOPE] * math.log(now[ROUND])
    bound[BARRIER] = math.sqrt(2.0 * now[ROUND] * log_term)


@kernel
def end_round(race, n_max):
    """Pairs leave, all of them after more than `n_max` rounds, and the next round begins."""
    drop_pairs(race)
    if race.now[ROUND] > n_max:
        race.now[N_OPEN] = 0
    begin_round(race)


@kernel
def is_over(race):
    return race.now[N_OPEN] == 0


# What policies that are a race have in common: a state with a `race`.


@kernel
def select(state, params, rng):
    return next_pair(state.race, rng)


@kernel
def idle(state, params, limit, selves, rng):
    """After the race, the arm committed to plays itself `limit` times."""
    race = state.race
    return committed_arm_plays_on(race.commitment, limit, selves, rng) if is_over(race) else 0


@kernel
def finished(state):
    return is_over(state.race)
