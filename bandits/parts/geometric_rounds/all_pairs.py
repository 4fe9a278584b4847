"""Batches of all pairs of the arms that are left: PCOMP, and how SCOMP and SCOMP2 end.

Agarwal, Ghuge and Nagarajan, "Batched Dueling Bandits", ICML 2022, Algorithm 1.
"""

from __future__ import annotations

import math
from typing import Any

from bandits.parts.geometric_rounds.rounds import (
    KL,
    N_LEFT,
    ROUND,
    GeometricRounds,
    add_pairs,
    begin_batch,
    drop_marked,
    mark_beaten,
    n_batches,
    new_geometric_rounds,
    note_batch,
    play_alone,
)
from rankduel.base.compiling import kernel

VARIANTS = {"published": {"elim": "kl"}, "theory": {"elim": "hoeffding"}}


def all_arms_left(n_arms: int, params: Any) -> GeometricRounds:
    """delta is 1 / (T K^2) in the experiments and 1 / (6 T K^2 B) in the analysis."""
    odds = params.horizon * n_arms**2 * (1 if params.elim == KL else 6 * n_batches(params))
    return new_geometric_rounds(n_arms, params, math.log(odds))


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
