"""Checkpoints: the steps at which the counts of a run are recorded."""

from __future__ import annotations

import math

import numpy as np

from rankduel.base.errors import UsageError

LONGEST = 10**15  # steps of a run; float64 represents all smaller step numbers exactly


def checkpoints(horizon: int, linear: int = 1000) -> np.ndarray:
    """Return the checkpoints up to `horizon`, ascending.

    These are twenty steps per decade, the steps 1, 2, 5, 10, 20, 50, ..., and `linear` evenly spaced steps.
    """
    horizon = checked_horizon(horizon)
    decades = range(len(str(horizon)))
    round_steps = [digit * 10**m for m in decades for digit in (1, 2, 5)]
    even = [math.ceil(10 ** (k / 20)) for k in range(20 * len(decades))]
    lines = [-(-j * horizon // linear) for j in range(1, linear + 1)]
    steps = {step for step in (*round_steps, *even, *lines) if 1 <= step <= horizon}
    return np.array(sorted(steps | {horizon}), np.int64)


def checked_horizon(horizon: float) -> int:
    """Return `horizon` as an integer, or raise an error; a float such as 1e8 is accepted."""
    try:
        steps = int(horizon)
    except (TypeError, ValueError, OverflowError):
        steps = 0
    if steps != horizon or not 1 <= steps <= LONGEST:
        raise UsageError(f"the horizon is {horizon}; expected a whole number of duels from 1 to {LONGEST:g}")
    return steps
