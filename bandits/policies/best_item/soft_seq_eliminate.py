"""Soft-Seq-Elim: an anchor meets the others in passes, and who was neither better nor worse stays in.

Falahatgar, Jain, Orlitsky, Pichapati and Ravindrakumar, "The Limits of Maxing, Ranking, and Preference
Learning", ICML 2018, Algorithms 1 and 8.

A pass ends when an arm beats the anchor: it becomes the anchor, whoever was worse than the old one leaves
together with the old one, and the next pass begins. A pass without a new anchor is the last. Who stays in a
pass moves to the front of the queue at once, so that nothing has to be marked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.matches.match import (
    SETTINGS,
    UNDECIDED,
    Match,
    compare_3,
    is_over,
    no_match,
    outcome,
    pair,
)
from bandits.parts.matches.passes import ANCHOR, PLACE, Passes, is_last_pass_over, judge, n_in, share_of_error
from bandits.parts.survivors import plays_on
from rankduel.base.compiling import kernel


class State(NamedTuple):
    passes: Passes
    match: Match


class Params(NamedTuple):
    epsilon: float = 0.05
    delta: float = 0.1


def init(n_arms, params, rng):
    order = rng.permutation(n_arms)
    return State(Passes(order[1:].copy(), np.array([order[0], 0, 0, n_arms - 1])), no_match())


@kernel
def select(state, params, rng):
    anchor, queue, now = state.passes.now[ANCHOR], state.passes.queue, state.passes.now
    if finished(state):
        return anchor, anchor
    if is_over(state.match):
        delta = share_of_error(params.delta, len(queue) + 1)
        compare_3(state.match, queue[now[PLACE]], anchor, 0.0, params.epsilon, delta)
    return pair(state.match)


@kernel
def update(state, first, second, first_won):
    if finished(state):
        return
    verdict = outcome(state.match, first_won)
    if verdict != UNDECIDED:
        judge(state.passes, verdict)


@kernel
def idle(state, params, limit, selves, rng):
    return plays_on(state.passes.now[ANCHOR], limit, selves) if finished(state) else 0


@kernel
def recommend(state):
    return state.passes.now[ANCHOR]


@kernel
def survivors(state):
    return 1 if finished(state) else n_in(state.passes)


@kernel
def finished(state):
    return is_last_pass_over(state.passes)


POLICY = Policy(
    "soft_seq_eliminate",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    idle,
    finished=finished,
    about="An anchor meets the others in passes; who was neither better nor worse stays in.",
    source="Falahatgar, Jain, Orlitsky, Pichapati, Ravindrakumar 2018 (ICML), Algorithms 1 and 8",
    assumes="moderate stochastic transitivity",
    settings=SETTINGS,
    variants={"published": {}},
)
