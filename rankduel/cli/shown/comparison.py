"""Print the results of `rankduel compare`: live and proxy runs side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.markup import escape

from rankduel.base.text import counted
from rankduel.cli.console import plain_table, print_fitted, screen, show_legend
from rankduel.cli.shown.preferences import duel_text, matrix_text
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.runs.compare import Comparison

_COLUMNS = {
    "live\nregret": "",
    "proxy\nregret": "",
    "difference": "live minus proxy, with its 95% interval",
    "95% interval": "",
    "p-value": "the smaller one of tests of equal means and equal distributions",
    "speed-up": "time of a live run divided by the time of a proxy run",
}


def as_data(found: Comparison) -> dict[str, Any]:
    """Return all values of a comparison for JSON, with its curves."""
    return found._asdict()


def rows_of(found: Mapping[str, Comparison]) -> list[dict[Any, Any]]:
    """Return a row per policy; with several kinds of duels, also the label of the duels."""
    if len(found) == 1:
        return [row for one in found.values() for row in one.final.to_dict("records")]
    return [{"duels": label} | row for label, one in found.items() for row in one.final.to_dict("records")]


def show_heading(
    name: str, arena: Mapping[str, Any], preferences: Preferences, notion: str, *, horizon: int, runs: int
) -> None:
    """Print the rankers, the duels, the matrix and the regret of the table that follows."""
    screen.print(
        f"\n[bold]{escape(name)}:[/] [dim]{counted(len(preferences), 'ranker')}, "
        f"{escape(duel_text(arena))}, matrix {matrix_text(preferences)}\n"
        f"{notion.capitalize()} regret after {counted(horizon, 'duel')}, "
        f"means of {counted(runs, 'run')}[/]\n"
    )


def show_comparison(found: Comparison) -> None:
    table = plain_table()
    table.add_column("policy", header_style="dim", style="cyan", overflow="fold", vertical="bottom")
    for heading in _COLUMNS:
        table.add_column(heading, header_style="dim", justify="right", no_wrap=True, vertical="bottom")
    for row in found.final.sort_values("proxy").to_dict("records"):
        table.add_row(
            escape(str(row["policy"])),
            f"{row['live']:,.0f}",
            f"{row['proxy']:,.0f}",
            f"{row['difference']:+,.0f}",
            f"{row['lo']:+,.0f} to {row['hi']:+,.0f}",
            f"{min(row['p_mean'], row['p_law']):.2g}",
            f"{row['live_seconds'] / row['proxy_seconds']:.1f}x",
        )
    print_fitted(table)
    show_legend({heading: about for heading, about in _COLUMNS.items() if about})
    screen.print(f"\n{escape(found.verdict)}")
