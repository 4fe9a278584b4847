"""Knockout: hold a knockout tournament whose matches become more exact from round to round.

Falahatgar, Orlitsky, Pichapati and Suresh, "Maximum Selection and Ranking under Noisy Comparisons", ICML
2017, Algorithms 1 and 2. Assumes strong stochastic transitivity, relaxed by gamma, and a stochastic triangle
inequality.

The arms of a round are paired at random, and the winners enter the next round; with an odd number of arms one
of them enters it without a match. In round i a match is right within epsilon_i, a falling geometric series,
so that the loss over all rounds remains below epsilon. A drawn match goes to its second arm, which is a
random choice, since the order of the two arms is random.

    the paper                                               here
    S, and i = 1                                            init
    pair the arms of S at random                            _begin_round
    epsilon_i = (2^(1/3) - 1) epsilon / (gamma^2 2^(i/3))   _begin_match
    delta_i = delta / 2^i                                   _begin_match
    COMPARE(a, b, epsilon_i, delta_i), Algorithm 1          compare_k, record_duel (parts/matches/match)
    winners, and the arm without a match, form S; i + 1     _advance, _end_round
    |S| = 1                                                 finished

Given the same random numbers, the pairs equal those of the literal twin, tests/naive/policies/knockout.py.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import Delta
from rankduel.bandits.parts.matches.match import (
    BETTER,
    UNDECIDED,
    Epsilon,
    arms_of,
    compare_k,
    is_decided,
    no_match,
    record_duel,
)
from rankduel.bandits.parts.picks import shuffle
from rankduel.bandits.parts.survivors import skip_if_one_left
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting


class Params(NamedTuple):
    epsilon: Epsilon = 0.05
    delta: Delta = 0.1
    gamma: Annotated[
        float, Setting("relaxation of the strong stochastic transitivity; 1: none", at_least=1, at_most=1e6)
    ] = 1.0


class Now(NamedTuple):
    round_number: int = 1  # i
    n_entered: int = 0  # arms that entered the round, |S|
    n_winners: int = 0  # arms that enter the next round so far
    place: int = 0  # place in `arms` of the first arm of the match


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    arms: np.ndarray  # (arms,) int64: the winners of the round; from `place` to `n_entered` arms to come
    n_won: np.ndarray  # (arms,) int64: duels won in the round
    match: np.recarray  # (1,), fields of Match


def init(n_arms, params, rng):
    return State(
        now=record(Now(n_entered=n_arms)),
        arms=np.arange(n_arms),
        n_won=np.zeros(n_arms, np.int64),
        match=no_match(),
    )


@kernel
def select(state, params, rng):
    if finished(state, params):
        return state.arms[0], state.arms[0]
    if is_decided(state.match):
        if state.now[0].place == 0:
            _begin_round(state, rng)
        _begin_match(state, params)
    return arms_of(state.match)


@kernel
def update(state, params, first, second, first_won):
    if finished(state, params):
        return
    state.n_won[first if first_won else second] += 1
    verdict = record_duel(state.match, first_won)
    if verdict == UNDECIDED:
        return
    now = state.now[0]
    _advance(state, first if verdict == BETTER else second)
    now.place += 2
    if now.n_entered - now.place <= 1:
        _end_round(state)


@kernel
def idle(state, params, limit, self_duels, rng):
    return skip_if_one_left(state.arms, state.now[0].n_entered, limit, self_duels)


@kernel
def recommend(state, params):
    """Return the arm with most wins in this round, of those not eliminated."""
    best = state.arms[state.now[0].place]
    for place in range(state.now[0].n_entered):
        if _not_eliminated(state, place) and state.n_won[state.arms[place]] > state.n_won[best]:
            best = state.arms[place]
    return best


@kernel
def answers(state, params, chosen):
    most = state.n_won[recommend(state, params)]
    for place in range(state.now[0].n_entered):
        if _not_eliminated(state, place) and state.n_won[state.arms[place]] == most:
            chosen[state.arms[place]] = True


@kernel
def survivors(state, params):
    now = state.now[0]
    return now.n_winners + now.n_entered - now.place


@kernel
def finished(state, params):
    return state.now[0].n_entered == 1


@kernel
def _begin_round(state, rng):
    shuffle(state.arms, state.now[0].n_entered, rng)
    for arm in range(len(state.n_won)):
        state.n_won[arm] = 0


@kernel
def _begin_match(state, params):
    """Begin COMPARE of the next two arms with epsilon_i and delta_i."""
    arms, place, i = state.arms, state.now[0].place, state.now[0].round_number
    shrink = 2.0 ** (i / 3.0)
    epsilon = (2.0 ** (1.0 / 3.0) - 1.0) * params.epsilon / (params.gamma * params.gamma * shrink)
    compare_k(state.match, arms[place], arms[place + 1], epsilon, params.delta / 2.0**i)


@kernel
def _not_eliminated(state, place):
    """Return whether the arm at this place is a winner of the round, or yet to play."""
    return place < state.now[0].n_winners or place >= state.now[0].place


@kernel
def _advance(state, winner):
    """Move the winner to the front of `arms`, where all matches of the round are decided."""
    now = state.now[0]
    state.arms[now.n_winners] = winner
    now.n_winners += 1


@kernel
def _end_round(state):
    now = state.now[0]
    if now.place < now.n_entered:
        _advance(state, state.arms[now.place])
    now.n_entered, now.place, now.n_winners = now.n_winners, 0, 0
    now.round_number += 1


POLICY = policy_of(
    __name__,
    source="Falahatgar, Orlitsky, Pichapati, Suresh 2017 (ICML), Algorithms 1 and 2",
    assumes="strong stochastic transitivity (relaxed by gamma) and a stochastic triangle inequality",
    variants={"published": {}},
)
