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
from experiments.multileave_command import impressions_in
from experiments.multileaved import write_inferred
from experiments.preferences import Preferences
from experiments.screen import count_progress, file_size, screen
from experiments.specs import parse_multileaving
from interleave.multileave import Multileaving
from letor_data import DataError

USUAL_IMPRESSIONS = "1e5"
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
    multileave: Annotated[
        str | None,
        typer.Option(
            help="Not pair by pair: infer all preferences from pages that all rankers share. 'rankduel "
            "multileavers' lists how.",
            show_default=False,
        ),
    ] = None,
    impressions: Annotated[
        str | None,
        typer.Option(help=f"Pages shown, with --multileave ({USUAL_IMPRESSIONS}).", show_default=False),
    ] = None,
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
    pairwise = {
        "duels": duels,
        "precision": precision,
        "decide": decide,
        "simulate": simulate,
        "prior": prior,
    }
    way = _multileaving(multileave, impressions, pairwise | arena)
    started, ring = time.perf_counter(), open_arena(load(files, how), **arena)
    common = {"alpha": alpha, "seed": seed, "jobs": jobs}
    if way is not None:
        made = _infer(ring, way, output, impressions_in(impressions or USUAL_IMPRESSIONS), common)
    else:
        with matrix_progress() as progress:
            made = write_matrix(ring, output, **pairwise, **common, progress=progress)
    _tell(made, ring, output, time.perf_counter() - started)


def _infer(ring: Arena, way: Multileaving, output: Path, pages: int, common: dict[str, Any]) -> Preferences:
    with count_progress("impressions", pages) as done:
        return write_inferred(ring, way, output, impressions=pages, **common, done=done)


def _multileaving(text: str | None, impressions: str | None, given: dict[str, Any]) -> Multileaving | None:
    """The method, if pages are to be shared; an error for options that would do nothing."""
    if text is None:
        if impressions is not None:
            raise DataError(
                "--impressions counts pages that all rankers share; add --multileave, or use --duels"
            )
        return None
    for option in ("duels", "precision", "decide", "simulate", "prior", "interleave", "tied_duels"):
        if given[option] not in (None, False, PRIORS[0]):
            name = option.replace("_", "-")
            raise DataError(f"--{name} is for pages of two rankers; leave it out, or --multileave {text}")
    return parse_multileaving(text)


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
