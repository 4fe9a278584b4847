"""Print the results of several kinds of duels, from repeated --interleave or --clicks, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import rankduel
from rankduel.cli.console import screen, show_sweep
from rankduel.experiments.matrix.preferences import Preferences


def show_matrices(found: Mapping[Path, Preferences]) -> None:
    """Print a row per matrix: its duels, Condorcet winner and number of undecided pairs."""
    rows = []
    for made in found.values():
        undecided = ((made.pairs["lo"] <= 0.5) & (made.pairs["hi"] >= 0.5)).sum()
        winner = ", ".join(rankduel.winners(made).sets["condorcet"]) or "none"
        method = str(made.settings.get("interleave", made.settings.get("multileave")))
        rows.append([method, str(made.settings["clicks"]), winner, f"{undecided:,}"])
    screen.print()
    show_sweep(["interleaving", "user", "Condorcet winner", "undecided pairs"], rows)
