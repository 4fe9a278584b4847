"""`rankduel winners`: winners of a matrix by several notions, and how certain they are."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

import rankduel
from rankduel.base.errors import UsageError
from rankduel.base.text import counted
from rankduel.cli import completion
from rankduel.cli.console import file_size, print_table, screen
from rankduel.cli.options import AsCsv, AsJson, Scheduler, Seed, number, refuse_typed

if TYPE_CHECKING:
    from rankduel.experiments.matrix.preferences import Preferences

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
    from rankduel.api.matrices import chosen_preferences
    from rankduel.cli.shown import winners as shown
    from rankduel.experiments.winners.resampling import resampled_winners
    from rankduel.experiments.winners.subsets import usual_sizes

    if not subsets:
        why = "is for subsets of the rankers: add --subsets, or leave it out"
        refuse_typed(context, ["samples", "overlap_samples", "scheduler"], why)
    if bounds is None:
        refuse_typed(context, ["alpha"], "is for bounds on the regret: add --bounds, or leave it out")
    if as_json:
        refuse_typed(context, ["top"], "is for the table, and --json has all rankers: leave it out")
    if top < 1:
        raise UsageError(f"--top is {top}; expected a whole number from 1")
    chosen = chosen_preferences(preferences, rankers)
    if figures is not None:
        _check_figures(preferences, chosen, subsets)
    sizes = range(1, len(chosen) + 1) if figures else usual_sizes(len(chosen))
    limits = None if bounds is None else rankduel.regret_bounds(chosen, bounds, alpha=alpha)
    drawn = resampled_winners(chosen, resamples, seed)
    found = None
    if subsets:
        found = rankduel.winner_subsets(
            chosen,
            sizes=sizes,
            samples=samples,
            overlap_samples=overlap_samples,
            seed=seed,
            scheduler=scheduler,
        )
    paths = shown.write_figures(found, figures) if found and figures else []

    def everything() -> dict[str, Any]:
        return shown.as_data(chosen, drawn, found, limits)

    if print_table(as_json, as_csv, lambda: shown.ranker_rows(chosen, drawn), everything):
        return
    shown.show_winners(preferences, chosen, top, drawn)
    if limits is not None and bounds is not None:
        shown.show_bounds(limits, bounds, alpha)
    if found is not None:
        shown.show_shares(found.shares[found.shares["size"].isin(usual_sizes(len(chosen)))])
        shown.show_overlaps(found.overlaps, len(chosen))
    for path in paths:
        screen.print(f"wrote {escape(str(path))} ({file_size(path)})", soft_wrap=True)
    screen.print(f"\nnext: [bold]rankduel matrix show {escape(shlex.quote(preferences))}[/]", soft_wrap=True)


def _check_figures(name: str, preferences: Preferences, subsets: bool) -> None:
    """Raise an error, before any work, if --figures has no subsets to draw."""
    from rankduel.experiments.winners.overlaps import FEWEST

    if not subsets:
        raise UsageError("--figures draws the results of --subsets: add --subsets, or leave --figures out")
    if len(preferences) < FEWEST:
        raise UsageError(
            f"{name}: {counted(len(preferences), 'ranker')}; --figures draws subsets of 3 up to all but "
            f"one of them: expected at least {FEWEST} rankers; leave --figures out"
        )
