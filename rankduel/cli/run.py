"""`rankduel run`: policies on a problem, a matrix or live duels on judged data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

import pandas as pd
import typer
from rich.markup import escape
from rich.table import Table

from experiments.matrix.preferences import read_preferences
from experiments.runs.records import read_settings
from experiments.specs import parse_policy
from experiments.statistics import standard_error
from rankduel.api import runs as api
from rankduel.base.errors import UsageError
from rankduel.cli.console import command_typed, notices, runs_progress, screen, show_next
from rankduel.cli.endings import keeping
from rankduel.cli.options import (
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
        typer.Argument(help="A built-in matrix by name, a matrix file, or with --live files of judged data."),
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
    options: RunOptions,
    duel_options: DuelOptions,
    data_options: DataOptions,
) -> None:
    """Play policies against a matrix of preferences, or live on judged data, and compare their regret.

    [dim]Example:[/] rankduel run arxiv6 --policy rucb --policy dts --horizon 1e6 --runs 20
    """
    policies = [parse_policy(text, trust=True) for text in policy]
    folder = options.run_set(problem[0], "live" if live else "")
    if not live and (len(problem) > 1 or matrix is not None):
        raise UsageError("a matrix is a problem of its own; files of judged data are played with --live")
    played = duel_options.open(data_options.read(problem)) if live else read_preferences(problem[0])
    n_runs = options.runs * len(policies)
    with keeping(f"finished runs are kept in {folder}"), notices(), runs_progress("runs", n_runs) as progress:
        table = api.run(
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
    _show(f"{problem[0]}, {settings['rankers']} arms{', live' if live else ''}", settings["regret"], table)
    show_next(folder, options.out)


class _Column(NamedTuple):
    heading: str
    text: Callable[[pd.DataFrame], str]  # from the last rows of a policy's runs
    about: str = ""


def _columns(notion: str, final: pd.DataFrame) -> list[_Column]:
    """What is worth showing of these runs."""
    shown = [
        _Column(
            "regret",
            lambda runs: f"{runs['regret'].mean():,.1f}",
            f"mean {notion} loss of the two arms, summed",
        ),
        _Column("± s.e.", lambda runs: _standard_error(runs["regret"])),
        *([_Column("weak", _weak, "of the better one")] if "weak_regret" in final else []),
        _Column("real duels", lambda runs: f"{runs['informative_steps'].mean():,.0f}"),
        _Column(
            "right", lambda runs: f"{runs['correct'].mean():.0%}", f"runs that recommend a {notion} winner"
        ),
    ]
    if (final["rounds"] < final["step"]).any():
        about = "how often outcomes were handed over"
        shown.append(_Column("rounds", lambda runs: f"{runs['rounds'].mean():,.0f}", about))
    if final["finished"].any() or (final["answers"] > 1).any():
        about = "arms in the answer"
        shown.append(_Column("answers", lambda runs: f"{runs['answers'].mean():.3g}", about))
        about = "largest number of duels of one pair"
        shown.append(_Column("per pair", lambda runs: f"{runs['judgments_per_pair'].mean():,.0f}", about))
    if "mean_set" in final:
        about = "arms on a page of several"
        shown.append(_Column("set", lambda runs: _known(f"{runs['mean_set'].mean():.3g}"), about))
    if "ndcg" in final:
        shown.append(_Column("NDCG", lambda runs: f"{runs['ndcg'].mean():.3f}", "of the last pages"))
    return [*shown, _Column("s/run", lambda runs: f"{runs['seconds'].mean():.2g}")]


def _weak(runs: pd.DataFrame) -> str:
    return _known(f"{runs['weak_regret'].mean():,.1f}")


def _known(text: str) -> str:
    """Policies for duels and for sets have some numbers each that the others have not."""
    return text if text != "nan" else "–"


def _standard_error(values: pd.Series) -> str:
    return f"{standard_error(values.to_numpy()):,.1f}" if len(values) > 1 else ""


def _show(title: str, notion: str, table: pd.DataFrame) -> None:
    final = table[table["step"] == table["step"].max()]
    runs = final["run"].nunique()
    screen.print(f"[bold]{escape(title)}[/] [dim]after {final['step'].iloc[0]:,} duels, {runs} runs[/]\n")
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    shown.add_column("policy", header_style="dim", style="cyan", overflow="fold")
    columns = _columns(escape(notion.partition("-")[0].capitalize()), final)
    for column in columns:
        shown.add_column(column.heading, header_style="dim", justify="right", no_wrap=True)
    for name, group in sorted(final.groupby("policy", sort=False), key=lambda item: item[1]["regret"].mean()):
        shown.add_row(escape(str(name)), *(column.text(group) for column in columns))
    screen.print(shown)
    notes = "; ".join(f"{column.heading}: {column.about}" for column in columns if column.about)
    screen.print(f"\n[dim]{notes}[/]")
