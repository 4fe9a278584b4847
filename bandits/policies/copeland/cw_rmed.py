"""CW-RMED, Copeland winners RMED: play what is necessary, by the plan of least regret.

Komiyama, Honda and Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
Computationally Efficient Algorithm", ICML 2016, Algorithm 1.

Its regret approaches the lower bound. The plan is the solution of a linear program, made anew after a duel
(bandits/parts/rmed/optimal_plan.py), so it is for few arms. Where several plans have the least regret, it
takes one with few duels. The rest is in bandits/parts/rmed/necessary_duels.py.
"""

from __future__ import annotations

from typing import NamedTuple

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
from bandits.parts.rmed.optimal_plan import Simplex, find_optimal_plan, room_for_simplex
from rankduel.base.compiling import kernel
from rankduel.base.errors import PolicyError

MOST_ARMS = 16

# Added to the regret of a duel, times a number between 1 and 2 of the pair's own: then no two plans cost the
# same, so that there is one best, and the simplex method does not go round in circles.
_TO_CHOOSE = 1e-6
_GOLDEN = 0.6180339887498949


class State(NamedTuple):
    course: Course
    simplex: Simplex


def init(n_arms, params, rng):
    if n_arms > MOST_ARMS:
        raise PolicyError(
            f"cw_rmed solves a program for at most {MOST_ARMS} arms, not {n_arms}; try ecw_rmed"
        )
    return State(first_list(n_arms), room_for_simplex(n_arms))


@kernel
def update(state, first, second, first_won):
    course, simplex = state
    note_duel(course, first, second, first_won)
    if plan_is_due(course):
        for arm in range(len(course.losses)):
            if is_candidate(course, arm):
                _plan_by_program(course, simplex, arm)
                keep_if_cheaper(course, arm)
    end_step(course)


@kernel
def _plan_by_program(course, simplex, candidate):
    """Write course.plan: evidence, in units of ln t, that makes sure of this candidate at least regret."""
    _set_prices(course, simplex.values)
    find_optimal_plan(course.wins, course.losses, candidate, course.plan, simplex, course.room)


@kernel
def _set_prices(course, prices):
    """What a unit of evidence costs; for even pairs, which no plan can ask for, any number."""
    number = 0
    for i in range(len(course.wins)):
        for j in range(i):
            prices[number] = 1.0
            if course.wins[i, j] != course.wins[j, i]:
                own = 1.0 + number * _GOLDEN % 1.0
                prices[number] = price(course, i, j, _TO_CHOOSE * own)
            number += 1


POLICY = Policy(
    "cw_rmed",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    answers=answers,
    about="The pairs whose evidence is less than the plan of least regret asks for; up to 16 arms.",
    source="Komiyama, Honda, Nakagawa 2016 (ICML), Algorithm 1, CW-RMED",
    assumes="no two arms are even",
    settings=SETTINGS,
    variants={"paper": {}},
)
