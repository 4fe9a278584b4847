"""`rankduel run`: run policies on a preference matrix, or live on judged data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import rankduel
from rankduel.base.errors import UsageError
from rankduel.base.settings import Configured
from rankduel.base.text import counted
from rankduel.cli import completion
from rankduel.cli.console import command_typed, notices, print_table, runs_progress, screen, show_next
from rankduel.cli.endings import note_if_stopped
from rankduel.cli.options import (
    AsCsv,
    AsJson,
    DataOptions,
    Delay,
    DuelOptions,
    Every,
    Matrix,
    Measure,
    Multileave,
    Policies,
    Regret,
    RunOptions,
    names_of,
    refuse_jobs,
    refuse_one_matrix,
    refuse_typed,
    with_options,
)

if TYPE_CHECKING:
    import pandas as pd


@with_options(DataOptions, "data_options")
@with_options(DuelOptions, "duel_options")
@with_options(RunOptions, "options")
def run(
    context: typer.Context,
    problem: Annotated[
        list[str],
        typer.Argument(
            help="A matrix of 'rankduel matrices', a matrix file, or with --live files of judged data.",
            autocompletion=completion.problems,
        ),
    ],
    policy: Policies,
    live: Annotated[bool, typer.Option("--live", help="Simulate pages and clicks on judged data.")] = False,
    matrix: Matrix = None,
    regret: Regret = "",
    feedback_every: Every = 1,
    delay: Delay = 0,
    *,
    multileave: Multileave = "sosm",
    measure: Measure = "page",
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    options: RunOptions,
    duel_options: DuelOptions,
    data_options: DataOptions,
) -> None:
    """Run policies on a preference matrix, or live on judged data, and compare their regret.

    If --interleave or --clicks is repeated, every combination gets a folder of records of its own,
    NAME-METHOD-USER.

    [dim]Example:[/] rankduel run arxiv6 --policy rucb --policy dts --horizon 1e6 --runs 20
    """

    from rankduel.experiments.runs.run_set_names import problem_name
    from rankduel.experiments.specs import parse_policy

    policies = [parse_policy(text, trust=True) for text in policy]
    _refuse_unused(context, policies, live, len(problem))
    each = duel_options.each() if live else {"": duel_options}
    refuse_one_matrix(matrix, each)
    read = data_options.read(problem) if live else None
    n_runs = options.runs * len(policies)
    found = {}
    for label, duel in each.items():
        folder = options.run_set(problem, "live" if live else "", label)
        played = rankduel.read_preferences(problem[0]) if read is None else duel.open(read)
        note = note_if_stopped(f"finished runs are kept in {folder}")
        with note, notices(), runs_progress("runs", n_runs) as progress:
            found[label] = rankduel.run(
                played,
                policies,
                matrix=matrix,
                regret=regret,
                feedback_every=feedback_every,
                delay=delay,
                multileave=multileave,
                measure=measure,
                folder=folder,
                command=command_typed(),
                rows="last",
                **options.settings,
                **progress.callbacks,
            )
    name = problem[0] if len(problem) == 1 else problem_name(problem)
    if len(found) > 1:
        _show_sweep(name, found, folder, options.out, as_json=as_json, as_csv=as_csv)
    else:
        _show_one(name, found[label], folder, options.out, as_json=as_json, as_csv=as_csv)


def _show_sweep(
    name: str, found: dict[str, pd.DataFrame], folder: Path, out: Path, *, as_json: bool, as_csv: bool
) -> None:
    """Print the runs of several kinds of duels; `folder` is one of their run sets."""
    from rankduel.cli.shown.runs import policy_rows
    from rankduel.cli.shown.sweeps import show_runs
    from rankduel.experiments.runs.study_file import read_settings

    settings = read_settings(folder)
    rows = [{"duels": label} | row for label, table in found.items() for row in policy_rows(table)]
    everything = {"records": str(out), "regret": settings["regret"], "policies": rows}
    if not print_table(as_json, as_csv, lambda: rows, lambda: everything):
        show_runs(f"{name}: {counted(settings['rankers'], 'arm')}, live duels;", found)
        show_next(out, out)


def _show_one(
    name: str, table: pd.DataFrame, folder: Path, out: Path, *, as_json: bool, as_csv: bool
) -> None:
    """Print the winner of the matrix and the runs of one run set."""
    from rankduel.cli.shown.preferences import duel_text
    from rankduel.cli.shown.runs import policy_rows, show_runs
    from rankduel.cli.shown.verdict import show_verdict
    from rankduel.experiments.runs.run_folder import MATRIX
    from rankduel.experiments.runs.study_file import read_settings
    from rankduel.experiments.winners.verdict import resampled_verdict

    settings = read_settings(folder)
    verdict = resampled_verdict(rankduel.read_preferences(folder / MATRIX))
    rows = policy_rows(table)
    everything = {"records": str(folder), "regret": settings["regret"], "verdict": verdict._asdict()}
    if print_table(as_json, as_csv, lambda: rows, lambda: everything | {"policies": rows}):
        return
    show_verdict(verdict)
    screen.print()
    duels = f", live duels, {duel_text(settings['arena'])}" if settings["mode"] == "live" else ""
    show_runs(f"{name}: {counted(settings['rankers'], 'arm')}{duels};", settings["regret"], table)
    show_next(folder, out)


def _refuse_unused(context: typer.Context, policies: list[Configured], live: bool, n_problems: int) -> None:
    """Raise an error, before any work, for files and options that the runs would not use."""
    refuse_jobs(context, context.params.get("scheduler"))
    if live:
        if not any(policy.thing.sets for policy in policies):
            why = "is for policies that compare sets of rankers, and none of these does: leave it out"
            refuse_typed(context, ["multileave"], why)
        return
    if n_problems > 1:
        raise UsageError(
            f"{n_problems} files are given; expected one matrix, or --live and files of judged data. Run "
            "matrices one at a time"
        )
    live_only = ["matrix", "multileave", "measure", *names_of(DuelOptions, DataOptions)]
    refuse_typed(context, live_only, "is for live duels on judged data: add --live, or leave it out")
