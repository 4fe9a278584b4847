"""Charts of the subsets of rankers that `winner_subsets` finds (Zoghi 2017, Figures 7.1 and 7.2)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from rankduel.experiments.report.charts.points import bubble_chart, line_chart
from rankduel.experiments.report.files import save_chart
from rankduel.experiments.winners.overlaps import LOSSES, WINNERS
from rankduel.experiments.winners.random_subsets import Subsets


def write_subset_figures(found: Subsets, folder: Path) -> list[Path]:
    """Draw the shares by size, Copeland winners and their losses (Zoghi 2017, Figures 7.1 and 7.2)."""
    assert found.overlaps is not None
    size, counts = "rankers in the subset", found.overlaps.counts.rename(columns={"size": "x", "count": "y"})
    charts = {"subsets": line_chart(_curves(found.shares), size, "share of subsets")}
    for name, number in (("copeland-winners", WINNERS), ("copeland-losses", LOSSES)):
        title = WINNERS if number == WINNERS else "losses of a Copeland winner"
        charts[name] = bubble_chart(counts[counts["number"] == number], size, title)
    folder.mkdir(parents=True, exist_ok=True)
    for name, chart in charts.items():
        save_chart(chart, folder / f"{name}.svg")
    return [folder / f"{name}.svg" for name in charts]


def _curves(shares: pd.DataFrame) -> pd.DataFrame:
    """Return the shares in the form of `line_chart`, with bars of one standard error."""
    lines = (
        ("Condorcet winner", shares["condorcet"], 0.0),
        ("total order", shares["total_order"], shares["standard_error"]),
    )
    return pd.concat(
        pd.DataFrame(
            {"policy": name, "x": shares["size"], "mean": share, "low": share - error, "high": share + error}
        )
        for name, share, error in lines
    )
