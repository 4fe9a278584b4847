"""A race of pairs: in every round each open pair duels once, until no pair is open.

The rounds of Copeland SAVAGE, PBR and RankEl. A pair is removed if it is closed, in most policies because its
sign is known, or if both of its arms are settled. In round n every open pair has its n-th duel, so all duels
of a round are judged by the same decisive lead (bandits/parts/racing/radius.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.parts.racing.commitment import (
    Commitment,
    committed_arm,
    no_commitment,
    skip_committed,
)
from rankduel.bandits.parts.racing.known_signs import record_sign
from rankduel.bandits.parts.racing.radius import LogTerm, decisive_lead, first_decisive_lead
from rankduel.base.compiling import kernel, record


class RaceNow(NamedTuple):
    n_open: int = 0  # number of open pairs
    place: int = 0  # place of the next pair
    round_number: int = 1  # number of the round
    decisive_lead: float = 0.0  # a larger lead decides a pair in this round
    log_constant: float = 0.0  # a of L = a + b ln n, computed once
    log_slope: float = 0.0  # b of L


class Race(NamedTuple):
    now: np.recarray  # (1,), fields of RaceNow
    pairs: np.ndarray  # (pairs, 2) int64: the open pairs in lexicographic order, in the first rows
    closed: np.ndarray  # (arms, arms) bool: pairs that need no more duels
    settled: np.ndarray  # (arms,) bool: arms that need no more duels against each other
    commitment: Commitment


def new_race(n_arms: int, log_term: LogTerm, ordered: bool = False) -> Race:
    """Return a race in which all pairs are open; if `ordered`, (i, j) and (j, i) are two pairs."""
    distinct = ~np.eye(n_arms, dtype=np.bool_)
    pairs = np.ascontiguousarray(np.argwhere(distinct if ordered else np.triu(distinct)))
    now = RaceNow(
        n_open=len(pairs),
        decisive_lead=first_decisive_lead(log_term),
        log_constant=log_term.constant,
        log_slope=log_term.slope,
    )
    return Race(
        now=record(now),
        pairs=pairs,
        closed=np.zeros((n_arms, n_arms), np.bool_),
        settled=np.zeros(n_arms, np.bool_),
        commitment=no_commitment(n_arms),
    )


@kernel
def next_pair(race, rng):
    """Return the next open pair; after the race, the committed arm twice."""
    if is_race_over(race):
        arm = committed_arm(race.commitment, rng)
        return arm, arm
    place = race.now[0].place
    return race.pairs[place, 0], race.pairs[place, 1]


@kernel
def record_duel(state, first, second, first_won):
    """Count the duel of the next pair; if its sign has become known, close the pair and return True."""
    race, wins = state.race, state.wins
    winner, loser = (first, second) if first_won else (second, first)
    wins[winner, loser] += 1
    race.now[0].place += 1
    if wins[winner, loser] - wins[loser, winner] <= race.now[0].decisive_lead:
        return False
    race.closed[first, second] = True
    record_sign(state.known, winner, loser)
    return True


@kernel
def remove_pairs(race):
    """Remove closed pairs and pairs of two settled arms; `place` remains that of the same pair."""
    pairs, settled, now = race.pairs, race.settled, race.now[0]
    n_open = n_before = 0
    for place in range(now.n_open):
        one, other = pairs[place, 0], pairs[place, 1]
        if not (race.closed[one, other] or (settled[one] and settled[other])):
            pairs[n_open, 0], pairs[n_open, 1] = one, other
            n_open += 1
            n_before += place < now.place
    now.n_open, now.place = n_open, n_before


@kernel
def is_round_over(race):
    return race.now[0].place >= race.now[0].n_open


@kernel
def begin_round(race):
    """Begin the next round at the first open pair, with the decisive lead of that round."""
    now = race.now[0]
    now.place = 0
    now.round_number += 1
    now.decisive_lead = decisive_lead(now.round_number, now.log_constant, now.log_slope)


@kernel
def is_race_over(race):
    return race.now[0].n_open == 0


@kernel
def skip_after_race(race, limit, self_duels, rng):
    """Skip `limit` self-duels of the committed arm if the race is over, else none; return their number."""
    return skip_committed(race.commitment, limit, self_duels, rng) if is_race_over(race) else 0
