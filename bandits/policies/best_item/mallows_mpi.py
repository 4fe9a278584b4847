"""MallowsMPI: compare an anchor with the other arms one by one, each until it is certain which is better.

Busa-Fekete, Huellermeier and Szorenyi, "Preference-Based Rank Elicitation using Statistical Models: The Case
of Mallows", ICML 2014, Algorithm 1 (most preferred item). Assumes Mallows rankings, or weak stochastic
transitivity, and that no arm ties with the best.

The first anchor is random, and so is the order of its challengers. Each pair duels until the confidence
interval of its preference excludes 1/2, and the worse arm is eliminated. Two arms that are exactly even are
compared forever, so a budget is needed where that may happen.

    Algorithm 1                                          here
    random anchor i, challengers j in random order       init
    duels of i and j, mean and radius c                  record_duel (bandits/parts/matches/match)
    while 1/2 is in [mean - c, mean + c],
        c = sqrt(ln(4 K n^2 / delta) / (2 n))            select (compare_exactly)
    keep the better of i and j                           update (bandits/parts/matches/anchor)
    return i                                             recommend

Given the same random numbers, the pairs equal those of the literal twin, tests/naive/policies/mallows_mpi.py.
"""

from __future__ import annotations

from typing import NamedTuple

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import Delta
from rankduel.bandits.parts.matches.anchor import (
    all_challenged,
    challenger_of,
    n_not_eliminated,
    new_elimination,
    record_challenge,
    skip_if_all_challenged,
)
from rankduel.bandits.parts.matches.match import arms_of, compare_exactly, is_decided
from rankduel.base.compiling import kernel


class Params(NamedTuple):
    delta: Delta = 0.05


def init(n_arms, params, rng):
    return new_elimination(n_arms, rng)


@kernel
def select(state, params, rng):
    anchor = state.now[0].anchor
    if finished(state, params):
        return anchor, anchor
    if is_decided(state.match):
        compare_exactly(state.match, challenger_of(state), anchor, len(state.order), params.delta)
    return arms_of(state.match)


@kernel
def update(state, params, first, second, first_won):
    record_challenge(state, first_won)


@kernel
def idle(state, params, limit, self_duels, rng):
    return skip_if_all_challenged(state, limit, self_duels)


@kernel
def recommend(state, params):
    return state.now[0].anchor


@kernel
def survivors(state, params):
    return n_not_eliminated(state)


@kernel
def finished(state, params):
    return all_challenged(state)


POLICY = policy_of(
    __name__,
    source="Busa-Fekete, Huellermeier, Szorenyi 2014 (ICML), Algorithm 1",
    assumes="Mallows rankings, or weak stochastic transitivity; no arm ties with the best",
    variants={"published": {}},
)
