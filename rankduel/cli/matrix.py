"""`rankduel matrix`: preference matrices from judged data, and what they look like."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

import rankduel
from rankduel.base.errors import DataError
from rankduel.base.text import counted
from rankduel.cli import completion
from rankduel.cli.console import file_size, print_result, screen, show_sweep, title, watching
from rankduel.cli.endings import note_if_stopped
from rankduel.cli.options import (
    AsCsv,
    AsJson,
    DataOptions,
    DuelOptions,
    Files,
    Force,
    Scheduler,
    number,
    refuse_jobs,
    refuse_typed,
    with_options,
)
from rankduel.cli.preferences import duel_text, methods_text, show_pairs, undecided_text
from rankduel.cli.winners import Chosen

if TYPE_CHECKING:
    import pandas as pd

    from rankduel.experiments.arena import Arena
    from rankduel.experiments.matrix.preferences import Preferences
    from rankduel.letor_data.letor import Letor

_ENDINGS = (".parquet", ".npy", ".txt")
_USUAL_IMPRESSIONS = 100_000


class _BuildUnlessTold(TyperGroup):
    """Insert `build` in front of arguments that name no command: `matrix DATA` means `matrix build DATA`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in self.get_help_option_names(ctx):
            args = ["build", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_BuildUnlessTold,
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Preference matrices: how often each ranker beats each other ranker. 'matrix DATA' is short for "
    "'matrix build DATA'.",
)


@app.command()
@with_options(DuelOptions, "duel_options")
@with_options(DataOptions, "data_options")
def build(
    context: typer.Context,
    files: Files,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="NAME.prefs.parquet, or .npy or .txt for the matrix alone.")
    ],
    *,
    duels: Annotated[
        int | None,
        typer.Option(
            help="Simulated pages or duels per pair that is not exact (20 per query); with --precision or "
            "--decide the maximum (400,000).",
            show_default=False,
        ),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            help="Simulate a pair until its interval is at most p ± this value.", show_default=False
        ),
    ] = None,
    decide: Annotated[
        float | None,
        typer.Option(
            help="Simulate a pair until its interval excludes 1/2. The value is the probability that any "
            "interval is wrong at any time, such as 0.05.",
            show_default=False,
        ),
    ] = None,
    simulate: Annotated[bool, typer.Option("--simulate", help="Estimate every pair from duels.")] = False,
    alpha: Annotated[float, typer.Option(help="1 minus the confidence level of an interval.")] = 0.05,
    prior: Annotated[
        str,
        typer.Option(
            help="Wins added to estimated pairs: none, lerot. With lerot, one for each ranker.",
            autocompletion=completion.one_of(*completion.PRIORS),
        ),
    ] = "none",
    multileave: Annotated[
        str | None,
        typer.Option(
            help="Estimate all pairs from pages that all rankers share, by a method of 'rankduel "
            "multileavers'.",
            autocompletion=completion.multileavers,
            show_default=False,
        ),
    ] = None,
    impressions: Annotated[
        float | None,
        typer.Option(
            help="Number of pages with --multileave (100,000).",
            show_default=False,
            parser=number,
            metavar="NUMBER",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all random numbers; equal seeds, equal files.")] = 0,
    jobs: Annotated[int, typer.Option(help="Number of threads; -1 uses all cores.")] = -1,
    scheduler: Scheduler = None,
    force: Force = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    data_options: DataOptions,
    duel_options: DuelOptions,
) -> None:
    """Compute how often each ranker beats each other ranker; exactly where possible.

    After an interruption, the same command resumes. If --interleave or --clicks is repeated, every
    combination gets a matrix of its own, NAME-METHOD-USER.prefs.parquet.

    [dim]Example:[/] rankduel matrix train.txt -o train.prefs.parquet --interleave team_draft
    """
    outputs = {_labelled(output, label): options for label, options in duel_options.each().items()}
    for file in outputs:
        _check_output(file, force)
    _refuse_unused(context, decide, multileave)
    refuse_jobs(context, scheduler)
    settings = {
        "duels": duels,
        "precision": precision,
        "decide": decide,
        "simulate": simulate,
        "alpha": alpha,
        "prior": prior,
        "multileave": multileave,
        "impressions": impressions,
        "seed": seed,
        "jobs": jobs,
        "scheduler": scheduler,
    }
    found = _build_each(lambda: data_options.read(files), outputs, settings, quiet=as_json or as_csv)
    one = next(iter(found.values())) if len(found) == 1 else _Matrices(found)
    if print_result(one, as_json, as_csv):
        return
    if len(found) > 1:
        _show_matrices(found)


def _refuse_unused(context: typer.Context, decide: float | None, multileave: str | None) -> None:
    """Raise an error, before any work, for options that the matrix would not use."""
    if decide is not None:
        why = "is for intervals of single pairs, and --decide for all pairs together: leave one out"
        refuse_typed(context, ["alpha"], why)
    if multileave is not None:
        why = f"is for pages of two rankers: leave out it or --multileave {multileave}"
        refuse_typed(context, ["interleave", "tied_duels"], why)
    else:
        why = "is for live runs and for --multileave; here all queries have equal weight: leave it out"
        refuse_typed(context, ["queries"], why)


def _build_each(
    read: Callable[[], Letor],
    outputs: Mapping[Path, DuelOptions],
    settings: Mapping[str, Any],
    *,
    quiet: bool,
) -> dict[Path, Preferences]:
    """Read the data and write a matrix to every output; print each of them unless `quiet`."""
    started = time.perf_counter()
    pages = int(settings["impressions"] or _USUAL_IMPRESSIONS)
    found = {}
    for file, arena in _arenas(read(), outputs):
        note = note_if_stopped(f"what was counted up to the last checkpoint is kept beside {file}")
        with note, watching("impressions", pages) as watch:
            found[file] = rankduel.build_matrix(arena, output=file, watch=watch, **settings)
        if not quiet:
            _show_built(found[file], arena.rankings.n_queries, file, time.perf_counter() - started)
        started = time.perf_counter()
    return found


def _arenas(letor: Letor, outputs: Mapping[Path, DuelOptions]) -> Iterator[tuple[Path, Arena]]:
    """Yield the arena of every output; the features are released after the last, as they take much memory."""
    *earlier, last = outputs.items()
    for file, options in earlier:
        yield file, options.open(letor)
    arena = last[1].open(letor)
    del letor
    yield last[0], arena


class _Matrices:
    """Several matrices by file, as one result."""

    def __init__(self, found: Mapping[Path, Preferences]) -> None:
        self.found = found

    def to_pandas(self) -> pd.DataFrame:
        """Return the pairs of all matrices, with their files."""
        import pandas as pd

        parts = [made.to_pandas().assign(file=str(file)) for file, made in self.found.items()]
        table = pd.concat(parts, ignore_index=True)
        return table[["file", *table.columns.drop("file")]]

    def to_dict(self) -> dict[str, Any]:
        return {str(file): made.to_dict() for file, made in self.found.items()}


def _show_matrices(found: Mapping[Path, Preferences]) -> None:
    """Print a row per matrix: its duels, Condorcet winner and number of undecided pairs."""
    rows = []
    for made in found.values():
        undecided = ((made.pairs["lo"] <= 0.5) & (made.pairs["hi"] >= 0.5)).sum()
        winner = ", ".join(rankduel.winners(made).sets["condorcet"]) or "none"
        method = str(made.settings.get("interleave", made.settings.get("multileave")))
        rows.append([method, str(made.settings["clicks"]), winner, f"{undecided:,}"])
    screen.print()
    show_sweep(["interleaving", "user", "Condorcet winner", "undecided pairs"], rows)


def _labelled(output: Path, label: str) -> Path:
    """Return the file of one kind of duels among several: NAME-LABEL.prefs.parquet."""
    ending = next(
        (ending for ending in (".prefs.parquet", output.suffix) if output.name.endswith(ending)), ""
    )
    stem = output.name.removesuffix(ending)
    return output.with_name(f"{stem}-{label}{ending}") if label else output


def _check_output(output: Path, force: bool) -> None:
    """Raise an error, before any work, if the output cannot be written."""
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


def _show_built(made: Preferences, n_queries: int, output: Path, seconds: float) -> None:
    """Print what a matrix was made from, how well its pairs are known, its file and the next commands."""
    n_pairs = counted(len(made.pairs), "pair")
    screen.print(
        f"{counted(len(made), 'ranker')}, {counted(n_queries, 'query')}: {n_pairs} in {seconds:,.1f} s"
    )
    screen.print(f"{escape(duel_text(made.settings))}: {methods_text(made)}")
    screen.print(undecided_text(made.pairs))
    show_pairs(made)
    path = escape(str(output))
    screen.print(f"wrote [bold]{path}[/] ({file_size(output)})", soft_wrap=True)
    screen.print(
        f"next: [bold]rankduel winners {path}[/] or [bold]rankduel run {path} --policy merge_dts[/]",
        soft_wrap=True,
    )


@app.command()
def show(
    preferences: Annotated[
        str,
        typer.Argument(
            help="A matrix of 'rankduel matrices', or a file: .prefs.parquet, .npy, or rows of text.",
            autocompletion=completion.matrices,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Also write a chart: .png, .svg, .pdf or .html.", show_default=False
        ),
    ] = None,
    rankers: Chosen = "",
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Draw a matrix: the probability that the row's ranker beats the column's, sorted by Copeland score.

    [dim]Example:[/] rankduel matrix show arxiv6 -o arxiv6.svg
    """
    chosen = rankduel.read_preferences(preferences)
    chosen = chosen.chosen(rankers) if rankers else chosen
    printed = print_result(chosen, as_json, as_csv)
    if not printed:
        from rankduel.cli.drawn_matrix import draw  # imported here: it needs NumPy

        title(
            escape(preferences),
            f"{counted(len(chosen), 'ranker')}, best first; probability that the row beats the column",
        )
        draw(chosen, screen)
        show_pairs(chosen)
    if output is not None:
        # Loading the library of charts takes a second, which the terminal's picture does not need.
        from rankduel.experiments.report.charts.heatmap import MOST_RANKERS, heatmap
        from rankduel.experiments.report.files import save_chart

        save_chart(heatmap(chosen), output)
        part = f", the first {MOST_RANKERS} rankers" if len(chosen) > MOST_RANKERS else ""
        if not printed:
            screen.print(f"wrote {escape(str(output))} ({file_size(output)}{part})", soft_wrap=True)
