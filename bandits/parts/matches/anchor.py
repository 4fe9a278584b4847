"""An anchor meets all other arms in a random order, each in one match; who is better takes its place.

The common course of Seq-Eliminate and MallowsMPI, which differ in how a match is decided. The loser is never
seen again. In a match the challenger is the first arm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.parts.matches.match import BETTER, UNDECIDED, Match, no_match, outcome
from bandits.parts.survivors import plays_on
from rankduel.base.compiling import kernel

ANCHOR, NEXT = range(2)  # entries of State.now


class State(NamedTuple):
    order: np.ndarray  # (arms,) int64: all arms; the first of them is the first anchor
    match: Match
    now: np.ndarray  # (2,) int64: the anchor; place in `order` of its challenger


def init(n_arms, params, rng):
    order = rng.permutation(n_arms)
    return State(order, no_match(), np.array([order[0], 1]))


@kernel
def update(state, first, second, first_won):
    if finished(state):
        return
    verdict = outcome(state.match, first_won)
    if verdict == UNDECIDED:
        return
    if verdict == BETTER:
        state.now[ANCHOR] = first
    state.now[NEXT] += 1


@kernel
def idle(state, params, limit, selves, rng):
    return plays_on(state.now[ANCHOR], limit, selves) if finished(state) else 0


@kernel
def recommend(state):
    return state.now[ANCHOR]


@kernel
def survivors(state):
    return len(state.order) - state.now[NEXT] + 1


@kernel
def finished(state):
    return state.now[NEXT] == len(state.order)
