"""Many runs in few numbers: curves with bands, final means with intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd

from experiments.statistics import Estimate, estimate, standard_error, wilson

CURVE_POINTS = 200
QUANTILES = (0.1, 0.9)
PER_PAGE = ("ndcg", "clicks")  # means since the checkpoint before; all else is a state or a total
PAGE_POINTS = 60  # fewer, so that each is a mean of more pages


def thinned(steps: np.ndarray, most: int = CURVE_POINTS) -> np.ndarray:
    """At most so many of the steps, spread over both a logarithmic and a linear axis, the last included."""
    steps = np.unique(steps)
    if len(steps) <= most:
        return steps
    even = np.linspace(steps[0], steps[-1], most - most // 2)
    wanted = np.concatenate([np.geomspace(steps[0], steps[-1], most // 2), even])
    after = np.clip(np.searchsorted(steps, wanted), 1, len(steps) - 1)
    nearest = np.where(wanted - steps[after - 1] < steps[after] - wanted, after - 1, after)
    return steps[np.unique(nearest)]


def curves(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Over the runs of each policy, at some of the steps: mean, its standard error, low and high quantile."""
    most = PAGE_POINTS if column in PER_PAGE else CURVE_POINTS
    steps = thinned(table["step"].to_numpy(), most)
    parts = []
    for policy, group in table.groupby("policy", sort=False):
        runs = group.pivot(index="run", columns="step", values=column).astype(float)
        values = _since_last(runs, steps) if column in PER_PAGE else runs[steps].to_numpy()
        low, high = np.quantile(values, QUANTILES, axis=0)
        spread = {"mean": values.mean(axis=0), "error": standard_error(values), "low": low, "high": high}
        parts.append(pd.DataFrame({"policy": policy, "step": steps, **spread}))
    return pd.concat(parts, ignore_index=True)


def share_curves(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Of a column that is true or false: the share of runs in which it is true, and its 95 % interval."""
    found = curves(table, column)
    n = found["policy"].map(table.groupby("policy")["run"].nunique()).to_numpy()
    low, high = wilson(found["mean"].to_numpy() * n, n)
    return found.assign(low=low, high=high)


def _since_last(runs: pd.DataFrame, steps: np.ndarray) -> np.ndarray:
    """(runs, steps): means since the checkpoint before become means since the step before."""
    all_steps = runs.columns.to_numpy()
    totals = (runs.to_numpy() * np.diff(all_steps, prepend=0)).cumsum(axis=1)
    kept = totals[:, np.isin(all_steps, steps)]
    return np.diff(kept, axis=1, prepend=0) / np.diff(steps, prepend=0)


def final(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the last checkpoint, policies by mean regret, least first."""
    last = table[table["step"] == table["step"].max()]
    order = last.groupby("policy", sort=False)["regret"].mean().sort_values(kind="stable").index
    return pd.concat([last[last["policy"] == policy] for policy in order], ignore_index=True)


def final_estimates(table: pd.DataFrame, column: str) -> dict[str, Estimate]:
    """By policy, least mean regret first."""
    return {
        str(policy): estimate(group[column]) for policy, group in final(table).groupby("policy", sort=False)
    }
