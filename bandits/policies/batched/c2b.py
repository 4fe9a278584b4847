"""C2B, catching the Condorcet winner in batches: who is behind the candidate meets the candidate only.

Agarwal, Ghuge and Nagarajan, "An Asymptotically Optimal Batched Algorithm for the Dueling Bandit Problem",
NeurIPS 2022, Algorithm 1.

The candidate of a batch is the arm that defeats most others, with a confidence that grows from batch to
batch. Arms it defeats are compared with it alone, the others with everybody, and a pair that both of its arms
ask for is still compared once. The winner, once candidate, defeats the rest at the cost of K - 1 pairs.

Arms leave for good by a stricter test: by Hoeffding's bound in the analysis, and in the experiments by the
empirical divergence of RMED (bandits/parts/rmed/divergence.py), which takes all arms into account, also those
that left.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.agenda import Agenda, add, empty_agenda, stepwise
from bandits.contract import Policy
from bandits.parts.geometric_rounds.rounds import (
    ELIM,
    KL,
    N_LEFT,
    ROUND,
    SETTINGS,
    GeometricRounds,
    ahead_by,
    batch_size,
    begin_batch,
    drop_marked,
    finished,
    leader_now,
    mark_beaten,
    n_batches,
    new_geometric_rounds,
    note_batch,
    play_alone,
    room_for_pairs,
    survivors,
)
from bandits.parts.picks import pick_flagged
from bandits.parts.relative_entropy import divergence
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

RADII, LOG_ODDS = range(2)  # entries of State.radius


class State(NamedTuple):
    agenda: Agenda
    standing: GeometricRounds
    n_defeated: np.ndarray  # (arms,) int64: by each arm, by the batches so far
    foremost: np.ndarray  # (arms,) bool: room for those who defeat most
    radius: np.ndarray  # (2,) float64: a lead of c = radii sqrt(log odds / (2 n)) defeats


class Params(NamedTuple):
    batches: int = 0
    extra: int = 0
    elim: str = "kl"
    c_scale: float = 1.0
    horizon: int = 0


def init(n_arms, params, rng):
    if params.elim == KL:
        log_odds = math.log(params.horizon) + 0.3 * n_arms**1.01
    else:
        log_odds = math.log(n_arms**2 * n_batches(params) * params.horizon)
    return State(
        agenda=empty_agenda(room_for_pairs(n_arms)),
        standing=new_geometric_rounds(n_arms, params, log_odds),
        n_defeated=np.zeros(n_arms, np.int64),
        foremost=np.zeros(n_arms, np.bool_),
        radius=np.array([2.0 * params.c_scale, 0.0]),  # c is sqrt(2 ln(2 K^2 q) / n), q of the last batch
    )


@kernel
def plan(state, params, rng):
    agenda, standing = state.agenda, state.standing
    if standing.now[N_LEFT] == 1:
        play_alone(agenda, standing.is_left)
        return
    n_foremost = _flag_foremost(state)
    candidate = pick_flagged(state.foremost, n_foremost, rng)
    begin_batch(agenda, standing.now)
    for first in range(len(standing.is_left)):
        for second in range(first + 1, len(standing.is_left)):
            if standing.is_left[first] and standing.is_left[second]:
                if _is_asked_for(state, candidate, first, second):
                    add(agenda, first, second)


@kernel
def learn(state):
    standing = state.standing
    note_batch(state.agenda, standing)
    if standing.now[ELIM] == KL:
        _mark_implausible(standing)
    else:
        mark_beaten(standing, standing.wins)
    drop_marked(standing)
    _count_defeated(state)
    standing.now[ROUND] += 1


@kernel
def recommend(state):
    _flag_foremost(state)
    return leader_now(state.agenda, state.standing, state.foremost)


@kernel
def _is_asked_for(state, candidate, first, second):
    """Is the candidate in the pair, or an arm that it does not defeat?"""
    if first == candidate or second == candidate:
        return True
    return not (_defeats(state, candidate, first) and _defeats(state, candidate, second))


@kernel
def _defeats(state, arm, other):
    wins, radius = state.standing.wins, state.radius
    return ahead_by(wins[arm, other], wins[other, arm], radius[RADII], radius[LOG_ODDS])


@kernel
def _count_defeated(state):
    standing, n_arms = state.standing, len(state.n_defeated)
    state.radius[LOG_ODDS] = math.log(2.0 * n_arms**2 * batch_size(standing.now, standing.now[ROUND]))
    for arm in range(n_arms):
        state.n_defeated[arm] = 0
        for other in range(n_arms):
            if standing.is_left[arm] and standing.is_left[other]:
                state.n_defeated[arm] += _defeats(state, arm, other)


@kernel
def _flag_foremost(state):
    """Of the arms left, those that defeat most others; returns how many they are."""
    is_left, most, n = state.standing.is_left, 0, 0
    for arm in range(len(is_left)):
        if is_left[arm]:
            most = max(most, state.n_defeated[arm])
    for arm in range(len(is_left)):
        state.foremost[arm] = is_left[arm] and state.n_defeated[arm] == most
        n += state.foremost[arm]
    return n


@kernel
def _mark_implausible(standing):
    """Those leave whose divergence is too far from the smallest, but not who is nearest to it."""
    wins, is_left, smallest, nearest, least = standing.wins, standing.is_left, math.inf, 0, math.inf
    for arm in range(len(wins)):
        total = _total_divergence(wins, arm)
        smallest = min(smallest, total)
        if is_left[arm] and total < least:
            nearest, least = arm, total
    for arm in range(len(wins)):
        standing.leaves[arm] = _total_divergence(wins, arm) - smallest > standing.log_odds[0]
    standing.leaves[nearest] = False


@kernel
def _total_divergence(wins, arm):
    total = 0.0
    for other in range(len(wins)):
        total += divergence(wins[arm, other], wins[other, arm])
    return total


select, update = stepwise(plan, learn)

POLICY = Policy(
    "c2b",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    finished=finished,
    plan=plan,
    learn=learn,
    about="In growing batches, whom the candidate defeats meets it alone, and the others meet everybody.",
    source="Agarwal, Ghuge, Nagarajan 2022 (NeurIPS), Algorithm 1",
    assumes="Condorcet winner",
    settings=SETTINGS
    | {"c_scale": Setting("factor of the radius beyond which an arm is defeated", at_least=0)},
    variants={
        "published": {"elim": "kl"},
        "published-6": {"elim": "kl", "extra": 6},
        "theory": {"elim": "hoeffding"},
    },
)
