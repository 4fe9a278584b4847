"""`rankduel compare`: run the same policies on live duels and on draws from the preference matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer
from rich.markup import escape

import rankduel
from rankduel.base.results import Sweep
from rankduel.base.text import counted
from rankduel.cli import completion
from rankduel.cli.console import (
    notices,
    plain_table,
    print_fitted,
    print_result,
    screen,
    show_legend,
    show_next,
    show_sweep,
    show_verdict,
    watching,
)
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

_COLUMNS = {
    "live\nregret": "",
    "proxy\nregret": "",
    "difference": "live minus proxy, with its 95% interval",
    "95% interval": "",
    "p-value": "the smaller one of tests of equal means and equal distributions",
    "speed-up": "time of a live run divided by the time of a proxy run",
}


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
    each = duel_options.each()
    refuse_one_matrix(matrix, each)
    letor = data_options.read(data)
    found = {}
    for label, duel in each.items():
        stem = options.run_set(data, "", label)
        arena = duel.open(letor)
        note = note_if_stopped(f"finished runs are kept in {stem}-live and {stem}-proxy")
        with note, notices(), watching("runs", 2 * options.runs * len(policy)) as watch:
            found[label] = rankduel.compare(
                arena,
                policy,
                matrix=matrix,
                regret=regret,
                measure=measure,
                folder=stem,
                watch=watch,
                **options.settings,
            )
        if not (as_json or as_csv):
            _show_heading(stem.name, found[label])
    if print_result(Sweep(found), as_json, as_csv):
        return
    if len(found) == 1:
        show_comparison(found[label])
    else:
        _show_sweep(found)
    show_next(options.out, options.out)


def _show_heading(name: str, found: rankduel.Comparison) -> None:
    """Print the winner, the rankers, the duels, the matrix and the regret of the table below."""
    from rankduel.cli.preferences import matrix_text

    live = found.live
    assert live is not None
    show_verdict(live.verdict())
    screen.print(
        f"\n[bold]{escape(name)}:[/] [dim]{counted(len(live.preferences), 'ranker')}, "
        f"{escape(live.duels())}, matrix {matrix_text(live.preferences)}\n"
        f"{live.settings['regret'].capitalize()} regret after {counted(live.settings['horizon'], 'duel')}, "
        f"means of {counted(live.rows['run'].nunique(), 'run')}[/]\n"
    )


def show_comparison(found: rankduel.Comparison) -> None:
    """Print a row per policy: live and proxy regret, and their difference."""
    table = plain_table()
    table.add_column("policy", header_style="dim", style="cyan", overflow="fold", vertical="bottom")
    for heading in _COLUMNS:
        table.add_column(heading, header_style="dim", justify="right", no_wrap=True, vertical="bottom")
    for row in found.final.sort_values("proxy").to_dict("records"):
        table.add_row(
            escape(str(row["policy"])),
            f"{row['live']:,.0f}",
            f"{row['proxy']:,.0f}",
            f"{row['difference']:+,.0f}",
            f"{row['lo']:+,.0f} to {row['hi']:+,.0f}",
            f"{min(row['p_mean'], row['p_law']):.2g}",
            f"{row['live_seconds'] / row['proxy_seconds']:.1f}x",
        )
    print_fitted(table)
    show_legend({heading: about for heading, about in _COLUMNS.items() if about})
    screen.print(f"\n{escape(found.verdict)}")


def _show_sweep(found: Mapping[str, rankduel.Comparison]) -> None:
    """Print a row per kind of duels and policy: regret of live and of proxy runs."""
    rows = [
        [
            label,
            str(row["policy"]),
            f"{row['live']:,.0f}",
            f"{row['proxy']:,.0f}",
            f"{row['difference']:+,.0f}",
            f"{min(row['p_mean'], row['p_law']):.2g}",
        ]
        for label, comparison in found.items()
        for row in comparison.final.to_dict("records")
    ]
    show_sweep(["duels", "policy", "live regret", "proxy regret", "difference", "p-value"], rows)
    for label, comparison in found.items():
        screen.print(f"\n{escape(label)}: {escape(comparison.verdict)}")
