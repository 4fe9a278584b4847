"""`rankduel winners`: who is best, by which notion, how sure that is, and what order is behind it."""

from __future__ import annotations

import json
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from rich.markup import escape

from bandits import PolicyError
from experiments.certainty import certainty
from experiments.list_commands import AsJson
from experiments.preferences import Preferences, read_preferences
from experiments.screen import screen
from experiments.subset_shares import subset_shares
from experiments.transitivity import (
    count_cycles,
    count_ties,
    count_triples,
    total_order,
    transitivity,
    weak_order,
)
from experiments.winners import all_scores, ranker_table, winner_sets
from experiments.winners_page import show_shares, show_winners

Chosen = Annotated[
    str, typer.Option(help="Only these rankers, by name or index, such as '1-5,110'.", show_default=False)
]


def winners(
    preferences: Annotated[
        str,
        typer.Argument(help="A built-in matrix by name, or a file: .prefs.parquet, .npy, or rows of text."),
    ],
    rankers: Chosen = "",
    top: Annotated[int, typer.Option(help="Rankers to list.")] = 10,
    subsets: Annotated[
        bool, typer.Option("--subsets", help="Also: how often do random subsets have a winner, an order?")
    ] = False,
    samples: Annotated[int, typer.Option(help="Subsets of each size to draw for --subsets.")] = 20_000,
    seed: Annotated[int, typer.Option(help="For --subsets: same seed, same numbers.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Who wins: Condorcet, Copeland, Borda, random walk, von Neumann; orders, cycles, transitivity.

    [dim]Example:[/] rankduel winners arxiv6 --subsets
    """
    if top < 1:
        raise PolicyError(f"--top is {top}; expected a whole number from 1")
    chosen = read_preferences(preferences)
    if rankers:
        chosen = chosen.chosen(rankers)
    shares = subset_shares(chosen.matrix, samples=samples, seed=seed) if subsets else None
    if as_json:
        typer.echo(json.dumps(as_data(chosen, shares), indent=1))
        return
    show_winners(preferences, chosen, top)
    if shares is not None:
        show_shares(shares)
    screen.print(f"\nnext: [bold]rankduel matrix show {escape(preferences)}[/]", soft_wrap=True)


def as_data(preferences: Preferences, shares: pd.DataFrame | None = None) -> dict[str, Any]:
    """Everything on the page and more, as plain values."""
    matrix, names = preferences.matrix, preferences.names
    sure, orders, scores = certainty(preferences), transitivity(matrix), all_scores(matrix)
    order, weak = total_order(matrix), weak_order(matrix)
    data = {
        "n_rankers": len(preferences),
        "digest": preferences.digest,
        "settings": dict(preferences.settings),
        "winners": winner_sets(preferences, scores),
        "von_neumann_unique": scores.von_neumann.unique,
        "rankers": ranker_table(preferences, scores).to_dict("records"),
        "tied_pairs": count_ties(matrix),
        "total_order": None if order is None else [names[i] for i in order],
        "weak_order": None if weak is None else [names[i] for i in weak],
        "triples": count_triples(matrix),
        "cycles": count_cycles(matrix),
        "transitivity": orders.checks.to_dict("records"),
        "gamma": _finite(orders.gamma),
        "gamma_best": _finite(orders.gamma_best),
        "undecided_pairs": [[names[i], names[j]] for i, j in sure.undecided],
        "condorcet_certain": sure.condorcet_certain,
        "condorcet_possible": [names[i] for i in sure.condorcet],
        "copeland_certain": sure.copeland_certain,
        "copeland_possible": [names[i] for i in sure.copeland],
        "cycles_certain": sure.cycles,
        "total_order_certain": sure.total_order is not None,
    }
    return data if shares is None else data | {"subsets": shares.to_dict("records")}


def _finite(value: float) -> float | str | None:
    """For JSON, which has neither NaN nor infinity."""
    if np.isnan(value):
        return None
    return "inf" if np.isinf(value) else float(value)
