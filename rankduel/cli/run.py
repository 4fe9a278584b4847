"""`rankduel run`: run policies on a preference matrix, or live on judged data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from rich.markup import escape

import rankduel
from rankduel.base.errors import UsageError
from rankduel.base.results import Sweep
from rankduel.base.settings import Configured
from rankduel.base.text import counted, shortened
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
    problem_name,
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
    policies = [rankduel.policy(text) for text in policy]
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
        with note, notices(), watching("runs", n_runs) as watch:
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
                watch=watch,
                **options.settings,
            )
    if print_result(Sweep(found), as_json, as_csv):
        return
    name = problem[0] if len(problem) == 1 else problem_name(problem)
    if len(found) > 1:
        _show_sweep(name, found)
        show_next(options.out, options.out)
    else:
        show_verdict(found[label].verdict())
        screen.print()
        _show_run_set(name, found[label])
        show_next(folder, options.out)


def _show_run_set(name: str, found: rankduel.RunSet) -> None:
    duels = f", live duels, {found.duels()}" if found.settings["mode"] == "live" else ""
    _show_policies(f"{name}: {counted(found.settings['rankers'], 'arm')}{duels};", found)


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


def _show_sweep(name: str, found: Mapping[str, rankduel.RunSet]) -> None:
    """Print a row per kind of duels and policy: final regret, and the share of runs that are correct."""
    rows = []
    for label, one in found.items():
        for policy, runs in one.last().groupby("policy", sort=False):
            correct = f"{runs['correct'].mean():.0%}"
            rows.append(
                [
                    label,
                    str(policy),
                    f"{runs['regret'].mean():,.1f}",
                    _standard_error(runs["regret"]),
                    correct,
                ]
            )
    last = next(iter(found.values()))
    title = f"{name}: {counted(last.settings['rankers'], 'arm')}, live duels;"
    played = f"after {last.settings['horizon']:,} duels, {last.rows['run'].nunique()} runs"
    screen.print(f"[bold]{escape(title)}[/] [dim]{played}[/]\n")
    show_sweep(["duels", "policy", "regret", "± s.e.", "correct"], rows)


_LONGEST_NAME = 16  # characters of a ranker's name
_MOST_NAMED = 3  # rankers named per policy that recommends several


class _Column(NamedTuple):
    heading: str
    text: Callable[[pd.DataFrame], str]  # called with the last rows of a policy's runs
    about: str = ""  # line of the legend; none if empty


def _columns(notion: str, found: rankduel.RunSet) -> list[_Column]:
    """Return the columns that apply to these runs."""
    last, columns = found.last(), []
    for one in found.columns:
        if one.shown is not None and one.shown.when(last):
            about = one.shown.legend.format(notion=notion)
            columns.append(_Column(one.shown.heading, partial(_mean, one.name, one.shown.form), about))
            if one.shown.with_error:
                about = f"standard error of the {one.name}"
                columns.append(_Column("± s.e.", partial(_error, one.name), about))
    return columns


def _mean(name: str, form: str, runs: pd.DataFrame) -> str:
    """Return a mean, or a dash: policies for duels and for sets lack some of each other's columns."""
    mean = runs[name].mean()
    return f"{mean:{form}}" if mean == mean else "–"


def _recommended(name: str, runs: pd.DataFrame) -> str:
    """Return 'rucb recommends 0 in 2 runs, 1 in 1 run' if some run is wrong, otherwise an empty text."""
    often = runs["recommended"].value_counts()
    if runs["correct"].all() or often.empty:
        return ""
    named = [
        f"{shortened(str(ranker), _LONGEST_NAME)} in {n} {'run' if n == 1 else 'runs'}"
        for ranker, n in often.head(_MOST_NAMED).items()
    ]
    more = [f"{len(often) - _MOST_NAMED} others"] if len(often) > _MOST_NAMED else []
    return f"{name} recommends {', '.join(named + more)}"


def _error(name: str, runs: pd.DataFrame) -> str:
    return _standard_error(runs[name])


def _standard_error(values: pd.Series) -> str:
    return f"{values.std(ddof=1) / len(values) ** 0.5:,.1f}" if len(values) > 1 else ""


def _show_policies(title: str, found: rankduel.RunSet) -> None:
    """Print a row per policy, and an explanation of the columns."""
    notion: str = found.settings["regret"]
    final = found.last()
    by_policy = found.by_policy()
    runs = final["run"].nunique()
    played = f"after {counted(final['step'].iloc[0], 'duel')}, {counted(runs, 'run')} per policy"
    screen.print(f"[bold]{escape(title)}[/] [dim]{played}[/]\n")
    shown = plain_table()
    shown.add_column("policy", header_style="dim", style="cyan", overflow="fold", vertical="bottom")
    columns = _columns(escape(notion.partition("-")[0].capitalize()), found)
    for column in columns:
        shown.add_column(column.heading, header_style="dim", justify="right", no_wrap=True, vertical="bottom")
    for name, group in by_policy:
        shown.add_row(escape(str(name)), *(column.text(group) for column in columns))
    print_fitted(shown)
    show_legend({column.heading: column.about for column in columns if column.about})
    for line in filter(None, (_recommended(str(name), group) for name, group in by_policy)):
        screen.print(escape(line))
