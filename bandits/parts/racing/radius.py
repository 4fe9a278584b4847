"""The confidence radius after n duels of a pair, sqrt(L / (2 n)) with L = a + b ln n.

The interval around the win rate excludes 1/2 if and only if the lead, wins minus losses, exceeds sqrt(2 n L).
Pairs that have had equally many duels are therefore judged by one number, the decisive lead.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rankduel.base.compiling import kernel


class LogTerm(NamedTuple):
    """The term L = constant + slope * ln n."""

    constant: float
    slope: float = 0.0


@kernel
def decisive_lead(n, constant, slope):
    """Return the lead after `n` duels above which the interval excludes 1/2."""
    log_term = constant + slope * math.log(n)
    return math.sqrt(2.0 * n * log_term)


def first_decisive_lead(log_term: LogTerm) -> float:
    """Return the decisive lead after one duel, as `decisive_lead` would."""
    return math.sqrt(2.0 * log_term.constant)


def error_probability(params: Any) -> float:
    """Return delta, which is 1 / `horizon` unless it is given."""
    return float(params.delta or 1.0 / params.horizon)
