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
    BETTER,
    EVEN,
    SETTINGS,
    UNDECIDED,
    Match,
    compare_3,
    is_over,
    no_match,
    outcome,
    pair,
)
from rankduel.base.compiling import kernel

ANCHOR, N_STAYED, PLACE, END = range(4)  # entries of Passes.now


class Passes(NamedTuple):
    queue: np.ndarray  # (arms,) int64: who met the anchor and stays; from PLACE to END who is yet to meet it
    now: np.ndarray  # (4,) int64: the anchor; how many stayed in this pass; see above


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
    if not finished(state):
        return 0
    selves[state.passes.now[ANCHOR]] += limit
    return limit


@kernel
def recommend(state):
    return state.passes.now[ANCHOR]


@kernel
def survivors(state):
    return 1 if finished(state) else n_in(state.passes)


@kernel
def finished(state):
    return is_last_pass_over(state.passes)


@kernel
def share_of_error(delta, n_arms):
    """Of each match, of which there are at most half the square of n_arms."""
    return 2.0 * delta / (n_arms * n_arms)


@kernel
def judge(passes, verdict):
    """What becomes of the arm that has just met the anchor."""
    queue, now = passes.queue, passes.now
    challenger = queue[now[PLACE]]
    now[PLACE] += 1
    if verdict == EVEN:
        stay(passes, challenger)
    elif verdict == BETTER:
        now[ANCHOR] = challenger
        start_over(passes)


@kernel
def stay(passes, arm):
    passes.queue[passes.now[N_STAYED]] = arm
    passes.now[N_STAYED] += 1


@kernel
def start_over(passes):
    """The next pass: who stayed in this one, and who has not met the anchor."""
    now = passes.now
    for place in range(now[PLACE], now[END]):
        stay(passes, passes.queue[place])
    now[END], now[PLACE], now[N_STAYED] = now[N_STAYED], 0, 0


@kernel
def is_last_pass_over(passes):
    return passes.now[PLACE] == passes.now[END]


@kernel
def n_in(passes):
    """The anchor, and who may still replace it."""
    return 1 + passes.now[N_STAYED] + passes.now[END] - passes.now[PLACE]


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
