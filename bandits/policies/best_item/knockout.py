"""Knockout: a tournament whose matches get longer from round to round.

Falahatgar, Orlitsky, Pichapati and Suresh, "Maximum Selection and Ranking under Noisy Comparisons", ICML
2017, Algorithms 1 and 2.

The field is paired at random, and winners go on; with an odd number one of them has no match. In round i a
match is right within epsilon_i, a falling geometric series, so that the loss over all rounds stays below
epsilon. A drawn match goes to its second arm, which is a fair coin: who comes second is random.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.matches.match import (
    BETTER,
    SETTINGS,
    UNDECIDED,
    Match,
    compare_k,
    is_over,
    no_match,
    outcome,
    pair,
)
from bandits.parts.picks import shuffle
from bandits.parts.survivors import last_one_plays_on
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

N_LEFT, PLACE, N_WINNERS, ROUND = range(4)  # entries of State.now


class State(NamedTuple):
    arms: np.ndarray  # (arms,) int64: the winners of this round, and from PLACE to N_LEFT who is yet to play
    won: np.ndarray  # (arms,) int64: duels won in this round
    match: Match
    now: np.ndarray  # (4,) int64: arms that entered the round; place of the match; winners; round, from 1


class Params(NamedTuple):
    epsilon: float = 0.05
    delta: float = 0.1
    gamma: float = 1.0


def init(n_arms, params, rng):
    return State(np.arange(n_arms), np.zeros(n_arms, np.int64), no_match(), np.array([n_arms, 0, 0, 1]))


@kernel
def select(state, params, rng):
    arms, now = state.arms, state.now
    if finished(state):
        return arms[0], arms[0]
    if is_over(state.match):
        if now[PLACE] == 0:
            shuffle(arms, now[N_LEFT], rng)
            for arm in range(len(state.won)):
                state.won[arm] = 0
        shrink = 2.0 ** (now[ROUND] / 3.0)
        epsilon = (2.0 ** (1.0 / 3.0) - 1.0) * params.epsilon / (params.gamma * params.gamma * shrink)
        first, second = arms[now[PLACE]], arms[now[PLACE] + 1]
        compare_k(state.match, first, second, epsilon, params.delta / 2.0 ** now[ROUND])
    return pair(state.match)


@kernel
def update(state, first, second, first_won):
    if finished(state):
        return
    state.won[first if first_won else second] += 1
    verdict = outcome(state.match, first_won)
    if verdict == UNDECIDED:
        return
    _advance(state.arms, state.now, first if verdict == BETTER else second)
    state.now[PLACE] += 2
    if state.now[N_LEFT] - state.now[PLACE] <= 1:
        _end_round(state.arms, state.now)


@kernel
def idle(state, params, limit, selves, rng):
    return last_one_plays_on(state.arms, state.now[N_LEFT], limit, selves)


@kernel
def recommend(state):
    """The arm still in with the most wins in this round."""
    best = state.arms[state.now[PLACE]]
    for place in range(state.now[N_LEFT]):
        if _is_in(state.now, place) and state.won[state.arms[place]] > state.won[best]:
            best = state.arms[place]
    return best


@kernel
def answers(state, chosen):
    most = state.won[recommend(state)]
    for place in range(state.now[N_LEFT]):
        if _is_in(state.now, place) and state.won[state.arms[place]] == most:
            chosen[state.arms[place]] = True


@kernel
def survivors(state):
    return state.now[N_WINNERS] + state.now[N_LEFT] - state.now[PLACE]


@kernel
def finished(state):
    return state.now[N_LEFT] == 1


@kernel
def _is_in(now, place):
    """Is the arm at this place a winner, or yet to play?"""
    return place < now[N_WINNERS] or place >= now[PLACE]


@kernel
def _advance(arms, now, winner):
    """Winners gather at the front, where the arms had their match already."""
    arms[now[N_WINNERS]] = winner
    now[N_WINNERS] += 1


@kernel
def _end_round(arms, now):
    if now[PLACE] < now[N_LEFT]:
        _advance(arms, now, arms[now[PLACE]])
    now[N_LEFT], now[PLACE], now[N_WINNERS] = now[N_WINNERS], 0, 0
    now[ROUND] += 1


POLICY = Policy(
    "knockout",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    idle,
    answers,
    finished,
    about="A tournament whose matches get longer from round to round.",
    source="Falahatgar, Orlitsky, Pichapati, Suresh 2017 (ICML), Algorithms 1 and 2",
    assumes="strong stochastic transitivity (relaxed by gamma) and a stochastic triangle inequality",
    settings={
        **SETTINGS,
        "gamma": Setting("how relaxed the transitivity is; 1: strong", at_least=1),
    },
    variants={"published": {}},
)
