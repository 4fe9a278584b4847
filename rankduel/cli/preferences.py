"""Print what several commands say about a matrix: its duels, how its pairs are known, and its winner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from rankduel.base.text import counted
from rankduel.cli.console import plain_table, screen, title

if TYPE_CHECKING:
    import pandas as pd

    from rankduel.experiments.matrix.preferences import Preferences

_FEW = 5  # largest number of rankers whose pairs are listed
_METHODS = {
    "exact": "exact",
    "rao-blackwell": "estimated from simulated pages",
    "simulated": "estimated from simulated duels",
    "multileaved": "estimated from pages that all rankers share",
    "given": "given without an interval",
}


def duel_text(settings: Mapping[str, Any]) -> str:
    """Return the interleaving method and the user of an arena's or a matrix's settings."""
    if "impressions" in settings:  # a matrix made from shared pages
        method = f"{counted(settings['impressions'], 'page')} of {settings['multileave']}"
    else:
        method = str(settings["interleave"])
    return f"{method}, {user_text(settings)}"


def user_text(settings: Mapping[str, Any]) -> str:
    return f"{settings['clicks']} user"


def methods_text(preferences: Preferences) -> str:
    """Return how many pairs are exact or estimated, and the largest half-width of an interval."""
    counts = preferences.pairs["method"].value_counts()
    found = [f"{counted(n, 'pair')} {_METHODS[str(method)]}" for method, n in counts.items()]
    half_width = _largest_half_width(preferences.pairs)
    within = f" ({_interval_name(preferences.settings)}: at most ± {half_width:.2g})" if half_width else ""
    return ", ".join(found) + within


def matrix_text(preferences: Preferences) -> str:
    """Return 'exact', 'given' or 'estimated' with the largest half-width of an interval."""
    methods = set(preferences.pairs["method"])
    if methods <= {"exact"}:
        return "exact"
    if "given" in methods:
        return "given"
    return f"estimated, intervals of at most ± {_largest_half_width(preferences.pairs):.2g}"


def undecided_text(pairs: pd.DataFrame) -> str:
    """Return how many pairs have an interval that contains 1/2, and how many tie exactly."""
    ties = int(((pairs["lo"] == 0.5) & (pairs["hi"] == 0.5)).sum())
    undecided = int(((pairs["lo"] <= 0.5) & (pairs["hi"] >= 0.5)).sum()) - ties
    tied = f"; {counted(ties, 'pair')} with p = 1/2 exactly" if ties else ""
    return f"undecided (interval contains 1/2): {counted(undecided, 'pair')}{tied}"


def _largest_half_width(pairs: pd.DataFrame) -> float:
    return float((pairs["hi"] - pairs["lo"]).max()) / 2


def _interval_name(settings: Mapping[str, Any]) -> str:
    """Return the confidence level of the intervals, where the settings of the matrix state it."""
    if settings.get("decide") is not None:
        return f"intervals that hold together with probability {1 - settings['decide']:g}"
    if settings.get("alpha") is not None:
        return f"{100 * (1 - settings['alpha']):.4g}% interval"
    return "interval"


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
