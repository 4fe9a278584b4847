"""`rankduel winners`: who is best, by which notion, how sure that is, and what order is behind it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
import typer
from rich.markup import escape

from bandits import PolicyError
from experiments.certainty import certainty
from experiments.list_commands import AsJson
from experiments.preferences import Preferences, read_preferences
from experiments.screen import file_size, screen
from experiments.subset_shares import subset_shares, usual_sizes
from experiments.transitivity import (
    count_cycles,
    count_ties,
    count_triples,
    total_order,
    transitivity,
    weak_order,
)
from experiments.winner_overlaps import FEWEST, LOSSES, WINNERS, Overlaps, pooled, winner_overlaps
from experiments.winners import all_scores, ranker_table, winner_sets
from experiments.winners_page import show_overlaps, show_shares, show_winners

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
        bool,
        typer.Option(
            "--subsets",
            help="Also: how often do random subsets have a winner, an order, the same winner by two notions?",
        ),
    ] = False,
    samples: Annotated[int, typer.Option(help="Subsets of each size to draw for --subsets.")] = 20_000,
    overlap_samples: Annotated[
        int, typer.Option(help="The same to compare notions of a winner, which takes longer.")
    ] = 100,
    seed: Annotated[int, typer.Option(help="For --subsets: same seed, same numbers.")] = 0,
    figures: Annotated[
        Path | None,
        typer.Option(help="With --subsets: also write charts of all sizes to this folder, as .svg."),
    ] = None,
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
    if figures is not None:
        _check_figures(preferences, chosen, subsets)
    sizes = range(1, len(chosen) + 1) if figures else usual_sizes(len(chosen))
    found = _subsets(chosen.matrix, sizes, samples, overlap_samples, seed) if subsets else None
    paths = _write_figures(found, figures) if found and figures else []
    if as_json:
        typer.echo(json.dumps(as_data(chosen, found), indent=1))
        return
    show_winners(preferences, chosen, top)
    if found is not None:
        show_shares(found.shares[found.shares["size"].isin(usual_sizes(len(chosen)))])
        show_overlaps(found.overlaps, len(chosen))
    for path in paths:
        screen.print(f"wrote {escape(str(path))} ({file_size(path)})", soft_wrap=True)
    screen.print(f"\nnext: [bold]rankduel matrix show {escape(preferences)}[/]", soft_wrap=True)


class Subsets(NamedTuple):
    shares: pd.DataFrame  # of experiments.subset_shares
    overlaps: Overlaps | None  # None: too few rankers


def _subsets(
    matrix: np.ndarray, sizes: Sequence[int], samples: int, overlap_samples: int, seed: int
) -> Subsets:
    shares = subset_shares(matrix, sizes, samples, seed)
    enough = len(matrix) >= FEWEST
    return Subsets(shares, winner_overlaps(matrix, None, overlap_samples, seed) if enough else None)


def _check_figures(name: str, preferences: Preferences, subsets: bool) -> None:
    """Before any work."""
    if not subsets:
        raise PolicyError("--figures draws what --subsets finds: add --subsets, or leave --figures out")
    if len(preferences) < FEWEST:
        raise PolicyError(
            f"{name}: {len(preferences)} rankers; --figures draws subsets of 3 up to all but one of them: "
            f"expected at least {FEWEST} rankers; leave --figures out"
        )


def _write_figures(found: Subsets, folder: Path) -> list[Path]:
    """Zoghi 2017: Figure 7.1, the shares by size; Figure 7.2, Copeland winners and their losses."""
    # Loading the library of charts takes a second, which the terminal does not need.
    from experiments.charts import save_chart
    from experiments.point_charts import bubble_chart, line_chart

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
    """As line_chart wants them, with bars of one standard error."""
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


def as_data(preferences: Preferences, found: Subsets | None = None) -> dict[str, Any]:
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
    if found is None:
        return data
    return data | {
        "subsets": found.shares.to_dict("records"),
        "overlaps": None if found.overlaps is None else _overlaps_as_data(found.overlaps),
    }


def _overlaps_as_data(overlaps: Overlaps) -> dict[str, Any]:
    """By size, and over all sizes with equal weight."""
    return {
        name: {"pooled": pooled(table).to_dict("records"), "by_size": table.to_dict("records")}
        for name, table in overlaps._asdict().items()
    }


def _finite(value: float) -> float | str | None:
    """For JSON, which has neither NaN nor infinity."""
    if np.isnan(value):
        return None
    return "inf" if np.isinf(value) else float(value)
