"""Round-efficient dueling: all arms meet in random pairs, round after round; those far behind drop out.

Lin and Lu, "Efficient Mechanisms for Peer Grading and Dueling Bandits", ACML 2018.

A win counts so much that its mean, over random opponents, does not depend on how many arms are left. A round
is one agenda; with an odd number of arms one of them has no opponent in it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.agenda import Agenda, add, clear, empty_agenda, is_over, rest, stepwise
from bandits.contract import Policy
from bandits.parts.matches.standings import add_wins, first_with_most, mark_all_with_most
from bandits.parts.picks import shuffle
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

N_LEFT, N_ROUNDS = range(2)  # entries of State.now


class State(NamedTuple):
    agenda: Agenda
    left: np.ndarray  # (arms,) int64: arms still in, ascending; the first of them count
    shuffled: np.ndarray  # (arms,) int64: room, the same in random order
    total: np.ndarray  # (arms,) float64: what their wins have counted, in rounds that are over
    score: np.ndarray  # (arms,) float64: room, the same with the current round
    won: np.ndarray  # (arms,) int64: room
    odds: np.ndarray  # (1,) float64: 2 K / delta
    now: np.ndarray  # (2,) int64: arms still in; rounds that are over


class Params(NamedTuple):
    delta: float = 0.2


def init(n_arms, params, rng):
    return State(
        agenda=empty_agenda(max(n_arms // 2, 1)),
        left=np.arange(n_arms),
        shuffled=np.arange(n_arms),
        total=np.zeros(n_arms),
        score=np.zeros(n_arms),
        won=np.zeros(n_arms, np.int64),
        odds=np.array([2.0 * n_arms / params.delta]),
        now=np.array([n_arms, 0]),
    )


@kernel
def plan(state, params, rng):
    left = state.left[: state.now[N_LEFT]]
    if len(left) == 1:
        rest(state.agenda, left[0])
        return
    order = state.shuffled[: len(left)]
    for place in range(len(left)):
        order[place] = left[place]
    shuffle(order, len(order), rng)
    clear(state.agenda, 1)
    for pair in range(len(order) // 2):
        add(state.agenda, order[2 * pair], order[2 * pair + 1])


@kernel
def learn(state):
    """Arms fall out whose total is below the largest by more than N_ROUNDS times the confidence radius."""
    now, left = state.now, state.left[: state.now[N_LEFT]]
    _count_round(state, state.total)
    now[N_ROUNDS] += 1
    rounds = now[N_ROUNDS]
    margin = math.sqrt(18.0 * rounds * math.log(state.odds[0] * rounds * rounds))
    least, n_kept = state.total[first_with_most(state.total, left)] - margin, 0
    for arm in left:
        if state.total[arm] >= least:
            left[n_kept] = arm
            n_kept += 1
    now[N_LEFT] = n_kept


@kernel
def recommend(state):
    _rate(state)
    return first_with_most(state.score, state.left[: state.now[N_LEFT]])


@kernel
def answers(state, chosen):
    _rate(state)
    mark_all_with_most(state.score, state.left[: state.now[N_LEFT]], chosen)


@kernel
def survivors(state):
    return state.now[N_LEFT]


@kernel
def finished(state):
    return state.now[N_LEFT] == 1


@kernel
def _rate(state):
    for arm in range(len(state.total)):
        state.score[arm] = state.total[arm]
    if not is_over(state.agenda):
        _count_round(state, state.score)


@kernel
def _count_round(state, score):
    """Add what wins of the current round count."""
    n = state.now[N_LEFT]
    weight = 2.0 if n % 2 == 1 else 2.0 * (n - 1) / n
    for arm in range(len(score)):
        state.won[arm] = 0
    add_wins(state.agenda, state.won)
    for arm in range(len(score)):
        score[arm] += weight * state.won[arm]


SELECT, UPDATE = stepwise(plan, learn)
POLICY = Policy(
    "round_efficient",
    Params,
    init,
    SELECT,
    UPDATE,
    recommend,
    survivors,
    answers=answers,
    finished=finished,
    plan=plan,
    learn=learn,
    about="All arms meet in random pairs, round after round; those far behind drop out.",
    source="Lin, Lu 2018 (ACML)",
    assumes="a latent strength decides the chance to beat a random opponent",
    settings={"delta": Setting("chance of an error", above=0, at_most=1)},
    variants={"yan": {}},
)
