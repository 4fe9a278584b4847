"""Print the winner of a matrix with its confidence, and the pairs of a small matrix."""

from __future__ import annotations

from rich.markup import escape

from rankduel.cli.console import plain_table, screen, title
from rankduel.experiments.matrix.preferences import Preferences

_FEW = 5  # largest number of rankers whose pairs are listed


def show_pairs(preferences: Preferences) -> None:
    """Print win, tie and loss of every pair, if the rankers are few and these numbers are known."""
    pairs = preferences.pairs[preferences.pairs["n"] > 0]
    if len(preferences) > _FEW or pairs.empty:
        return
    title("\nPairs", "win, tie, loss: shares of n duels, or of n queries if exact")
    table = plain_table()
    for heading in ("first", "second"):
        table.add_column(heading, header_style="dim", style="cyan", overflow="fold")
    for heading in ("win", "tie", "loss", "n", "p", "interval"):
        table.add_column(heading, header_style="dim", justify="right", no_wrap=True)
    for row in pairs.to_dict("records"):
        shares = (f"{row[name] / row['n']:.2%}" for name in ("wins", "ties", "losses"))
        interval = row["method"] if row["lo"] == row["hi"] else f"{row['lo']:.4f} to {row['hi']:.4f}"
        names = (escape(row["first"]), escape(row["second"]))
        table.add_row(*names, *shares, f"{row['n']:,}", f"{row['p']:.4f}", interval)
    screen.print(table)
