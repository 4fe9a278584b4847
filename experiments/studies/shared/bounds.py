"""Published bounds on the regret as lines of figures and as values of checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from rankduel.experiments.studies.study import Computed, Inputs, Size
from rankduel.experiments.winners.bounds import bounds_table

# For this alpha the theorems give numbers that can be drawn; for .51, as in most experiments, many bounds
# exceed all numbers.
ALPHA = 1.01


def bound_part(name: str, problem: str, policies: Sequence[str], horizons: Mapping[str, float]) -> Computed:
    """Return a part with the bounds of `policies` up to a horizon by tier."""
    sizes = {tier: Size(horizon, 1) for tier, horizon in horizons.items()}
    make = partial(bounds_over_time, alpha=ALPHA, policies=tuple(policies))
    return Computed(name, make, problem, sizes=sizes)


def bounds_over_time(inputs: Inputs, alpha: float, policies: Sequence[str]) -> dict[str, float]:
    """Return 'POLICY by THEOREM @STEP' -> bound, at 1, 2 and 5 times powers of ten from 100 to the horizon.

    The bounds hold with probability 1 - 1 / horizon, or in expectation. Bounds that are not defined for the
    matrix, or exceed all numbers, are left out.
    """
    assert inputs.preferences is not None
    horizon, found = inputs.size.horizon, {}
    for step in steps_up_to(horizon):
        table = bounds_table(inputs.preferences.matrix, step, alpha, 1 / horizon)
        for row in table[table["policy"].isin(list(policies))].to_dict("records"):
            if np.isfinite(row["bound"]):
                theorem = row["source"].rpartition(", ")[2]
                found[f"{row['policy']} by {theorem} @{step}"] = row["bound"]
    return found


def steps_up_to(horizon: float) -> list[int]:
    steps = (digit * 10**power for power in range(2, 13) for digit in (1, 2, 5))
    return [step for step in steps if step <= horizon]
