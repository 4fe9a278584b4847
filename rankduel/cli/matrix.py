"""`rankduel matrix`: preference matrices from judged data, and what they look like."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.markup import escape
from typer.core import TyperGroup

import rankduel
from rankduel.base.errors import DataError, UsageError
from rankduel.cli.console import file_size, runs_progress, screen, title
from rankduel.cli.endings import keeping
from rankduel.cli.options import DataOptions, DuelOptions, Files, Force, number, with_options
from rankduel.cli.winners import Chosen

if TYPE_CHECKING:
    from experiments.arena import Arena
    from experiments.matrix.preferences import Preferences
    from rankduel.api.matrices import Prior

_ENDINGS = (".parquet", ".npy", ".txt")


class _BuildUnlessTold(TyperGroup):
    """`rankduel matrix DATA` is short for `rankduel matrix build DATA`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in self.get_help_option_names(ctx):
            args = ["build", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_BuildUnlessTold,
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Preference matrices: who beats whom, how often. 'matrix DATA' is short for 'matrix build DATA'.",
)


@app.command()
@with_options(DuelOptions, "duel_options")
@with_options(DataOptions, "data_options")
def build(
    files: Files,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="NAME.prefs.parquet; or .npy, .txt: probabilities alone.")
    ],
    *,
    duels: Annotated[
        int | None,
        typer.Option(
            help="Drawn pages, ties or duels of a pair that is not exact (20 a query); the most, with "
            "another aim (400,000).",
            show_default=False,
        ),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(help="Go on with a pair until its interval is p ± this.", show_default=False),
    ] = None,
    decide: Annotated[
        float | None,
        typer.Option(
            help="Go on with a pair until its interval excludes 1/2; the chance that any of the intervals "
            "is ever wrong.",
            show_default=False,
        ),
    ] = None,
    simulate: Annotated[bool, typer.Option("--simulate", help="Play live duels: no exact odds.")] = False,
    alpha: Annotated[float, typer.Option(help="The chance that a pair's interval is wrong.")] = 0.05,
    prior: Annotated[str, typer.Option(help="Added to what was drawn: none, lerot.")] = "none",
    multileave: Annotated[
        str | None,
        typer.Option(
            help="Not pair by pair: infer all preferences from pages that all rankers share. 'rankduel "
            "multileavers' lists how.",
            show_default=False,
        ),
    ] = None,
    impressions: Annotated[
        float | None,
        typer.Option(
            help="Pages shown, with --multileave (100,000).",
            show_default=False,
            parser=number,
            metavar="NUMBER",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same bytes.")] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; -1: as many as there are cores.")] = -1,
    force: Force = False,
    data_options: DataOptions,
    duel_options: DuelOptions,
) -> None:
    """For every pair of rankers, how often one beats the other: exactly where that is possible.

    If it is stopped, the same command goes on from there.

    [dim]Example:[/] rankduel matrix train.txt -o train.prefs.parquet --interleave team_draft
    """
    from experiments.matrix.shared_pages import checked_impressions
    from rankduel.api.matrices import USUAL_IMPRESSIONS

    _check_output(output, force)
    if multileave is not None:
        _refuse_duel_options(duel_options, multileave)
    started = time.perf_counter()
    arena = duel_options.open(data_options.read(files))
    pages = USUAL_IMPRESSIONS if impressions is None else checked_impressions(impressions)
    kept = keeping(f"what was counted up to the last checkpoint is kept beside {output}")
    with kept, runs_progress("impressions", pages) as progress:
        made = rankduel.build_matrix(
            arena,
            duels=duels,
            precision=precision,
            decide=decide,
            simulate=simulate,
            alpha=alpha,
            prior=cast("Prior", prior),  # `build_matrix` refuses other words
            multileave=multileave,
            impressions=impressions,
            output=output,
            seed=seed,
            jobs=jobs,
            progress=progress.build_status,
            page_progress=progress.done,
        )
    _tell(made, arena, output, time.perf_counter() - started)


def _refuse_duel_options(options: DuelOptions, multileave: str) -> None:
    for name in ("interleave", "tied_duels"):
        if getattr(options, name) is not None:
            option = name.replace("_", "-")
            raise UsageError(
                f"--{option} is for pages of two rankers; leave it out, or --multileave {multileave}"
            )


def _check_output(output: Path, force: bool) -> None:
    """Before any work: can the result be written there?"""
    if output.suffix not in _ENDINGS:
        raise DataError(f"{output}: the name must end in .prefs.parquet, or in {' or '.join(_ENDINGS[1:])}")
    if output.is_dir():
        raise DataError(f"{output}: is a folder; choose another name")
    if output.exists() and not force:
        raise DataError(f"{output}: exists already\n  choose another name, or --force to replace it")
    folder = output.absolute().parent
    if not folder.is_dir():
        raise DataError(f"{output}: there is no folder {output.parent} to write to")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise DataError(f"{output}: no permission to write to the folder {folder}")


def _tell(made: Preferences, arena: Arena, output: Path, seconds: float) -> None:
    pairs, shared = made.pairs, made.settings.get("multileave")
    way = f"{arena.interleaving}" if shared is None else f"{made.settings['impressions']:,} pages by {shared}"
    screen.print(
        f"{len(made):,} rankers, {arena.rankings.n_queries:,} queries, {escape(way)}, "
        f"{escape(made.settings['clicks'])}: {len(pairs):,} pairs in {seconds:,.1f} s",
        soft_wrap=True,
    )
    found = [f"{count:,} {method}" for method, count in pairs["method"].value_counts().items()]
    undecided = ((pairs["lo"] <= 0.5) & (pairs["hi"] >= 0.5)).sum()
    half = ((pairs["hi"] - pairs["lo"]) / 2).max()
    within = f", all within ± {half:.2g}" if half else ""
    screen.print(f"{', '.join(found)}{within}; {undecided:,} undecided (1/2 is in the interval)")
    screen.print(f"wrote [bold]{escape(str(output))}[/] ({file_size(output)})", soft_wrap=True)
    screen.print(
        f"next: [bold]rankduel winners {escape(str(output))}[/] or "
        f"[bold]rankduel run {escape(str(output))} --policy merge_dts[/]",
        soft_wrap=True,
    )


@app.command()
def show(
    preferences: Annotated[
        str,
        typer.Argument(help="A built-in matrix by name, or a file: .prefs.parquet, .npy, or rows of text."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also as .png, .svg, .pdf or .html.", show_default=False),
    ] = None,
    rankers: Chosen = "",
) -> None:
    """Draw the matrix: how often the ranker of a row beats that of a column, by Copeland score.

    [dim]Example:[/] rankduel matrix show arxiv6 -o arxiv6.svg
    """
    from rankduel.api.matrices import chosen_preferences
    from rankduel.cli.shown.matrix import draw

    chosen = chosen_preferences(preferences, rankers)
    title(escape(preferences), f"{len(chosen):,} rankers, best first: how often a row beats a column")
    draw(chosen, screen)
    if output is not None:
        # Loading the library of charts takes a second, which the terminal's picture does not need.
        from experiments.report.charts.heatmap import MOST_RANKERS, heatmap
        from experiments.report.files import save_chart

        save_chart(heatmap(chosen), output)
        part = f", the first {MOST_RANKERS} rankers" if len(chosen) > MOST_RANKERS else ""
        screen.print(f"wrote {escape(str(output))} ({file_size(output)}{part})", soft_wrap=True)
