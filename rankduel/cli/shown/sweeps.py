"""Print the results of several kinds of duels, from repeated --interleave or --clicks, in one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd
from rich.markup import escape

import rankduel
from rankduel.cli.console import plain_table, screen
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.runs.compare import Comparison
from rankduel.experiments.statistics import standard_error

_TEXTS = ("interleaving", "user", "Condorcet winner", "duels", "policy")  # columns of text


def show_matrices(found: Mapping[Path, Preferences]) -> None:
    """Print a row per matrix: its duels, Condorcet winner and number of undecided pairs."""
    rows = []
    for made in found.values():
        undecided = ((made.pairs["lo"] <= 0.5) & (made.pairs["hi"] >= 0.5)).sum()
        winner = ", ".join(rankduel.winners(made).sets["condorcet"]) or "none"
        method = str(made.settings.get("interleave", made.settings.get("multileave")))
        rows.append([method, str(made.settings["clicks"]), winner, f"{undecided:,}"])
    screen.print()
    _show(["interleaving", "user", "Condorcet winner", "undecided pairs"], rows)


def show_runs(title: str, found: Mapping[str, pd.DataFrame]) -> None:
    """Print a row per kind of duels and policy: final regret, and the share of runs that are correct."""
    rows = []
    for label, table in found.items():
        final = table[table["step"] == table["step"].max()]
        for policy, runs in final.groupby("policy", sort=False):
            error = f"{standard_error(runs['regret'].to_numpy()):,.1f}" if len(runs) > 1 else ""
            correct = f"{runs['correct'].mean():.0%}"
            rows.append([label, str(policy), f"{runs['regret'].mean():,.1f}", error, correct])
    last = next(iter(found.values()))
    screen.print(
        f"[bold]{escape(title)}[/] [dim]after {last['step'].max():,} duels, {last['run'].nunique()} runs[/]\n"
    )
    _show(["duels", "policy", "regret", "± s.e.", "correct"], rows)


def show_comparisons(found: Mapping[str, Comparison]) -> None:
    """Print a row per kind of duels and policy: regret of live and of proxy runs."""
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
    _show(["duels", "policy", "live regret", "proxy regret", "difference", "p-value"], rows)
    for label, comparison in found.items():
        screen.print(f"\n{escape(label)}: {escape(comparison.verdict)}")


def _show(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = plain_table()
    for heading in headings:
        is_text = heading in _TEXTS
        table.add_column(heading, header_style="dim", justify="left" if is_text else "right", overflow="fold")
    for row in rows:
        table.add_row(*(escape(text) for text in row))
    screen.print(table)
