"""`rankduel multileave`: error of multileaving by impressions; `rankduel multileavers`: the methods."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import rankduel
from rankduel.cli import completion
from rankduel.cli.console import command_typed, print_table, runs_progress, show_next
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
    refuse_jobs,
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
    from rankduel.cli.shown.multileave import as_data, error_rows, show_errors
    from rankduel.cli.shown.preferences import user_text
    from rankduel.experiments.matrix.preferences import read_preferences
    from rankduel.experiments.matrix.shared_pages import checked_impressions
    from rankduel.experiments.runs.run_folder import MATRIX
    from rankduel.experiments.runs.run_set_names import problem_name, run_set_name
    from rankduel.interleave.multileave import MULTILEAVERS

    refuse_jobs(context, scheduler)
    methods = [MULTILEAVERS.parsed(text) for text in method]
    pages = checked_impressions(impressions)
    folder = out / (name or run_set_name(data, "multileave", pages, seed))
    arena = duel_options.open(data_options.read(data))
    note = note_if_stopped(f"finished runs are kept in {folder}")
    with note, runs_progress("impressions", pages * runs * (len(methods) + 1)) as progress:
        table = rankduel.multileave(
            arena,
            methods,
            pages,
            runs,
            matrix=matrix,
            seed=seed,
            jobs=jobs,
            scheduler=scheduler,
            folder=folder,
            repair=repair,
            command=command_typed(),
            progress=progress.done,
            matrix_progress=progress.build_status,
        )
    if print_table(as_json, as_csv, lambda: error_rows(table), lambda: as_data(table, folder)):
        return
    name_shown = data[0] if len(data) == 1 else problem_name(data)
    show_errors(name_shown, user_text(arena.settings), read_preferences(folder / MATRIX), table)
    show_next(folder, out)


def multileavers(as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """List multileaving methods, which show many rankers on one page, with their settings.

    [dim]Example:[/] rankduel multileavers
    """
    from rankduel.cli.shown import lists as shown

    everything = shown.multileavers_as_data
    if not print_table(as_json, as_csv, lambda: shown.setting_rows(everything()["methods"]), everything):
        shown.show_multileavers()
