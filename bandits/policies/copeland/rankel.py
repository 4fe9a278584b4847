"""RankEl, PAC rank elicitation by Copeland's ranking: a reconstruction, not the authors' own algorithm.

After Busa-Fekete, Szorenyi and Hullermeier, "PAC Rank Elicitation through Adaptive Sampling of Stochastic
Pairwise Preferences", AAAI 2014, from what others report of it.

All open pairs duel once per round. Known signs bound the number of others that an arm beats, and two arms are
ordered when these intervals do not meet. The race ends when no arm is unordered with more than `rho` others.
To find a winner only arms whose interval meets the top one matter; arms ordered with all that matter need no
more duels among each other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.answers import leader, leaders
from bandits.parts.racing.racing import (
    LOSSES,
    WINS,
    Race,
    begin_round,
    drop_pairs,
    finished,
    idle,
    is_over,
    is_round_over,
    new_race,
    note_duel,
    select,
)
from rankduel.base.compiling import kernel
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Setting

WINNER, RANKING = range(2)  # choices of `target`
RHO, TARGET = range(2)  # entries of State.goal


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    known: np.ndarray  # (arms, 2) int64: how many others each arm is known to beat, and to be beaten by
    race: Race  # settled: arms ordered with all that matter, or that do not
    goal: np.ndarray  # (2,) int64: with how many an arm may remain unordered; WINNER or RANKING


class Params(NamedTuple):
    rho: int = 0
    target: str = "winner"
    delta: float = 0.0
    horizon: int = 0


def init(n_arms, params, rng):
    if params.rho >= n_arms - 1:
        raise PolicyError(
            f"rho is {params.rho}; expected less than {n_arms - 1}, the others of {n_arms} arms"
        )
    delta = params.delta or 1.0 / params.horizon
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        known=np.zeros((n_arms, 2), np.int64),
        race=new_race(n_arms, math.log(5.0 * n_arms**2 / (4.0 * delta)), 4.0),
        goal=np.array([params.rho, params.target]),
    )


@kernel
def update(state, first, second, first_won):
    if first == second:
        return
    race, known = state.race, state.known
    if note_duel(race, state.wins, known, first, second, first_won):
        _settle(known, state.goal, race.settled)
    if is_round_over(race):
        drop_pairs(race)
        begin_round(race)
        if is_over(race):
            answers(state, race.commitment.answer)


@kernel
def recommend(state):
    return leader(state.wins)


@kernel
def answers(state, chosen):
    leaders(state.wins, chosen)


@kernel
def _settle(known, goal, settled):
    """Find who is ordered with all arms that matter; if all are, but for `rho` others, all are settled."""
    n_arms, floor, most_unordered = len(known), 0, 0
    if goal[TARGET] == WINNER:
        for arm in range(n_arms):
            floor = max(floor, known[arm, WINS])
    for arm in range(n_arms):
        n_unordered = 0
        if _can_reach(known, arm, floor):
            for other in range(n_arms):
                if other != arm and _can_reach(known, other, floor):
                    n_unordered += _meet(known, arm, other)
        settled[arm] = n_unordered == 0
        most_unordered = max(most_unordered, n_unordered)
    if most_unordered <= goal[RHO]:
        for arm in range(n_arms):
            settled[arm] = True


@kernel
def _can_reach(known, arm, n_beaten):
    """May it beat so many others?"""
    return len(known) - 1 - known[arm, LOSSES] >= n_beaten


@kernel
def _meet(known, one, other):
    """May the two beat equally many others?"""
    return _can_reach(known, one, known[other, WINS]) and _can_reach(known, other, known[one, WINS])


POLICY = Policy(
    "rankel",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    answers=answers,
    finished=finished,
    about="All open pairs once a round, until known signs put the arms in order; a reconstruction.",
    source="after Busa-Fekete, Szorenyi, Hullermeier 2014 (AAAI), Copeland's ranking; a reconstruction",
    assumes="Copeland winners, and no two arms exactly alike",
    settings={
        "rho": Setting("with how many others an arm may remain unordered", at_least=0),
        "target": Setting(
            "order the arms that may be winners, or all of them", choices=("winner", "ranking")
        ),
        "delta": Setting("chance of an error; 0: one in `horizon`", at_least=0, at_most=1),
        "horizon": Setting("steps the error bound is made for; 0: those of the run", at_least=0),
    },
    horizon_when=lambda params: params.delta == 0.0,
)
