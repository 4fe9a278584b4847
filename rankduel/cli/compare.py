"""`rankduel compare`: the same policies live and by proxy."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

import rankduel
from rankduel.base.text import counted
from rankduel.cli.console import command_typed, notices, runs_progress, screen, show_next
from rankduel.cli.endings import keeping
from rankduel.cli.options import (
    DataOptions,
    DuelOptions,
    Matrix,
    Measure,
    Policies,
    RunOptions,
    refuse_one_matrix,
    with_options,
)


@with_options(DataOptions, "data_options")
@with_options(DuelOptions, "duel_options")
@with_options(RunOptions, "options", runs=20)
def compare(
    data: Annotated[list[str], typer.Argument(help="Files of judged data.")],
    policy: Policies,
    matrix: Matrix = None,
    measure: Measure = "page",
    *,
    options: RunOptions,
    duel_options: DuelOptions,
    data_options: DataOptions,
) -> None:
    """Play policies on live duels and on draws from their matrix: does the proxy change any conclusion?

    [dim]Example:[/] rankduel compare data.txt --interleave team_draft --policy rucb --policy merge_dts
    """
    from experiments.arena import user_text
    from experiments.runs.problem import how_known
    from experiments.runs.records import MATRIX
    from experiments.specs import parse_policy
    from rankduel.cli.shown.comparison import show_comparison
    from rankduel.cli.shown.sweeps import show_comparisons as show_sweep

    policies = [parse_policy(text, trust=True) for text in policy]
    each = duel_options.each()
    refuse_one_matrix(matrix, each)
    letor = data_options.read(data)
    found = {}
    for label, duel in each.items():
        stem = options.run_set(data, "", label)
        arena = duel.open(letor)
        kept = keeping(f"finished runs are kept in {stem}-live and {stem}-proxy")
        with kept, notices(), runs_progress("runs", 2 * options.runs * len(policies)) as progress:
            found[label] = rankduel.compare(
                arena,
                policies,
                options.horizon,
                options.runs,
                matrix=matrix,
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
        preferences = rankduel.read_preferences(stem.with_name(f"{stem.name}-live") / MATRIX)
        screen.print(
            f"[bold]{escape(stem.name)}[/] [dim]{counted(len(preferences), 'ranker')}, "
            f"{escape(user_text(arena.settings))}, matrix {how_known(preferences)}; regret after "
            f"{counted(int(options.horizon), 'duel')}, {counted(options.runs, 'run')} each[/]\n"
        )
        if len(each) == 1:
            show_comparison(found[label])
    if len(each) > 1:
        show_sweep(found)
    show_next(options.out, options.out)
