"""Random pair: duel two arms drawn at random in every step, which shows the regret of not learning.

Baseline in the experiments of Komiyama, Honda, Kashima and Nakagawa, "Regret Lower Bound and Optimal
Algorithm in Dueling Bandit Problem", COLT 2015. Assumes nothing.

The arms are drawn independently, as in Komiyama's dueling bandit library, so an arm may duel itself; with
`distinct` a pair of different arms is drawn. Either way the expected regret of T steps is T times the mean
loss of an arm. Wins are counted for the recommendation only.

    step                                              here
    draw both arms                                    select
    count the win                                     update
    arm that beats most others                        recommend

Given the same random numbers, the pairs equal those of the literal twin, tests/naive/policies/random_pair.py.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.answers import copeland_leader
from rankduel.bandits.parts.picks import pick
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting


class Params(NamedTuple):
    distinct: Annotated[bool, Setting("draw two different arms, never an arm against itself")] = False


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64


def init(n_arms, params, rng):
    return State(np.zeros((n_arms, n_arms), np.int64))


@kernel
def select(state, params, rng):
    n_arms = len(state.wins)
    first = pick(n_arms, rng)
    if not params.distinct:
        return first, pick(n_arms, rng)
    second = pick(n_arms - 1, rng)  # a place among the other arms
    return first, second + (second >= first)


@kernel
def update(state, params, first, second, first_won):
    if first == second:
        return
    # A branch on the winner, which no processor can predict, would double the time of a step.
    state.wins[first, second] += first_won
    state.wins[second, first] += not first_won


@kernel
def recommend(state, params):
    return copeland_leader(state.wins)


POLICY = policy_of(
    __name__,
    source="baseline of Komiyama, Honda, Kashima, Nakagawa 2015 (COLT), experiments",
    assumes="nothing",
    variants={"paper": {}},
    late_feedback=True,
)
