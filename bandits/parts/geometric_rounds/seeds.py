"""Comparisons with a few random arms first: what SCOMP and SCOMP2 share.

Agarwal, Ghuge and Nagarajan, "Batched Dueling Bandits", ICML 2022. All arms are compared with judges from a
random seed set, and whoever loses clearly to a judge leaves. Once somebody clearly beats all judges, so does
everybody who is not ahead of them all; the rest is PCOMP, which begins with a batch of the same size.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bandits.agenda import Agenda, add, empty_agenda
from bandits.parts.geometric_rounds.all_pairs import all_arms_left
from bandits.parts.geometric_rounds.rounds import (
    ROUND,
    SETTINGS,
    GeometricRounds,
    ahead,
    begin_batch,
    clearly_ahead,
    drop_marked,
    note_batch,
    room_for_pairs,
)
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

STAGE = 0  # entry of Seeds.now
WITH_JUDGES, AMONG_SEEDS, ALL_PAIRS = range(3)  # stages: what a batch compares

SEED_SETTINGS = SETTINGS | {
    "seed_power": Setting("of K arms, each is a seed with chance 1 / K^seed_power", at_least=0, at_most=1)
}


class Seeds(NamedTuple):
    is_seed: np.ndarray  # (arms,) bool
    is_judge: np.ndarray  # (arms,) bool: with whom all arms are compared; the seeds, or one of them
    now: np.ndarray  # (1,) int64: what the coming or current batch compares


class State(NamedTuple):
    agenda: Agenda
    standing: GeometricRounds
    seeds: Seeds


class Params(NamedTuple):
    batches: int = 0
    extra: int = 0
    elim: str = "kl"
    seed_power: float = 0.5
    horizon: int = 0


def begin(n_arms: int, params: Any, rng: np.random.Generator, stage: int) -> State:
    is_seed = np.zeros(n_arms, np.bool_)
    while not is_seed.any():
        is_seed = rng.random(n_arms) < n_arms**-params.seed_power
    return State(
        agenda=empty_agenda(room_for_pairs(n_arms)),
        standing=all_arms_left(n_arms, params),
        seeds=Seeds(is_seed, is_seed.copy(), np.array([stage])),
    )


@kernel
def plan_with_judges(agenda, standing, is_judge):
    is_left = standing.is_left
    begin_batch(agenda, standing.now)
    for first in range(len(is_left)):
        for second in range(first + 1, len(is_left)):
            if is_left[first] and is_left[second] and (is_judge[first] or is_judge[second]):
                add(agenda, first, second)


@kernel
def learn_with_judges(state, lose_by, lead_by):
    """Who loses to a judge by so many radii leaves; if somebody beats all judges so, who does not lead them.

    By relative entropy, a loss must be clear, and any lead will do.
    """
    agenda, standing, seeds = state
    note_batch(agenda, standing)
    if _somebody_beats(standing, seeds.is_judge, lose_by):
        for arm in range(len(standing.leaves)):
            standing.leaves[arm] = not _beats(standing, seeds.is_judge, arm, lead_by, 0.0)
        seeds.now[STAGE] = ALL_PAIRS
    else:
        _mark_losers(standing, seeds.is_judge, lose_by)
        standing.now[ROUND] += 1
    drop_marked(standing)
    for arm in range(len(standing.is_left)):
        seeds.is_seed[arm] &= standing.is_left[arm]


@kernel
def _somebody_beats(standing, is_judge, radii):
    for arm in range(len(is_judge)):
        if standing.is_left[arm] and _beats(standing, is_judge, arm, radii, standing.log_odds[0]):
            return True
    return False


@kernel
def _beats(standing, is_judge, arm, radii, nats):
    """Is it ahead of every judge? No judge is ahead of itself."""
    for judge in range(len(is_judge)):
        won, lost = standing.fresh[arm, judge], standing.fresh[judge, arm]
        if is_judge[judge] and not ahead(standing, won, lost, radii, nats):
            return False
    return True


@kernel
def _mark_losers(standing, is_judge, radii):
    for arm in range(len(is_judge)):
        standing.leaves[arm] = False
        for judge in range(len(is_judge)):
            won, lost = standing.fresh[judge, arm], standing.fresh[arm, judge]
            standing.leaves[arm] |= is_judge[judge] and clearly_ahead(standing, won, lost, radii)
