"""ECW-RMED, efficient Copeland winners RMED: play what is necessary, by a plan that is found by sorting.

Komiyama, Honda and Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
Computationally Efficient Algorithm", ICML 2016, Algorithm 1 with the efficient lower bound.

The plan makes sure of every pair a candidate wins, and that no other arm could do with one loss less than the
candidate. For that, of the arms that beat it, h cheap ones share the evidence, whichever h costs least. Such
plans need not be the best, but take no linear program. The rest is in bandits/parts/rmed/necessary_duels.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.rmed.necessary_duels import (
    SETTINGS,
    Course,
    Params,
    answers,
    end_step,
    first_list,
    idle,
    is_candidate,
    keep_if_cheaper,
    note_duel,
    plan_is_due,
    price,
    recommend,
    select,
)
from bandits.parts.rmed.overtaking import BEATING, sort_opponents
from rankduel.base.compiling import kernel


class State(NamedTuple):
    course: Course
    prices: np.ndarray  # (arms, arms) float64: regret per unit of a pair's evidence; row i, of who beats i


def init(n_arms, params, rng):
    return State(first_list(n_arms), np.zeros((n_arms, n_arms)))


@kernel
def update(state, first, second, first_won):
    course = state.course
    note_duel(course, first, second, first_won)
    if plan_is_due(course):
        for arm in range(len(course.losses)):
            if is_candidate(course, arm):
                plan_by_sorting(course, state.prices, arm)
                keep_if_cheaper(course, arm)
    end_step(course)


@kernel
def plan_by_sorting(course, prices, candidate):
    """Write course.plan: evidence, in units of ln t, that makes sure of this candidate."""
    plan, wins = course.plan, course.wins
    for i in range(len(wins)):
        for j in range(len(wins)):
            plan[i, j] = 0.0
    for other in range(len(wins)):
        if wins[candidate, other] > wins[other, candidate]:
            plan[candidate, other] = plan[other, candidate] = 1.0
    for rival in range(len(wins)):
        if rival != candidate:
            _share_among_beating(course, prices, candidate, rival)


@kernel
def _share_among_beating(course, prices, candidate, rival):
    """Plan for the arms that beat the rival, so that it cannot do with one loss less than the candidate."""
    wins, losses, order = course.wins, course.losses, course.room.beating
    for other in range(len(wins)):
        if wins[rival, other] < wins[other, rival]:
            prices[rival, other] = price(course, rival, other, 0.0)
    n_beating = sort_opponents(wins, prices, rival, candidate, BEATING, order)
    # As many may turn to the rival without harm; one more, and it has overtaken the candidate.
    n_too_many = losses[rival] - losses[candidate] + 1
    n_spared = n_beating - n_too_many
    if n_spared < 0:
        return
    n_sharing = _cheapest_number(prices[rival], order, n_beating, n_spared)
    for place in range(n_sharing):
        plan_here = 1.0 / (n_sharing - n_spared)
        course.plan[rival, order[place]] = course.plan[order[place], rival] = plan_here


@kernel
def _cheapest_number(prices, order, n_beating, n_spared):
    """The number h of arms, cheapest first, with the least price per h - n_spared of them."""
    best, cheapest, total = 0, np.inf, 0.0
    for n in range(1, n_beating + 1):
        total += prices[order[n - 1]]
        if n > n_spared and total / (n - n_spared) < cheapest:
            best, cheapest = n, total / (n - n_spared)
    return best


POLICY = Policy(
    "ecw_rmed",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    answers=answers,
    about="The pairs whose evidence is less than a plan found by sorting asks for.",
    source="Komiyama, Honda, Nakagawa 2016 (ICML), Algorithm 1, ECW-RMED",
    assumes="no two arms are even",
    settings=SETTINGS,
    variants={"paper": {}},
)
