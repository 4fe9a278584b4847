"""Rows of the last checkpoint of runs, by policy."""

from __future__ import annotations

from typing import Any

import pandas as pd

from rankduel.experiments.statistics import standard_error


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
        numbers = runs.drop(columns="run").select_dtypes(["number", "bool"]).mean()
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
