"""Steps at which ln t or ln ln t reaches a level, for the RMED policies."""

from __future__ import annotations

import math

from rankduel.bandits.parts.bounds import NEVER
from rankduel.base.compiling import kernel

_LAST_LOG = 36.0  # logarithm of step 4e15; beyond it, float64 does not represent every step


@kernel
def log_log(t):
    """Return ln ln t; 0 where that is negative or undefined."""
    return math.log(math.log(t)) if t > 2 else 0.0


@kernel
def step_when_log_reaches(level, offset):
    """Return the first step t >= 1 with level <= ln t + offset; NEVER if no run reaches it."""
    if level - offset > _LAST_LOG:
        return NEVER
    t = max(int(math.exp(level - offset)), 1)
    while t > 1 and level <= math.log(t - 1) + offset:
        t -= 1
    while level > math.log(t) + offset:
        t += 1
    return t


@kernel
def step_when_log_log_exceeds(n_duels, alpha):
    """Return the first step t with alpha ln ln t > n_duels; NEVER if no run reaches it."""
    if n_duels / alpha > math.log(_LAST_LOG):
        return NEVER
    t = max(int(math.exp(math.exp(n_duels / alpha))), 1)
    while t > 1 and alpha * log_log(t - 1) > n_duels:
        t -= 1
    while alpha * log_log(t) <= n_duels:
        t += 1
    return t
