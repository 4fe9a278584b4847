"""Upper limits of the counts that a job accepts, so that it ends and fits into memory."""

from __future__ import annotations

import math

from rankduel.base.errors import UsageError

MOST_RUNS = 10**6  # per policy
MOST_CHECKPOINTS = 10**6
MOST_SAMPLES = 10**6  # random sign vectors or bootstrap samples per test
MOST_DUELS = 10**12  # per pair of a matrix


def checked_count(name: str, value: float, most: int) -> int:
    """Return `value` as an int; raise UsageError with `name` unless it is a whole number from 1 to `most`."""
    if not isinstance(value, (int, float)) or not (1 <= value <= most and math.floor(value) == value):
        raise UsageError(f"{name} is {value}; expected a whole number from 1 to {most:,}")
    return int(value)
