"""PCOMP, pairwise comparisons: all pairs of the arms that are left, in batches that grow geometrically.

Agarwal, Ghuge and Nagarajan, "Batched Dueling Bandits", ICML 2022, Algorithm 1.

After each batch, whoever lost clearly to somebody leaves; every batch is judged by itself. The experiments of
the paper judge by relative entropy, with a threshold that is negative as printed; here it is ln(1 / delta).
"""

from __future__ import annotations

from typing import NamedTuple

from bandits.agenda import Agenda, empty_agenda, stepwise
from bandits.contract import Policy
from bandits.parts.geometric_rounds.all_pairs import VARIANTS, all_arms_left, learn_all_pairs, plan_all_pairs
from bandits.parts.geometric_rounds.rounds import (
    SETTINGS,
    GeometricRounds,
    finished,
    recommend,
    room_for_pairs,
    survivors,
)
from rankduel.base.compiling import kernel


class State(NamedTuple):
    agenda: Agenda
    standing: GeometricRounds


class Params(NamedTuple):
    batches: int = 0
    extra: int = 0
    elim: str = "kl"
    horizon: int = 0


def init(n_arms, params, rng):
    return State(empty_agenda(room_for_pairs(n_arms)), all_arms_left(n_arms, params))


@kernel
def plan(state, params, rng):
    plan_all_pairs(state.agenda, state.standing)


@kernel
def learn(state):
    learn_all_pairs(state.agenda, state.standing)


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
