"""What commands print of several kinds of duels, one row after another in one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd
from rich.markup import escape
from rich.table import Table

import rankduel
from experiments.matrix.preferences import Preferences
from experiments.runs.compare import Comparison
from experiments.statistics import standard_error
from rankduel.cli.console import screen

_TEXTS = ("interleave", "clicks", "Condorcet", "duels", "policy")  # columns that are no numbers


def show_matrices(found: Mapping[Path, Preferences]) -> None:
    """A row a matrix: its duels, Condorcet winner and undecided pairs."""
    rows = []
    for made in found.values():
        undecided = ((made.pairs["lo"] <= 0.5) & (made.pairs["hi"] >= 0.5)).sum()
        winner = ", ".join(rankduel.winners(made).sets["condorcet"]) or "none"
        method = str(made.settings.get("interleave", made.settings.get("multileave")))
        rows.append([method, str(made.settings["clicks"]), winner, f"{undecided:,}"])
    screen.print()
    _show(["interleave", "clicks", "Condorcet", "undecided"], rows)


def show_runs(title: str, found: Mapping[str, pd.DataFrame]) -> None:
    """A row for every policy of every kind of duels: its regret at the end, and how often it was right."""
    rows = []
    for label, table in found.items():
        final = table[table["step"] == table["step"].max()]
        for policy, runs in final.groupby("policy", sort=False):
            error = f"{standard_error(runs['regret'].to_numpy()):,.1f}" if len(runs) > 1 else ""
            right = f"{runs['correct'].mean():.0%}"
            rows.append([label, str(policy), f"{runs['regret'].mean():,.1f}", error, right])
    last = next(iter(found.values()))
    screen.print(
        f"[bold]{escape(title)}[/] [dim]after {last['step'].max():,} duels, {last['run'].nunique()} runs[/]\n"
    )
    _show(["duels", "policy", "regret", "± s.e.", "right"], rows)


def show_comparisons(found: Mapping[str, Comparison]) -> None:
    """A row for every policy of every kind of duels: its regret live and by proxy."""
    rows = [
        [
            label,
            str(row["policy"]),
            f"{row['live']:,.0f}",
            f"{row['proxy']:,.0f}",
            f"{row['difference']:+,.0f}",
            f"{min(row['p_mean'], row['p_law']):.2g}",
        ]
        for label, comparison in found.items()
        for row in comparison.final.to_dict("records")
    ]
    _show(["duels", "policy", "live", "proxy", "difference", "p"], rows)
    for label, comparison in found.items():
        screen.print(f"\n{escape(label)}: {escape(comparison.verdict)}")


def _show(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in headings:
        is_text = heading in _TEXTS
        table.add_column(heading, header_style="dim", justify="left" if is_text else "right", overflow="fold")
    for row in rows:
        table.add_row(*(escape(text) for text in row))
    screen.print(table)
