"""`rankduel multileave`: error of multileaving by impressions; `rankduel multileavers`: the methods."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

import rankduel
from rankduel.base.text import counted
from rankduel.cli import completion
from rankduel.cli.console import plain_table, print_result, print_table, screen, show_next, title, watching
from rankduel.cli.endings import note_if_stopped
from rankduel.cli.options import (
    AsCsv,
    AsJson,
    DataOptions,
    DuelOptions,
    Jobs,
    Name,
    Out,
    Repair,
    Scheduler,
    Seed,
    number,
    problem_name,
    refuse_jobs,
    run_set_name,
    with_options,
)


@with_options(DataOptions, "data_options")
@with_options(DuelOptions, "duel_options")
def multileave(
    context: typer.Context,
    data: Annotated[list[str], typer.Argument(help="Files of judged data.", autocompletion=completion.files)],
    method: Annotated[
        list[str],
        typer.Option(
            "--method",
            "-m",
            help="Multileaving method of 'rankduel multileavers'; may be repeated.",
            autocompletion=completion.multileavers,
        ),
    ],
    *,
    impressions: Annotated[
        float,
        typer.Option(help="Pages per run.", parser=number, metavar="NUMBER", show_default="1e5"),
    ] = 1e5,
    runs: Annotated[int, typer.Option(help="Runs of each method.", min=1)] = 5,
    seed: Seed = 0,
    matrix: Annotated[
        Path | None,
        typer.Option(
            help="Matrix with the correct order of each pair; by default computed from the data.",
            autocompletion=completion.matrix_files,
        ),
    ] = None,
    out: Out = Path("results"),
    name: Name = "",
    repair: Repair = False,
    jobs: Jobs = -1,
    scheduler: Scheduler = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    duel_options: DuelOptions,
    data_options: DataOptions,
) -> None:
    """Measure after how many pages shared by all rankers every pair is in the right order.

    For comparison, the same number of pages of two random rankers is interleaved.

    [dim]Example:[/] rankduel multileave data.txt --method sosm --method team_draft --impressions 1e5
    """
    refuse_jobs(context, scheduler)
    folder = out / (name or run_set_name(data, "multileave", impressions, seed))
    arena = duel_options.open(data_options.read(data))
    note = note_if_stopped(f"finished runs are kept in {folder}")
    with note, watching("impressions", int(impressions) * runs * (len(method) + 1)) as watch:
        found = rankduel.multileave(
            arena,
            method,
            impressions,
            runs,
            matrix=matrix,
            seed=seed,
            jobs=jobs,
            scheduler=scheduler,
            folder=folder,
            repair=repair,
            watch=watch,
        )
    if print_result(found, as_json, as_csv):
        return
    _show_errors(data[0] if len(data) == 1 else problem_name(data), found)
    show_next(folder, out)


def multileavers(as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """List multileaving methods, which show many rankers on one page, with their settings.

    [dim]Example:[/] rankduel multileavers
    """
    from rankduel.cli.shown import lists as shown

    everything = shown.multileavers_as_data
    if not print_table(as_json, as_csv, lambda: shown.setting_rows(everything()["methods"]), everything):
        shown.show_multileavers()


def _show_errors(source: str, found: rankduel.Multileaving) -> None:
    """Print the error of every method by number of impressions, and when it stays below some limits."""
    from rankduel.cli.preferences import matrix_text, user_text

    reference, pairs = found.reference, found.reference.pairs
    users = user_text(found.settings)
    n_runs = found.table["run"].nunique()
    tied = int((pairs["p"] == 0.5).sum())
    unsure = int(((pairs["lo"] <= 0.5) & (pairs["hi"] >= 0.5)).sum()) - tied
    screen.print(
        f"[bold]{escape(source)}:[/] [dim]{counted(len(reference), 'ranker')}, {escape(users)}, "
        f"{counted(len(pairs) - tied, 'pair')} to order, {counted(n_runs, 'run')} per method; "
        f"reference: matrix {matrix_text(reference)}[/]\n",
    )
    title("Pairs in the wrong order", "E_bin in %, by number of impressions, ± standard error")
    _show_table(found.errors(), lambda row: (f"{row['impressions']:,}", _error_text(row)))
    title("\nImpressions until the error stays below", "median of the runs")
    longest = found.table["step"].max()
    _show_table(found.until(), lambda row: (f"{row['limit']:.0%}", _until_text(row["impressions"], longest)))
    if tied or unsure:
        screen.print(
            f"\n[dim]left out because of a tie in the matrix: {counted(tied, 'pair')}; order uncertain in "
            f"the matrix (interval contains 1/2): {counted(unsure, 'pair')}[/]"
        )


def _error_text(row: Mapping[str, Any]) -> str:
    """Return E_bin in per cent, such as '12.3 ± 0.4'; without the standard error for a single run."""
    error = row["standard_error"]
    return f"{100 * row['e_bin']:.1f}" + ("" if math.isnan(error) else f" ± {100 * error:.1f}")


def _until_text(impressions: float, longest: int) -> str:
    """Return '1,259', or '> 100,000' if the error of most runs does not stay below the limit."""
    return f"{impressions:,.0f}" if math.isfinite(impressions) else f"> {longest:,}"


def _show_table(
    rows: Iterable[Mapping[str, Any]], cell: Callable[[Mapping[str, Any]], tuple[str, str]]
) -> None:
    """Print a row per method; `cell` returns the heading of a row's column, and its text."""
    methods: dict[str, dict[str, str]] = {}
    for row in rows:
        heading, text = cell(row)
        methods.setdefault(row["method"], {})[heading] = text
    shown = plain_table()
    shown.add_column("method", header_style="dim", style="cyan", overflow="fold")
    for heading in next(iter(methods.values())):
        shown.add_column(heading, header_style="dim", justify="right", no_wrap=True)
    for name, texts in methods.items():
        shown.add_row(escape(name), *texts.values())
    screen.print(shown)
