"""SAVAGE for Copeland winners: all pairs in turn, each until its sign is known or no longer matters.

Urvoy, Clerot, Feraud and Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013, Algorithm 1
with the test for Copeland winners.

Known signs bound the number of others that an arm beats. A pair leaves when its sign is known, or when
neither of its arms can beat as many as some arm is known to. When no pair is left, the arms of the largest
bound are the winners.

The paper's interval of a pair is the intersection of all it had so far. As long as these contain one half,
the intersection is not empty and does too; so the first of them to exclude it decides, and no intersection
has to be kept. The radius is that of bandits/policies/condorcet/savage.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.answers import leader, leader_among, leaders
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
from bandits.policies.condorcet import savage
from rankduel.base.compiling import kernel


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    known: np.ndarray  # (arms, 2) int64: how many others each arm is known to beat, and to be beaten by
    race: Race  # settled: arms that cannot be winners


def init(n_arms, params, rng):
    bound = savage.init(n_arms, params, rng).bound
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        known=np.zeros((n_arms, 2), np.int64),
        race=new_race(n_arms, bound[savage.CONSTANT], bound[savage.SLOPE]),
    )


@kernel
def update(state, first, second, first_won):
    if first == second:
        return
    race, known = state.race, state.known
    if note_duel(race, state.wins, known, first, second, first_won):
        _settle(known, race.settled)
        drop_pairs(race)
        if is_over(race):
            answers(state, race.commitment.answer)
    if is_round_over(race):
        begin_round(race)


@kernel
def recommend(state):
    if is_over(state.race):
        return leader_among(state.wins, state.race.commitment.answer)
    return leader(state.wins)


@kernel
def answers(state, chosen):
    """In the end the winners, all of whose signs are known; before, who leads most others."""
    if not is_over(state.race):
        leaders(state.wins, chosen)
        return
    for arm in range(len(chosen)):
        chosen[arm] = not state.race.settled[arm]


@kernel
def survivors(state):
    n = 0
    for settled in state.race.settled:
        n += not settled
    return n


@kernel
def _settle(known, settled):
    """Arms that cannot beat as many as some arm is known to are out."""
    n_others, most = len(known) - 1, 0
    for arm in range(len(known)):
        most = max(most, known[arm, WINS])
    for arm in range(len(known)):
        settled[arm] = n_others - known[arm, LOSSES] < most


POLICY = Policy(
    "copeland_savage",
    savage.Params,
    init,
    select,
    update,
    recommend,
    survivors,
    idle,
    answers,
    finished,
    about="All pairs in turn, each until its sign is known or cannot change who wins.",
    source="Urvoy, Clerot, Feraud, Naamane 2013 (ICML), Algorithm 1, Copeland",
    assumes="Copeland winners, and no two arms exactly alike",
    settings=savage.POLICY.settings,
    variants=savage.POLICY.variants,
    horizon_when=savage.POLICY.horizon_when,
)
