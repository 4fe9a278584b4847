"""PCOMP, pairwise comparisons: all pairs of the arms that are left, in batches that grow geometrically.

Agarwal, Ghuge and Nagarajan, "Batched Dueling Bandits", ICML 2022, Algorithm 1.

After each batch, whoever lost clearly to somebody leaves; every batch is judged by itself. The experiments of
the paper judge by relative entropy, with a threshold that is negative as printed; here it is ln(1 / delta).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from bandits.agenda import Agenda, empty_agenda, stepwise
from bandits.contract import Policy, kernel
from bandits.parts.geometric_rounds.rounds import (
    KL,
    N_LEFT,
    ROUND,
    SETTINGS,
    GeometricRounds,
    add_pairs,
    begin_batch,
    drop_marked,
    finished,
    mark_beaten,
    n_batches,
    new_geometric_rounds,
    note_batch,
    play_alone,
    recommend,
    room_for_pairs,
    survivors,
)

VARIANTS = {"published": {"elim": "kl"}, "theory": {"elim": "hoeffding"}}


class State(NamedTuple):
    agenda: Agenda
    standing: GeometricRounds


class Params(NamedTuple):
    batches: int = 0
    extra: int = 0
    elim: str = "kl"
    horizon: int = 0


def init(n_arms, params, rng):
    return State(empty_agenda(room_for_pairs(n_arms)), everybody(n_arms, params))


def everybody(n_arms, params):
    """delta is 1 / (T K^2) in the experiments and 1 / (6 T K^2 B) in the analysis."""
    odds = params.horizon * n_arms**2 * (1 if params.elim == KL else 6 * n_batches(params))
    return new_geometric_rounds(n_arms, params, math.log(odds))


@kernel
def plan(state, params, rng):
    plan_all_pairs(state.agenda, state.standing)


@kernel
def learn(state):
    learn_all_pairs(state.agenda, state.standing)


@kernel
def plan_all_pairs(agenda, standing):
    if standing.now[N_LEFT] == 1:
        play_alone(agenda, standing.is_left)
    else:
        begin_batch(agenda, standing.now)
        add_pairs(agenda, standing.is_left)


@kernel
def learn_all_pairs(agenda, standing):
    note_batch(agenda, standing)
    mark_beaten(standing, standing.fresh)
    drop_marked(standing)
    standing.now[ROUND] += 1


select, update = stepwise(plan, learn)

POLICY = Policy(
    "pcomp",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    finished=finished,
    plan=plan,
    learn=learn,
    about="All pairs in growing batches; after each, whoever lost clearly leaves.",
    source="Agarwal, Ghuge, Nagarajan 2022 (ICML), Algorithm 1",
    assumes="Condorcet winner",
    settings=SETTINGS,
    variants=VARIANTS,
)
