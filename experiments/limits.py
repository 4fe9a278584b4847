"""The largest numbers that a job is started with: beyond them it would not end, or not fit into memory."""

from __future__ import annotations

import math

from rankduel.base.errors import UsageError

MOST_RUNS = 10**6  # of each policy
MOST_CHECKPOINTS = 10**6
MOST_SAMPLES = 10**6  # random signs or bootstrap samples of a test
MOST_DUELS = 10**12  # of a pair of a matrix


def checked_count(name: str, value: float, most: int) -> int:
    """Return a whole number from 1 to `most`; raise an error that names it if `value` is none."""
    if not isinstance(value, (int, float)) or not (1 <= value <= most and math.floor(value) == value):
        raise UsageError(f"{name} is {value}; expected a whole number from 1 to {most:,}")
    return int(value)
