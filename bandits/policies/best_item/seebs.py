"""SEEBS: the best arm for certain, by tournaments that are more and more exact.

Ren, Liu and Shroff, "The Sample Complexity of Best-k Items Selection from Pairwise Comparisons", ICML 2020,
Sequential-Elimination-Exact-Best-Selection.

In round t a tournament (bandits/policies/best_item/tournament_k.py, k = 1) finds a winner among the arms
left, right within a third of 2^-t. Then the others meet it, and those who are clearly worse leave. It ends
with one arm, so never if two arms are the best: then it needs a budget.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.matches.match import (
    SETTINGS,
    UNDECIDED,
    WORSE,
    Match,
    distribute_item,
    is_over,
    no_match,
    outcome,
    pair,
)
from bandits.parts.picks import NO_ARM
from bandits.parts.survivors import plays_on
from bandits.policies.best_item import tournament_k
from bandits.policies.best_item.tournament_k import begin_tournament
from bandits.policies.best_item.tournament_k import finished as has_winner
from bandits.policies.best_item.tournament_k import recommend as most_wins
from bandits.policies.best_item.tournament_k import select as select_in_tournament
from bandits.policies.best_item.tournament_k import update as update_tournament
from rankduel.base.compiling import kernel

ROUND, N_LEFT, N_STAYED, TURN, WINNER = range(5)  # entries of State.now


class State(NamedTuple):
    tournament: tournament_k.State
    left: np.ndarray  # (arms,) int64: who met the winner and stays; from TURN to N_LEFT who is yet to meet it
    match: Match
    now: np.ndarray  # (5,) int64: round, from 1; see above; the winner of the last tournament, or NO_ARM


class Params(NamedTuple):
    delta: float = 0.1


def init(n_arms, params, rng):
    return State(
        tournament=tournament_k.init(n_arms, tournament_k.Params(), rng),
        left=np.arange(n_arms),
        match=no_match(),
        now=np.array([1, n_arms, 0, 0, NO_ARM]),
    )


@kernel
def select(state, params, rng):
    now, winner = state.now, state.now[WINNER]
    if finished(state):
        return winner, winner
    alpha = 0.5 ** now[ROUND]
    delta = 6.0 * params.delta / (math.pi * math.pi * now[ROUND] * now[ROUND])
    if not has_winner(state.tournament):
        rules = tournament_k.Params(1, alpha / 3.0, 2.0 * delta / 3.0)
        return select_in_tournament(state.tournament, rules, rng)
    if is_over(state.match):
        arm = state.left[now[TURN]]
        distribute_item(state.match, arm, winner, alpha / 3.0, 0.0, alpha / 3.0, delta / 3.0)
    return pair(state.match)


@kernel
def update(state, first, second, first_won):
    now = state.now
    if finished(state):
        return
    if has_winner(state.tournament):
        verdict = outcome(state.match, first_won)
        if verdict == UNDECIDED:
            return
        if verdict != WORSE:
            _stay(state.left, now)
        now[TURN] += 1
    else:
        update_tournament(state.tournament, first, second, first_won)
        if has_winner(state.tournament):
            now[WINNER] = most_wins(state.tournament)
    if has_winner(state.tournament):
        _find_challenger(state)


@kernel
def idle(state, params, limit, selves, rng):
    return plays_on(state.now[WINNER], limit, selves) if finished(state) else 0


@kernel
def recommend(state):
    winner = state.now[WINNER]
    return most_wins(state.tournament) if winner == NO_ARM else winner


@kernel
def survivors(state):
    return state.now[N_STAYED] + state.now[N_LEFT] - state.now[TURN]


@kernel
def finished(state):
    return state.now[N_LEFT] == 1


@kernel
def _stay(left, now):
    """Who stays gathers at the front."""
    left[now[N_STAYED]] = left[now[TURN]]
    now[N_STAYED] += 1


@kernel
def _find_challenger(state):
    """The winner does not meet itself; after everybody else the next round begins."""
    left, now = state.left, state.now
    if now[TURN] < now[N_LEFT] and left[now[TURN]] == now[WINNER]:
        _stay(left, now)
        now[TURN] += 1
    if now[TURN] == now[N_LEFT]:
        now[N_LEFT], now[N_STAYED], now[TURN] = now[N_STAYED], 0, 0
        now[ROUND] += 1
        begin_tournament(state.tournament, left, now[N_LEFT])


POLICY = Policy(
    "seebs",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    idle,
    finished=finished,
    about="The best arm for certain, by tournaments that are more and more exact.",
    source="Ren, Liu, Shroff 2020 (ICML), Sequential-Elimination-Exact-Best-Selection",
    assumes="strong stochastic transitivity and a stochastic triangle inequality; no arm ties with the best",
    settings={"delta": SETTINGS["delta"]},
)
