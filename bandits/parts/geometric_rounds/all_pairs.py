"""PCOMP, which SCOMP and SCOMP2 end with: compare all pairs of active arms in growing batches.

Agarwal, Ghuge and Nagarajan, "Batched Dueling Bandits", ICML 2022, Algorithm 1.
"""

from __future__ import annotations

import math
from typing import Any

from bandits.parts.geometric_rounds.rounds import (
    Elim,
    add_pairs,
    begin_batch,
    eliminate_marked,
    mark_beaten,
    n_batches,
    play_last_arm,
    record_batch,
)
from rankduel.base.compiling import kernel

VARIANTS = {"published": {"elim": "kl"}, "theory": {"elim": "hoeffding"}}


def pcomp_log_odds(n_arms: int, params: Any) -> float:
    """Return ln(1 / delta); delta is 1 / (T K^2) in the experiments and 1 / (6 T K^2 B) in the analysis."""
    odds = params.horizon * n_arms**2 * (1 if params.elim == Elim.KL else 6 * n_batches(params))
    return math.log(odds)


@kernel
def plan_all_pairs(state, params):
    """Plan the batch of a round of PCOMP."""
    if state.rounds.now[0].n_active == 1:
        play_last_arm(state)
    else:
        begin_batch(state, params)
        add_pairs(state.agenda, state.rounds.active)


@kernel
def learn_all_pairs(state, params):
    """Eliminate the arms that were clearly beaten in the batch, and end the round."""
    record_batch(state)
    mark_beaten(state, params, state.room.wins)
    eliminate_marked(state)
    state.rounds.now[0].round_number += 1
