"""`rankduel matrix`: preference matrices from judged data, and what they look like."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

from experiments import matrix_show
from experiments.arena import Arena, in_arena, open_arena
from experiments.data_commands import Files, Force
from experiments.data_options import load, reads_data
from experiments.matrix import PRIORS, USUAL_MOST, USUAL_TIMES, write_matrix
from experiments.matrix_progress import matrix_progress
from experiments.preferences import Preferences
from experiments.screen import file_size, screen
from letor_data import DataError

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
app.command("show")(matrix_show.show)


@app.command()
@in_arena
@reads_data
def build(
    files: Files,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="NAME.prefs.parquet; or .npy, .txt: probabilities alone.")
    ],
    duels: Annotated[
        int | None,
        typer.Option(
            help=f"Drawn pages, ties or duels of a pair that is not exact ({USUAL_TIMES} a query); the most, "
            f"with another aim ({USUAL_MOST:,}).",
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
    prior: Annotated[str, typer.Option(help=f"Added to what was drawn: {', '.join(PRIORS)}.")] = "none",
    seed: Annotated[int, typer.Option(help="Same seed, same bytes.")] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; -1: as many as there are cores.")] = -1,
    force: Force = False,
    *,
    how: dict,
    arena: dict,
) -> None:
    """For every pair of rankers, how often one beats the other: exactly where that is possible.

    If it is stopped, the same command goes on from there.

    [dim]Example:[/] rankduel matrix train.txt -o train.prefs.parquet --interleave team_draft
    """
    _check_output(output, force)
    started, ring = time.perf_counter(), open_arena(load(files, how), **arena)
    with matrix_progress() as progress:
        made = write_matrix(
            ring,
            output,
            duels=duels,
            precision=precision,
            decide=decide,
            simulate=simulate,
            alpha=alpha,
            prior=prior,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
    _tell(made, ring, output, time.perf_counter() - started)


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
    pairs = made.pairs
    screen.print(
        f"{len(made):,} rankers, {arena.rankings.n_queries:,} queries, {escape(str(arena.interleaving))}, "
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
