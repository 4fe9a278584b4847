"""RankEl: duel all open pairs once per round until known signs order the arms; a reconstruction.

After Busa-Fekete, Szorenyi and Hullermeier, "PAC Rank Elicitation through Adaptive Sampling of Stochastic
Pairwise Preferences", AAAI 2014, with the ranking by Copeland scores. Reconstructed from descriptions by
others, not from the paper itself. Assumes that no pair has p_ij = 1/2.

Pairs with a known sign bound the Copeland score of each arm, the number of other arms that it beats. Two arms
are comparable if these intervals are disjoint. Rounds end when no arm is incomparable with more than `rho`
others; to find a winner, only arms whose interval reaches the largest lower bound are relevant.

    step of a round                                          here
    every open pair duels once                               select
    signs and intervals of the Copeland scores               record_duel (race.py), KnownSigns
    relevant arms                                            _is_relevant
    arms incomparable with an arm                            _are_incomparable, _count_incomparable
    stop if at most rho; settled arms                        _settle
    remove pairs with a known sign or settled arms           remove_pairs (race.py)
    answer                                                   answers

race.py is in bandits/parts/racing. `idle` skips the self-duels after the end. The pairs equal those of the
literal twin, tests/naive/policies/rankel.py.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.answers import copeland_leader, mark_copeland_leaders
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
from rankduel.bandits.parts.racing.radius import LogTerm, error_probability
from rankduel.base.compiling import kernel
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Setting


class Target(IntEnum):
    """Arms to order: those that can be winners, or all arms."""

    WINNER = 0
    RANKING = 1


class Params(NamedTuple):
    rho: Annotated[
        int, Setting("maximum number of other arms with which an arm may be incomparable", at_least=0)
    ] = 0
    target: Annotated[Target, Setting("order only the arms that can be winners, or all arms")] = Target.WINNER
    delta: DeltaOrHorizon = 0.0
    horizon: ErrorHorizon = 0


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    known: KnownSigns
    race: Race  # settled: arms that are comparable with every relevant arm, or not relevant


def init(n_arms, params, rng):
    if params.rho >= n_arms - 1:
        raise PolicyError(
            f"rho is {params.rho}; expected less than {n_arms - 1}, the number of other arms of an arm"
        )
    constant = math.log(5.0 * n_arms**2 / (4.0 * error_probability(params)))
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        known=no_known_signs(n_arms),
        race=new_race(n_arms, LogTerm(constant, slope=4.0)),
    )


def needs_horizon(params: Params) -> bool:
    return params.delta == 0.0


@kernel
def select(state, params, rng):
    return next_pair(state.race, rng)


@kernel
def update(state, params, first, second, first_won):
    if first == second:
        return
    race = state.race
    if record_duel(state, first, second, first_won):
        _settle(state, params)
    if is_round_over(race):
        remove_pairs(race)
        begin_round(race)
        if is_race_over(race):
            answers(state, params, race.commitment.answer)


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip all steps once no pair is left."""
    return skip_after_race(state.race, limit, self_duels, rng)


@kernel
def recommend(state, params):
    return copeland_leader(state.wins)


@kernel
def answers(state, params, chosen):
    mark_copeland_leaders(state.wins, chosen)


@kernel
def finished(state, params):
    return is_race_over(state.race)


@kernel
def _settle(state, params):
    """Settle the arms that are incomparable with no arm; all arms, if none has more than `rho` such arms."""
    known, settled = state.known, state.race.settled
    relevant_score = best_lower_score(known) if params.target == Target.WINNER else 0
    most = 0
    for arm in range(len(settled)):
        n_incomparable = _count_incomparable(known, arm, relevant_score)
        settled[arm] = n_incomparable == 0
        most = max(most, n_incomparable)
    if most <= params.rho:
        settled[:] = True


@kernel
def _count_incomparable(known, arm, relevant_score):
    """Return how many relevant arms are incomparable with a relevant arm; 0 for other arms."""
    n = 0
    if _is_relevant(known, arm, relevant_score):
        for other in range(len(known.wins)):
            if other != arm and _is_relevant(known, other, relevant_score):
                n += _are_incomparable(known, arm, other)
    return n


@kernel
def _is_relevant(known, arm, score):
    """Return whether the arm can have this Copeland score."""
    return upper_score(known, arm) >= score


@kernel
def _are_incomparable(known, one, other):
    """Return whether the intervals of the two Copeland scores overlap."""
    return upper_score(known, one) >= known.wins[other] and upper_score(known, other) >= known.wins[one]


POLICY = policy_of(
    __name__,
    source="after Busa-Fekete, Szorenyi, Hullermeier 2014 (AAAI), Copeland's ranking; a reconstruction",
    assumes="Copeland winners, and no two arms exactly alike",
)
