"""Seq-Eliminate: compare an anchor with the other arms one by one; only a clearly better arm replaces it.

Falahatgar, Hao, Orlitsky, Pichapati and Ravindrakumar, "Maxing and Ranking with Few Assumptions", NeurIPS
2017; its comparisons as in Falahatgar, Jain, Orlitsky, Pichapati and Ravindrakumar, "The Limits of Maxing,
Ranking, and Preference Learning", ICML 2018, Algorithm 9. Assumes strong stochastic transitivity.

The first anchor is random, and so is the order of its challengers. A challenger that is better than the
anchor, by a test between 0 and epsilon, becomes the anchor. The other arm of each match is eliminated.

    the papers                                   here
    random anchor r, S in random order           init
    COMPARE-2(c, r, 0, epsilon, delta / |S|)     select (compare_2)
    2 (good): r = c; 1 (bad): c is eliminated    update (bandits/parts/matches/anchor)
    return r                                     recommend

Given the same random numbers, the pairs equal those of the literal twin,
tests/naive/policies/seq_eliminate.py.
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
from rankduel.bandits.parts.matches.match import Epsilon, arms_of, compare_2, is_decided
from rankduel.base.compiling import kernel


class Params(NamedTuple):
    epsilon: Epsilon = 0.05
    delta: Delta = 0.1


def init(n_arms, params, rng):
    return new_elimination(n_arms, rng)


@kernel
def select(state, params, rng):
    anchor = state.now[0].anchor
    if finished(state, params):
        return anchor, anchor
    if is_decided(state.match):
        delta = params.delta / len(state.order)
        compare_2(state.match, challenger_of(state), anchor, 0.0, params.epsilon, delta)
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
    source="Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar 2017 (NeurIPS)",
    assumes="strong stochastic transitivity",
    variants={"published": {}},
)
