"""Soft-Seq-Elim: compare an anchor with the other arms in passes; arms neither better nor worse remain.

Falahatgar, Jain, Orlitsky, Pichapati and Ravindrakumar, "The Limits of Maxing, Ranking, and Preference
Learning", ICML 2018, Algorithms 1 and 8. Assumes moderate stochastic transitivity.

A pass ends when an arm beats the anchor. That arm becomes the anchor, the old anchor and all arms that were
worse than it are removed, and the next pass begins. A pass without a new anchor is the last.

    Algorithm 1, with r random, epsilon_l = 0 and epsilon_u = epsilon   here
    r, and Q = S \\ {r}                                                  init (Passes)
    COMPARE(c, r, epsilon_l, epsilon_u, 2 delta / |S|^2), Algorithm 8   select (compare_3, error_per_match)
    1: remove c; 2: c remains; 3: r = c, and the next pass              update (apply_verdict)
    the anchor did not change in a pass: return r                       finished, recommend

The passes are in bandits/parts/matches/passes, which Opt-Max shares. Given the same random numbers, the pairs
equal those of the literal twin, tests/naive/policies/soft_seq_eliminate.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import Delta
from rankduel.bandits.parts.matches.match import (
    UNDECIDED,
    Epsilon,
    arms_of,
    compare_3,
    is_decided,
    no_match,
    record_duel,
)
from rankduel.bandits.parts.matches.passes import (
    Passes,
    apply_verdict,
    challenger_of,
    error_per_match,
    is_pass_complete,
    n_candidates,
    new_passes,
)
from rankduel.bandits.parts.survivors import skip_all
from rankduel.base.compiling import kernel


class Params(NamedTuple):
    epsilon: Epsilon = 0.05
    delta: Delta = 0.1


class State(NamedTuple):
    passes: Passes
    match: np.recarray  # (1,), fields of Match


def init(n_arms, params, rng):
    return State(passes=new_passes(rng.permutation(n_arms)), match=no_match())


@kernel
def select(state, params, rng):
    anchor = recommend(state, params)
    if finished(state, params):
        return anchor, anchor
    if is_decided(state.match):
        delta = error_per_match(params.delta, len(state.passes.queue) + 1)
        compare_3(state.match, challenger_of(state.passes), anchor, 0.0, params.epsilon, delta)
    return arms_of(state.match)


@kernel
def update(state, params, first, second, first_won):
    if finished(state, params):
        return
    verdict = record_duel(state.match, first_won)
    if verdict != UNDECIDED:
        apply_verdict(state.passes, verdict)


@kernel
def idle(state, params, limit, self_duels, rng):
    return skip_all(recommend(state, params), limit, self_duels) if finished(state, params) else 0


@kernel
def recommend(state, params):
    return state.passes.now[0].anchor


@kernel
def survivors(state, params):
    return 1 if finished(state, params) else n_candidates(state.passes)


@kernel
def finished(state, params):
    return is_pass_complete(state.passes)


POLICY = policy_of(
    __name__,
    source="Falahatgar, Jain, Orlitsky, Pichapati, Ravindrakumar 2018 (ICML), Algorithms 1 and 8",
    assumes="moderate stochastic transitivity",
    variants={"published": {}},
)
