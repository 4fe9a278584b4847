"""Summaries of runs: curves with quantiles, and final means with intervals."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pandas as pd

from rankduel.experiments.runs.columns import in_reports, is_per_page, texts
from rankduel.experiments.statistics import Estimate, estimate, standard_error, wilson

CURVE_POINTS = 200
QUANTILES = (0.1, 0.9)
PAGE_POINTS = 60  # fewer than CURVE_POINTS, so that each is a mean of more pages


def thinned(steps: np.ndarray, most: int = CURVE_POINTS) -> np.ndarray:
    """Return at most `most` of the steps, spread over a logarithmic and a linear axis, with the last step."""
    steps = np.unique(steps)
    if len(steps) <= most:
        return steps
    even = np.linspace(steps[0], steps[-1], most - most // 2)
    wanted = np.concatenate([np.geomspace(steps[0], steps[-1], most // 2), even])
    after = np.clip(np.searchsorted(steps, wanted), 1, len(steps) - 1)
    nearest = np.where(wanted - steps[after - 1] < steps[after] - wanted, after - 1, after)
    return steps[np.unique(nearest)]


def at_drawn_steps(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a record at the steps that `curves` keeps, and the columns that reports show.

    Values per page become means over all pages since the row before.
    """
    n_runs = table["run"].nunique()
    steps = table["step"].to_numpy()[: len(table) // n_runs]  # all runs of a record have the same steps
    columns = [column for column in in_reports() if column in table]
    per_page = [column for column in columns if is_per_page(column)]
    kept = _drawn_steps(steps.tobytes(), bool(per_page))
    pages = {
        column: pd.DataFrame(table[column].to_numpy().reshape(n_runs, -1), columns=steps)
        for column in per_page
    }
    return table.loc[np.tile(np.isin(steps, kept), n_runs), columns].assign(
        **{column: _since_last(values, kept).ravel() for column, values in pages.items()}
    )


@functools.lru_cache(maxsize=4)  # all runs of a set have the same steps
def _drawn_steps(content: bytes, has_pages: bool) -> np.ndarray:
    """Return the steps of all curves; `content` are the steps of a run, as the bytes of an int64 array."""
    steps = np.frombuffer(content, np.int64)
    return np.union1d(thinned(steps), thinned(steps, PAGE_POINTS)) if has_pages else thinned(steps)


def curves(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return mean, standard error, and low and high quantile over the runs, by policy and step."""
    most = PAGE_POINTS if is_per_page(column) else CURVE_POINTS
    steps = thinned(table["step"].to_numpy(), most)
    parts = []
    for policy, group in table.groupby("policy", sort=False):
        runs = group.pivot(index="run", columns="step", values=column).astype(float)
        values = _since_last(runs, steps) if is_per_page(column) else runs[steps].to_numpy()
        low, high = np.quantile(values, QUANTILES, axis=0)
        spread = {"mean": values.mean(axis=0), "error": standard_error(values), "low": low, "high": high}
        parts.append(pd.DataFrame({"policy": policy, "step": steps, **spread}))
    return pd.concat(parts, ignore_index=True)


def share_curves(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the share of runs in which a Boolean column is true, with its 95 % Wilson interval."""
    found = curves(table, column)
    n = found["policy"].map(table.groupby("policy")["run"].nunique()).to_numpy()
    low, high = wilson(found["mean"].to_numpy() * n, n)
    return found.assign(low=low, high=high)


def _since_last(runs: pd.DataFrame, steps: np.ndarray) -> np.ndarray:
    """Return (runs, steps): means since the previous entry of `steps`, from means between checkpoints."""
    all_steps = runs.columns.to_numpy()
    totals = (runs.to_numpy() * np.diff(all_steps, prepend=0)).cumsum(axis=1)
    totals = totals[:, np.isin(all_steps, steps)]
    return np.diff(totals, axis=1, prepend=0) / np.diff(steps, prepend=0)


def final(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the last checkpoint, with policies by increasing mean regret."""
    last = table[table["step"] == table["step"].max()]
    order = last.groupby("policy", sort=False)["regret"].mean().sort_values(kind="stable").index
    return pd.concat([last[last["policy"] == policy] for policy in order], ignore_index=True)


def final_estimates(table: pd.DataFrame, column: str) -> dict[str, Estimate]:
    """Return the final mean of a column with its interval, by policy in increasing mean regret."""
    return {
        str(policy): estimate(group[column]) for policy, group in final(table).groupby("policy", sort=False)
    }


def last_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the last checkpoint."""
    last: pd.DataFrame = table[table["step"] == table["step"].max()]
    return last


def by_regret(last: pd.DataFrame) -> list[tuple[Any, pd.DataFrame]]:
    """Return the rows of each policy, least mean regret first."""
    return sorted(last.groupby("policy", sort=False), key=lambda item: item[1]["regret"].mean())


def final_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for every policy, least regret first: means of its last rows, and what it recommends."""
    rows = []
    for name, runs in by_regret(last_rows(table)):
        numbers = runs[[name for name in runs if name not in ("run", *texts())]].mean()
        often = runs["recommended"].value_counts()
        rows.append(
            {"policy": name, "runs": len(runs)}
            | numbers.to_dict()
            | {"step": int(runs["step"].iloc[0])}
            | {"regret_standard_error": standard_error(runs["regret"].to_numpy())}
            | {"recommended": often.index[0] if len(often) else None}
            | {"recommended_share": often.iloc[0] / len(runs) if len(often) else 0.0}
        )
    return rows
