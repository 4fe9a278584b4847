"""PCOMP, which SCOMP and SCOMP2 end with: compare all pairs of active arms in growing batches.

Agarwal, Ghuge and Nagarajan, "Batched Dueling Bandits", ICML 2022, Algorithm 1.

In their experiments delta is 1 / (T K^2), and an arm is eliminated if the KL divergence of a pair exceeds a
threshold that is printed as ln(T delta), which is negative. Three readings of it are offered: ln(1 / delta),
as in the analysis; ln T, as in RMED; and ln(1 / (T delta)) = ln(K^2), the printed one with the sign changed.
"""

from __future__ import annotations

import math
from typing import Any

from rankduel.bandits.parts.geometric_rounds.rounds import (
    Elim,
    Threshold,
    add_pairs,
    begin_batch,
    eliminate_marked,
    mark_beaten,
    n_batches,
    play_last_arm,
    record_batch,
)
from rankduel.base.compiling import kernel

VARIANTS = {
    "published": {"elim": "kl"},
    "printed-sign-changed": {"elim": "kl", "threshold": "arms"},
    "theory": {"elim": "hoeffding"},
}


def pcomp_log_odds(n_arms: int, params: Any) -> float:
    """Return the threshold; ln(1 / delta) is ln(T K^2) in the experiments, ln(6 T K^2 B) in the analysis."""
    if params.elim == Elim.HOEFFDING:
        return math.log(6 * params.horizon * n_arms**2 * n_batches(params))
    if params.threshold == Threshold.ARMS:
        return math.log(n_arms**2)
    return math.log(params.horizon * (1 if params.threshold == Threshold.HORIZON else n_arms**2))


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
