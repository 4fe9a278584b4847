"""`rankduel run`: policies on a problem, a matrix or live duels on judged data."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

import rankduel
from rankduel.base.errors import UsageError
from rankduel.cli import completion
from rankduel.cli.console import command_typed, notices, print_table, runs_progress, screen, show_next
from rankduel.cli.endings import keeping
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
    with_options,
)


@with_options(DataOptions, "data_options")
@with_options(DuelOptions, "duel_options")
@with_options(RunOptions, "options")
def run(
    problem: Annotated[
        list[str],
        typer.Argument(
            help="A built-in matrix by name, a matrix file, or with --live files of judged data.",
            autocompletion=completion.problems,
        ),
    ],
    policy: Policies,
    live: Annotated[bool, typer.Option("--live", help="Duels are pages, clicks and credit on data.")] = False,
    matrix: Matrix = None,
    regret: Regret = "",
    feedback_every: Every = 1,
    delay: Delay = 0,
    multileave: Multileave = "sosm",
    *,
    measure: Measure = "page",
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    options: RunOptions,
    duel_options: DuelOptions,
    data_options: DataOptions,
) -> None:
    """Play policies against a matrix of preferences, or live on judged data, and compare their regret.

    [dim]Example:[/] rankduel run arxiv6 --policy rucb --policy dts --horizon 1e6 --runs 20
    """
    from experiments.runs.records import MATRIX, read_settings
    from experiments.specs import parse_policy
    from experiments.winners.verdict import who_won
    from rankduel.cli.shown.runs import policy_rows, show_runs
    from rankduel.cli.shown.verdict import show_verdict

    policies = [parse_policy(text, trust=True) for text in policy]
    folder = options.run_set(problem[0], "live" if live else "")
    if not live and (len(problem) > 1 or matrix is not None):
        raise UsageError("a matrix is a problem of its own; files of judged data are played with --live")
    played = duel_options.open(data_options.read(problem)) if live else rankduel.read_preferences(problem[0])
    n_runs = options.runs * len(policies)
    with keeping(f"finished runs are kept in {folder}"), notices(), runs_progress("runs", n_runs) as progress:
        table = rankduel.run(
            played,
            policies,
            options.horizon,
            options.runs,
            matrix=matrix,
            regret=regret,
            feedback_every=feedback_every,
            delay=delay,
            multileave=multileave,
            measure=measure,
            seed=options.seed,
            checkpoints=options.checkpoints,
            jobs=options.jobs,
            folder=folder,
            repair=options.repair,
            scheduler=options.scheduler,
            command=command_typed(),
            progress=progress.done,
            matrix_progress=progress.build_status,
            watch=progress.watch,
        )
    settings = read_settings(folder)
    verdict = who_won(rankduel.read_preferences(folder / MATRIX))
    everything = {"records": str(folder), "regret": settings["regret"], "verdict": verdict._asdict()}
    rows = partial(policy_rows, table)
    if print_table(as_json, as_csv, rows, lambda: everything | {"policies": rows()}):
        return
    show_verdict(verdict)
    screen.print()
    title = f"{problem[0]}, {settings['rankers']} arms{', live' if live else ''}"
    show_runs(title, settings["regret"], table)
    show_next(folder, options.out)
