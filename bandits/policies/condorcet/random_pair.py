"""Two random arms in every step: what a policy that learns nothing pays.

Arms are drawn independently, as in Komiyama's dueling bandit library, so an arm may meet itself; with
`distinct` a pair of different arms is drawn. Either way the expected regret of T steps is T times the mean
loss of an arm. Wins are kept for the recommendation only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.answers import leader
from bandits.parts.picks import pick
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64


class Params(NamedTuple):
    distinct: bool = False


def init(n_arms, params, rng):
    return State(np.zeros((n_arms, n_arms), np.int64))


@kernel
def select(state, params, rng):
    n_arms = len(state.wins)
    first = pick(n_arms, rng)
    if not params.distinct:
        return first, pick(n_arms, rng)
    second = pick(n_arms - 1, rng)  # a place among the others
    return first, second + (second >= first)


@kernel
def update(state, first, second, first_won):
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    state.wins[winner, loser] += 1


@kernel
def recommend(state):
    return leader(state.wins)


POLICY = Policy(
    "random_pair",
    Params,
    init,
    select,
    update,
    recommend,
    late=True,
    about="Two arms at random, always: the regret of not learning.",
    source="baseline of Komiyama, Honda, Kashima, Nakagawa 2015 (COLT), experiments",
    assumes="nothing",
    settings={"distinct": Setting("draw two different arms, never an arm against itself")},
    variants={"paper": {}},
)
