"""`rankduel compare`: the same policies live and by proxy."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

import rankduel
from rankduel.cli import completion
from rankduel.cli.console import command_typed, notices, print_table, runs_progress, screen, show_next
from rankduel.cli.endings import keeping
from rankduel.cli.options import (
    AsCsv,
    AsJson,
    DataOptions,
    DuelOptions,
    Matrix,
    Measure,
    Policies,
    Regret,
    RunOptions,
    with_options,
)


@with_options(DataOptions, "data_options")
@with_options(DuelOptions, "duel_options")
@with_options(RunOptions, "options", runs=20)
def compare(
    data: Annotated[list[str], typer.Argument(help="Files of judged data.", autocompletion=completion.files)],
    policy: Policies,
    matrix: Matrix = None,
    regret: Regret = "",
    measure: Measure = "page",
    *,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    options: RunOptions,
    duel_options: DuelOptions,
    data_options: DataOptions,
) -> None:
    """Play policies on live duels and on draws from their matrix: does the proxy change any conclusion?

    [dim]Example:[/] rankduel compare data.txt --interleave team_draft --policy rucb --policy merge_dts
    """
    from experiments.runs.problem import how_known
    from experiments.runs.records import MATRIX, read_settings
    from experiments.specs import parse_policy
    from experiments.winners.verdict import who_won
    from rankduel.cli.shown.comparison import as_data, show_comparison
    from rankduel.cli.shown.verdict import show_verdict

    policies = [parse_policy(text, trust=True) for text in policy]
    stem = options.run_set(data[0], "")
    arena = duel_options.open(data_options.read(data))
    kept = keeping(f"finished runs are kept in {stem}-live and {stem}-proxy")
    with kept, notices(), runs_progress("runs", 2 * options.runs * len(policies)) as progress:
        found = rankduel.compare(
            arena,
            policies,
            options.horizon,
            options.runs,
            matrix=matrix,
            regret=regret,
            measure=measure,
            seed=options.seed,
            checkpoints=options.checkpoints,
            jobs=options.jobs,
            folder=stem,
            repair=options.repair,
            scheduler=options.scheduler,
            command=command_typed(),
            progress=progress.done,
            matrix_progress=progress.build_status,
            watch=progress.watch,
        )
    live = stem.with_name(f"{stem.name}-live")
    preferences, notion = rankduel.read_preferences(live / MATRIX), read_settings(live)["regret"]
    verdict = who_won(preferences)
    everything = {"records": str(options.out), "regret": notion, "winner": verdict._asdict()}
    if print_table(as_json, as_csv, lambda: found.final, lambda: everything | as_data(found)):
        return
    show_verdict(verdict)
    screen.print(
        f"\n[bold]{escape(stem.name)}[/] [dim]{len(preferences)} rankers, matrix {how_known(preferences)}; "
        f"{notion.capitalize()} regret after {options.horizon:,.0f} duels, {options.runs} runs each[/]\n"
    )
    show_comparison(found)
    show_next(options.out, options.out)
