"""`rankduel compare`: run the same policies on live duels and on draws from the preference matrix."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import rankduel
from rankduel.cli import completion
from rankduel.cli.console import command_typed, notices, print_table, runs_progress, show_next
from rankduel.cli.endings import note_if_stopped
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
    from rankduel.cli.shown import comparison as shown
    from rankduel.cli.shown.sweeps import show_comparisons as show_sweep
    from rankduel.cli.shown.verdict import show_verdict
    from rankduel.experiments.runs.run_folder import MATRIX
    from rankduel.experiments.runs.study_file import read_settings
    from rankduel.experiments.specs import parse_policy
    from rankduel.experiments.winners.verdict import resampled_verdict

    policies = [parse_policy(text, trust=True) for text in policy]
    each = duel_options.each()
    refuse_one_matrix(matrix, each)
    letor = data_options.read(data)
    found = {}
    for label, duel in each.items():
        stem = options.run_set(data, "", label)
        arena = duel.open(letor)
        note = note_if_stopped(f"finished runs are kept in {stem}-live and {stem}-proxy")
        with note, notices(), runs_progress("runs", 2 * options.runs * len(policies)) as progress:
            found[label] = rankduel.compare(
                arena,
                policies,
                matrix=matrix,
                regret=regret,
                measure=measure,
                folder=stem,
                command=command_typed(),
                **options.settings,
                **progress.callbacks,
            )
        live = stem.with_name(f"{stem.name}-live")
        preferences, notion = rankduel.read_preferences(live / MATRIX), read_settings(live)["regret"]
        verdict = resampled_verdict(preferences)
        if not (as_json or as_csv):
            show_verdict(verdict)
            sizes = {"horizon": int(options.horizon), "runs": options.runs}
            shown.show_heading(stem.name, arena.settings, preferences, notion, **sizes)
    everything: dict[str, Any] = {"records": str(options.out), "regret": notion}
    if len(each) == 1:
        everything |= {"winner": verdict._asdict(), **shown.as_data(found[label])}
    else:
        everything |= {"duels": {label: shown.as_data(one) for label, one in found.items()}}
    if print_table(as_json, as_csv, lambda: shown.rows_of(found), lambda: everything):
        return
    if len(each) == 1:
        shown.show_comparison(found[label])
    else:
        show_sweep(found)
    show_next(options.out, options.out)
