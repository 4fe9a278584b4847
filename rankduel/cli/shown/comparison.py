"""What `rankduel compare` prints of live and proxy runs."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table

from experiments.runs.compare import Comparison
from rankduel.cli.console import screen


def as_data(found: Comparison) -> dict[str, Any]:
    """Everything on the page, and the curves."""
    return found._asdict()


def show_comparison(found: Comparison) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("policy", header_style="dim", style="cyan", overflow="fold")
    for heading in ("live", "proxy", "difference", "95 % interval", "p", "faster"):
        table.add_column(heading, header_style="dim", justify="right", no_wrap=True)
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
    screen.print(table)
    screen.print(f"\n{escape(found.verdict)}")
    screen.print(
        "[dim]p: the smaller p-value of a test of equal means and one of equal laws; faster: time of a live "
        "run over that of a proxy run[/]"
    )
