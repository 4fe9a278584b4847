"""`rankduel winners`: winners of a matrix by several notions, and how certain they are."""

from __future__ import annotations

import math
import shlex
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

import rankduel
from rankduel.base.errors import UsageError
from rankduel.base.text import counted
from rankduel.cli import completion
from rankduel.cli.console import (
    file_size,
    plain_table,
    print_result,
    screen,
    show_legend,
    show_rows,
    show_verdict,
    title,
)
from rankduel.cli.options import AsCsv, AsJson, Scheduler, Seed, number, refuse_typed
from rankduel.cli.preferences import show_pairs

if TYPE_CHECKING:
    import pandas as pd

    from rankduel.experiments.matrix.preferences import Preferences
    from rankduel.experiments.winners.bounds import RegretBounds
    from rankduel.experiments.winners.random_subsets import Subsets
    from rankduel.experiments.winners.resampling import Resampled
    from rankduel.experiments.winners.winners import Winners

_FEWEST = 4  # rankers whose subsets can be drawn
_RANKER_LEGEND = {
    "beats, loses to": "number of other rankers",
    "Borda": "mean probability of beating another ranker",
    "random walk": "share of time in a random walk from losers to winners",
    "von Neumann": "weight in the lottery over rankers that no ranker beats",
    "p against first": "probability of beating the ranker in the first row",
}
_ORDER_LEGEND = {
    "SST, MST, WST": "strong, moderate and weak stochastic transitivity",
    "STI": "stochastic triangle inequality",
    "gamma": "factor of relaxed stochastic transitivity; 1 if SST holds",
}
_BY_NOTION = {
    "condorcet": "Condorcet",
    "copeland": "Copeland",
    "borda": "Borda",
    "random_walk": "random walk",
    "von_neumann": "von Neumann",
}
Chosen = Annotated[
    str, typer.Option(help="Only these rankers, by name or index, such as '1-5,110'.", show_default=False)
]


def winners(
    context: typer.Context,
    preferences: Annotated[
        str,
        typer.Argument(
            help="A matrix of 'rankduel matrices', or a file: .prefs.parquet, .npy, or rows of text.",
            autocompletion=completion.matrices,
        ),
    ],
    *,
    rankers: Chosen = "",
    top: Annotated[int, typer.Option(help="Number of rankers to list.")] = 10,
    subsets: Annotated[
        bool,
        typer.Option(
            "--subsets",
            help="Also show how often subsets of the rankers have a Condorcet winner, a total order, and a "
            "common winner by two notions.",
        ),
    ] = False,
    samples: Annotated[int, typer.Option(help="With --subsets: number of subsets per size.")] = 20_000,
    overlap_samples: Annotated[
        int,
        typer.Option(help="With --subsets: subsets per size for the slower comparison of notions."),
    ] = 100,
    resamples: Annotated[
        int,
        typer.Option(help="Number of bootstrap resamples of the queries."),
    ] = 1000,
    seed: Seed = 0,
    scheduler: Scheduler = None,
    figures: Annotated[
        Path | None,
        typer.Option(help="With --subsets: also write charts of all sizes to this folder, as .svg."),
    ] = None,
    bounds: Annotated[
        float | None,
        typer.Option(
            parser=number, metavar="DUELS", help="Also show published bounds on the regret after DUELS duels."
        ),
    ] = None,
    alpha: Annotated[
        float, typer.Option(help="With --bounds: alpha of the policies; theory requires more than 1/2.")
    ] = 1.01,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Find the Condorcet, Copeland, Borda, random-walk and von Neumann winners of a matrix.

    Also shown: how certain they are, whether the rankers have an order, cycles and transitivity.

    [dim]Example:[/] rankduel winners arxiv6 --subsets
    """
    if not subsets:
        why = "is for subsets of the rankers: add --subsets, or leave it out"
        refuse_typed(context, ["samples", "overlap_samples", "scheduler"], why)
    if bounds is None:
        refuse_typed(context, ["alpha"], "is for bounds on the regret: add --bounds, or leave it out")
    if as_json:
        refuse_typed(context, ["top"], "is for the table, and --json has all rankers: leave it out")
    if top < 1:
        raise UsageError(f"--top is {top}; expected a whole number from 1")
    chosen = rankduel.read_preferences(preferences)
    chosen = chosen.chosen(rankers) if rankers else chosen
    if figures is not None:
        _check_figures(preferences, chosen, subsets)
    found = rankduel.winners(
        chosen,
        resamples=resamples,
        subsets=subsets,
        samples=samples,
        overlap_samples=overlap_samples,
        sizes=range(1, len(chosen) + 1) if figures else None,
        bounds=bounds,
        alpha=alpha,
        seed=seed,
        scheduler=scheduler,
    )
    paths = _write_figures(found.subsets, figures) if found.subsets and figures else []
    if print_result(found, as_json, as_csv):
        return
    _show_winners(preferences, found, top)
    if found.bounds is not None:
        _show_bounds(found.bounds)
    if found.subsets is not None:
        _show_subsets(found.subsets)
    for path in paths:
        screen.print(f"wrote {escape(str(path))} ({file_size(path)})", soft_wrap=True)
    screen.print(f"\nnext: [bold]rankduel matrix show {escape(shlex.quote(preferences))}[/]", soft_wrap=True)


def _check_figures(name: str, preferences: Preferences, subsets: bool) -> None:
    """Raise an error, before any work, if --figures has no subsets to draw."""
    if not subsets:
        raise UsageError("--figures draws the results of --subsets: add --subsets, or leave --figures out")
    if len(preferences) < _FEWEST:
        raise UsageError(
            f"{name}: {counted(len(preferences), 'ranker')}; --figures draws subsets of 3 up to all but "
            f"one of them: expected at least {_FEWEST} rankers; leave --figures out"
        )


def _write_figures(found: Subsets, folder: Path) -> list[Path]:
    # Imported here: the chart library takes a second to load, and the terminal output does not need it.
    from rankduel.experiments.report.subsets import write_subset_figures

    return write_subset_figures(found, folder)


def _show_winners(name: str, found: Winners, top: int) -> None:
    preferences = found.preferences
    title(escape(name), f"rankers: {len(preferences):,}, pairs: {len(preferences.pairs):,}")
    show_verdict(found.verdict)
    screen.print()
    _show_texts(found.statements["winners"])
    if len(preferences) == 1:
        return
    show_pairs(preferences)
    title("\nRankers", _ranking_remark(len(preferences), top))
    screen.print(_ranking(found, top))
    show_legend(_RANKER_LEGEND)
    title("\nMargins", "probability of winning minus 1/2")
    _show_texts(found.statements["margins"])
    title("\nOrder")
    _show_texts(found.statements["order"])
    if len(preferences) > 2:  # transitivity is a property of triples
        show_legend(_ORDER_LEGEND)
    title("\nConfidence for these queries", _level(found))
    _show_texts(found.statements["certainty"])
    _show_resampled(found, top)


def _show_texts(texts: Mapping[str, str]) -> None:
    show_rows({escape(what): escape(text) for what, text in texts.items()})


def _ranking_remark(n_rankers: int, top: int) -> str:
    return "by Copeland score" + (f", first {top} of {n_rankers}" if n_rankers > top else "")


def _show_resampled(found: Winners, top: int) -> None:
    """Print how often each ranker wins if the queries are drawn again; unknown for some matrices."""
    heading = "\nConfidence for similar queries"
    drawn = found.drawn
    if drawn is not None:
        title(heading, f"wins in {drawn.resamples:,} resamples of {drawn.what}")
        screen.print(_resampled(drawn, top))
    elif not (found.preferences.pairs["method"] == "given").any():
        title(heading)
        screen.print("unknown: the matrix was made without values per query")


def _ranking(found: Winners, top: int) -> Table:
    one_lottery = found.scores.von_neumann.unique
    shown = plain_table()
    shown.add_column("ranker", header_style="dim", style="cyan", overflow="fold")
    for heading in ("beats", "loses to", "Borda", "random walk", "von Neumann", "p against first"):
        shown.add_column(heading, header_style="dim", justify="right", no_wrap=True)
    for place, row in enumerate(found.rankers.head(top).to_dict("records")):
        shown.add_row(
            escape(row["ranker"]),
            f"{row['beats']:,}",
            f"{row['loses_to']:,}",
            f"{row['borda']:.4f}",
            f"{row['random_walk']:.4f}",
            f"{row['von_neumann']:.4f}" if one_lottery and row["von_neumann"] else "",
            f"{row['against_first']:.4f}" if place else "",
        )
    return shown


def _resampled(drawn: Resampled, top: int) -> Table:
    """Return a table of the rankers that win most often if the queries are drawn again."""
    shown = plain_table()
    shown.add_column("ranker", header_style="dim", style="cyan", overflow="fold")
    for heading in _BY_NOTION.values():
        shown.add_column(heading, header_style="dim", justify="right", no_wrap=True)
    winning = drawn.shares[(drawn.shares[list(_BY_NOTION)] > 0).any(axis=1)].head(top)
    for row in winning.to_dict("records"):
        shown.add_row(escape(row["ranker"]), *(f"{row[notion]:.1%}" for notion in _BY_NOTION))
    if drawn.without_condorcet:
        shown.add_row("none", f"{drawn.without_condorcet:.1%}")
    return shown


def _show_bounds(bounds: RegretBounds) -> None:
    """Print the bounds of `regret_bounds`."""
    title("\nBounds on the regret", f"{bounds.horizon:,.0f} duels, alpha = {bounds.alpha:g}")
    shown = plain_table()
    for heading in ("policy", "at most", "", "source"):
        shown.add_column(
            heading, header_style="dim", justify="right" if heading == "at most" else "left", no_wrap=True
        )
    table = bounds.to_pandas()
    for row, is_mean in zip(table.to_dict("records"), bounds.in_expectation):
        most = row["why"] or _large_number(row["bound"], row["log10_bound"])
        holds = "expected" if is_mean else "likely"
        shown.add_row(row["policy"], most, holds, row["source"])
    screen.print(shown)
    likely = table.loc[~bounds.in_expectation, "holds"].iloc[0]
    show_legend({"expected": "a bound on the mean over runs", "likely": f"holds {likely}"})


def _large_number(value: float, log10: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else f"10^{log10:,.0f}"


def _level(found: Winners) -> str:
    """Return the confidence level of all intervals together, if it is known."""
    pairs, level = found.joint.preferences.pairs, found.joint.level
    if level is None or not (pairs["lo"] < pairs["hi"]).any():
        return ""
    return f"all intervals hold together with probability {level:g}"


def _show_subsets(found: Subsets) -> None:
    _show_shares(found.usual_shares)
    heading = "\nNotions with a common winner"
    if found.overlaps is None:
        title(heading)
        screen.print(found.remark)
        return
    title(heading, found.remark)
    show_rows(found.statements)


def _show_shares(shares: pd.DataFrame) -> None:
    drawn = shares.loc[~shares["exact"], "subsets"]
    estimated = f"; ~ estimated from {drawn.iloc[0]:,} subsets, ± one standard error" if len(drawn) else ""
    title("\nSubsets of the rankers", f"share of subsets, by their size{estimated}")
    shown = plain_table()
    for heading in ("size", "with a Condorcet winner", "with a total order", ""):
        shown.add_column(
            heading, header_style="dim", justify="left" if not heading else "right", no_wrap=True
        )
    for row in shares.to_dict("records"):
        bar = "█" * round(20 * row["total_order"])
        shown.add_row(f"{row['size']:,}", f"{row['condorcet']:.5f}", _share(row), f"[cyan]{bar}[/]")
    screen.print(shown)


def _share(row: Mapping[Hashable, Any]) -> str:
    share = row["total_order"]
    if row["exact"]:
        return f"{share:.5f}          "
    if share in (0, 1):  # the end of the 95% interval: the rule of three
        return f"~ {'over 1 -' if share else 'under'} {3 / row['subsets']:.1e}"
    return f"~ {share:.5f} ± {row['standard_error']:.5f}"
