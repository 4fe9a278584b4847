"""The confidence radius of SAVAGE, sqrt(ln(eta / delta) / (2 n)), for Condorcet and for Copeland winners.

Urvoy, Clerot, Feraud and Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, Any

from rankduel.bandits.parts.racing.radius import LogTerm, error_probability
from rankduel.base.settings import Setting


class Bound(IntEnum):
    """Number of steps for which the intervals of SAVAGE hold: those of the horizon, or any number."""

    FINITE = 0
    INFINITE = 1


BoundSwitch = Annotated[
    Bound, Setting("confidence intervals that hold for `horizon` steps, or for any number of steps")
]


def savage_log_term(n_arms: int, params: Any) -> LogTerm:
    """Return ln(eta / delta), where eta is K (K - 1) T, or K (K - 1) pi^2 n^2 / 6 without a horizon."""
    delta = error_probability(params)
    n_ordered = n_arms * (n_arms - 1)
    if params.bound == Bound.FINITE:
        return LogTerm(math.log(n_ordered * params.horizon / delta))
    return LogTerm(math.log(math.pi**2 / 6.0 * n_ordered / delta), slope=2.0)


def savage_uses_horizon(params: Any) -> bool:
    """Return whether the radius is computed from the horizon."""
    return bool(params.bound == Bound.FINITE or params.delta == 0.0)
