"""At which steps a run's counts are copied."""

from __future__ import annotations

import math

import numpy as np

from rankduel.base.errors import UsageError

LONGEST = 10**15  # steps; clocks stay exact below


def checkpoints(horizon: int, linear: int = 1000) -> np.ndarray:
    """Twenty per decade, 1, 2, 5, 10, ..., and `linear` evenly spaced ones; all up to `horizon`."""
    horizon = checked_horizon(horizon)
    decades = range(len(str(horizon)))
    round_steps = [digit * 10**m for m in decades for digit in (1, 2, 5)]
    even = [math.ceil(10 ** (k / 20)) for k in range(20 * len(decades))]
    lines = [-(-j * horizon // linear) for j in range(1, linear + 1)]
    steps = {step for step in (*round_steps, *even, *lines) if 1 <= step <= horizon}
    return np.array(sorted(steps | {horizon}), np.int64)


def checked_horizon(horizon: float) -> int:
    """A number of steps, perhaps written 1e8."""
    try:
        steps = int(horizon)
    except (TypeError, ValueError, OverflowError):
        steps = 0
    if steps != horizon or not 1 <= steps <= LONGEST:
        raise UsageError(f"the horizon is {horizon}; expected a whole number of duels from 1 to {LONGEST:g}")
    return steps
