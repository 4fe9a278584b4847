"""What `rankduel multileave` prints of its runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from rich.markup import escape
from rich.table import Table

from experiments.matrix.preferences import Preferences
from experiments.runs.multileave_error import (
    LIMITS,
    decades,
    error_at,
    error_text,
    impressions_until,
    until_text,
)
from experiments.runs.problem import how_known
from rankduel.base.text import counted
from rankduel.cli.console import screen, title


def show_errors(source: str, users: str, reference: Preferences, table: pd.DataFrame) -> None:
    pairs, last = reference.pairs, int(table["step"].max())
    tied = int((pairs["p"] == 0.5).sum())
    unsure = int(((pairs["lo"] <= 0.5) & (pairs["hi"] >= 0.5)).sum()) - tied
    screen.print(
        f"[bold]{escape(source)}[/] [dim]{counted(len(reference), 'ranker')}, {escape(users)}, "
        f"{counted(len(pairs) - tied, 'pair')} to order, matrix {escape(how_known(reference))}, "
        f"{counted(table['run'].nunique(), 'run')}[/]\n",
    )
    steps = {f"{step:,}": step for step in decades(last)}
    title("Pairs in the wrong order", "E_bin in % after so many impressions, ± standard error")
    _show_table(table, steps, error_text)
    title("\nImpressions until it stays below", "median of the runs")
    _show_table(table, {f"{limit:.0%}": limit for limit in LIMITS}, until_text)
    if tied or unsure:
        screen.print(
            f"\n[dim]left out, as they tie in the matrix: {counted(tied, 'pair')}; with 1/2 in the interval, "
            f"so that their order in the matrix may be wrong itself: {counted(unsure, 'pair')}[/]"
        )


def error_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for every method and number of impressions that is printed."""
    return [
        {"method": name, "impressions": step} | dict(zip(("e_bin", "standard_error"), error_at(runs, step)))
        for name, runs in table.groupby("policy", sort=False)
        for step in decades(int(table["step"].max()))
    ]


def as_data(table: pd.DataFrame, folder: Path) -> dict[str, Any]:
    """Return both tables of the page, and where the records are."""
    until = [
        {"method": name, "limit": limit, "impressions": impressions_until(runs, limit)}
        for name, runs in table.groupby("policy", sort=False)
        for limit in LIMITS
    ]
    return {"records": str(folder), "errors": error_rows(table), "until": until}


def _show_table(table: pd.DataFrame, columns: Mapping[str, Any], text: Callable[..., str]) -> None:
    """A row per method: text(its runs, value) for each of the columns, heading -> value."""
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    shown.add_column("method", header_style="dim", style="cyan", overflow="fold")
    for heading in columns:
        shown.add_column(heading, header_style="dim", justify="right", no_wrap=True)
    for name, runs in table.groupby("policy", sort=False):
        shown.add_row(escape(str(name)), *(text(runs, value) for value in columns.values()))
    screen.print(shown)
