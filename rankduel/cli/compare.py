"""`rankduel compare`: run the same policies on live duels and on draws from the preference matrix."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

import rankduel
from rankduel.base.text import counted
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
    refuse_one_matrix,
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
    """Run policies on live duels and on draws from the preference matrix, and test whether they differ.

    [dim]Example:[/] rankduel compare data.txt --interleave team_draft --policy rucb --policy merge_dts
    """
    from experiments.runs.records import MATRIX, read_settings
    from experiments.specs import parse_policy
    from experiments.winners.verdict import resampled_verdict
    from rankduel.cli.shown.comparison import as_data, show_comparison
    from rankduel.cli.shown.preferences import duel_text, matrix_text
    from rankduel.cli.shown.sweeps import show_comparisons as show_sweep
    from rankduel.cli.shown.verdict import show_verdict

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
        verdict = resampled_verdict(preferences)
        if not (as_json or as_csv):
            show_verdict(verdict)
            screen.print(
                f"\n[bold]{escape(stem.name)}:[/] [dim]{counted(len(preferences), 'ranker')}, "
                f"{escape(duel_text(arena.settings))}, matrix {matrix_text(preferences)}\n"
                f"{notion.capitalize()} regret after {counted(int(options.horizon), 'duel')}, "
                f"means of {counted(options.runs, 'run')}[/]\n"
            )
    everything: dict[str, Any] = {"records": str(options.out), "regret": notion}
    if len(each) == 1:
        everything |= {"winner": verdict._asdict(), **as_data(found[label])}
        rows = found[label].final.to_dict("records")
    else:
        everything |= {"duels": {label: as_data(one) for label, one in found.items()}}
        rows = [
            {"duels": label} | row for label, one in found.items() for row in one.final.to_dict("records")
        ]
    if print_table(as_json, as_csv, lambda: rows, lambda: everything):
        return
    if len(each) == 1:
        show_comparison(found[label])
    else:
        show_sweep(found)
    show_next(options.out, options.out)
