"""Copeland SAVAGE: duel all pairs in turn, each until its sign is known or cannot affect the winners.

Urvoy, Clerot, Feraud and Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013, Algorithm 1
with the test for Copeland winners. Assumes that no pair has p_ij = 1/2. A Condorcet winner is not required.

Pairs with a known sign bound the Copeland score of each arm, the number of other arms that it beats. A pair
is removed when its sign is known, or when the upper bounds of both arms are below the largest lower bound.
When no pair is left, the arms with the largest upper bound are the Copeland winners, and one of them duels
itself.

    Algorithm 1                                              here
    active pairs W                                           Race.pairs
    least sampled pair of W                                  select
    sample the pair, refine its interval                     record_duel (bandits/parts/racing/race.py)
    bounds on the Copeland scores                            KnownSigns
    arms that cannot be winners                              _settle_losers
    remove the pairs that cannot matter from W               remove_pairs (bandits/parts/racing/race.py)
    answer                                                   answers

In the paper the interval of a pair is the intersection of all its intervals so far. While each of these
contains 1/2, so does the intersection; the first interval that excludes 1/2 therefore decides, and no
intersection is stored. `idle` is not in the paper: it skips the self-duels after the end. The pairs equal
those of the literal twin, tests/naive/policies/copeland_savage.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.answers import copeland_leader, copeland_leader_among, mark_copeland_leaders
from rankduel.bandits.parts.common_settings import DeltaOrHorizon, ErrorHorizon
from rankduel.bandits.parts.racing.known_signs import (
    KnownSigns,
    best_lower_score,
    no_known_signs,
    upper_score,
)
from rankduel.bandits.parts.racing.race import (
    Race,
    begin_round,
    is_race_over,
    is_round_over,
    new_race,
    next_pair,
    record_duel,
    remove_pairs,
    skip_after_race,
)
from rankduel.bandits.parts.racing.savage_radius import (
    Bound,
    BoundSwitch,
    savage_log_term,
    savage_uses_horizon,
)
from rankduel.base.compiling import kernel


class Params(NamedTuple):
    delta: DeltaOrHorizon = 0.0
    bound: BoundSwitch = Bound.FINITE
    horizon: ErrorHorizon = 0


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    known: KnownSigns
    race: Race  # settled: arms that cannot be Copeland winners


def init(n_arms, params, rng):
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        known=no_known_signs(n_arms),
        race=new_race(n_arms, savage_log_term(n_arms, params)),
    )


def needs_horizon(params: Params) -> bool:
    return savage_uses_horizon(params)


@kernel
def select(state, params, rng):
    return next_pair(state.race, rng)


@kernel
def update(state, params, first, second, first_won):
    if first == second:
        return
    race = state.race
    if record_duel(state, first, second, first_won):
        _settle_losers(state)
        remove_pairs(race)
        if is_race_over(race):
            answers(state, params, race.commitment.answer)
    if is_round_over(race):
        begin_round(race)


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip all steps once no pair is left."""
    return skip_after_race(state.race, limit, self_duels, rng)


@kernel
def recommend(state, params):
    if is_race_over(state.race):
        return copeland_leader_among(state.wins, state.race.commitment.answer)
    return copeland_leader(state.wins)


@kernel
def answers(state, params, chosen):
    """Mark the Copeland winners if no pair is left; otherwise, the arms that lead most others."""
    if not is_race_over(state.race):
        mark_copeland_leaders(state.wins, chosen)
        return
    for arm in range(len(chosen)):
        chosen[arm] = not state.race.settled[arm]


@kernel
def finished(state, params):
    return is_race_over(state.race)


@kernel
def survivors(state, params):
    n = 0
    for settled in state.race.settled:
        n += not settled
    return n


@kernel
def _settle_losers(state):
    """Settle the arms whose upper bound is below the largest lower bound."""
    settled, known = state.race.settled, state.known
    largest = best_lower_score(known)
    for arm in range(len(settled)):
        settled[arm] = upper_score(known, arm) < largest


POLICY = policy_of(
    __name__,
    source="Urvoy, Clerot, Feraud, Naamane 2013 (ICML), Algorithm 1, Copeland",
    assumes="Copeland winners, and no two arms exactly alike",
    variants={"paper": {}},
)
