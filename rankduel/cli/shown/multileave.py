"""Print the results of `rankduel multileave`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from rich.markup import escape

from rankduel.base.text import counted
from rankduel.cli.console import plain_table, screen, title
from rankduel.cli.shown.preferences import matrix_text
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.runs.multileave_error import (
    LIMITS,
    decades,
    error_at,
    error_text,
    impressions_until,
    until_text,
)


def show_errors(source: str, users: str, reference: Preferences, table: pd.DataFrame) -> None:
    pairs, last = reference.pairs, int(table["step"].max())
    n_runs = table["run"].nunique()
    tied = int((pairs["p"] == 0.5).sum())
    unsure = int(((pairs["lo"] <= 0.5) & (pairs["hi"] >= 0.5)).sum()) - tied
    screen.print(
        f"[bold]{escape(source)}:[/] [dim]{counted(len(reference), 'ranker')}, {escape(users)}, "
        f"{counted(len(pairs) - tied, 'pair')} to order, {counted(n_runs, 'run')} per method; "
        f"reference: matrix {matrix_text(reference)}[/]\n",
    )
    steps = {f"{step:,}": step for step in decades(last)}
    title("Pairs in the wrong order", "E_bin in %, by number of impressions, ± standard error")
    _show_table(table, steps, error_text)
    title("\nImpressions until the error stays below", "median of the runs")
    _show_table(table, {f"{limit:.0%}": limit for limit in LIMITS}, until_text)
    if tied or unsure:
        screen.print(
            f"\n[dim]left out because of a tie in the matrix: {counted(tied, 'pair')}; order uncertain in "
            f"the matrix (interval contains 1/2): {counted(unsure, 'pair')}[/]"
        )


def error_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for every method and number of impressions that is printed."""
    return [
        {"method": name, "impressions": step} | dict(zip(("e_bin", "standard_error"), error_at(runs, step)))
        for name, runs in table.groupby("policy", sort=False)
        for step in decades(int(table["step"].max()))
    ]


def as_data(table: pd.DataFrame, folder: Path) -> dict[str, Any]:
    """Return the values of both tables and the folder of the records, for JSON."""
    until = [
        {"method": name, "limit": limit, "impressions": impressions_until(runs, limit)}
        for name, runs in table.groupby("policy", sort=False)
        for limit in LIMITS
    ]
    return {"records": str(folder), "errors": error_rows(table), "until": until}


def _show_table(table: pd.DataFrame, columns: Mapping[str, Any], text: Callable[..., str]) -> None:
    """Print a row per method with `text(runs, value)` for every value of `columns`, by heading."""
    shown = plain_table()
    shown.add_column("method", header_style="dim", style="cyan", overflow="fold")
    for heading in columns:
        shown.add_column(heading, header_style="dim", justify="right", no_wrap=True)
    for name, runs in table.groupby("policy", sort=False):
        shown.add_row(escape(str(name)), *(text(runs, value) for value in columns.values()))
    screen.print(shown)
