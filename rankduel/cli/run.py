"""`rankduel run`: policies on a problem, a matrix or live duels on judged data."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import pandas as pd
import typer
from rich.markup import escape
from rich.table import Table

from bandits.loop import Feedback
from experiments.arena import Arena, open_arena
from experiments.matrix.build import write_matrix
from experiments.matrix.preferences import Preferences, read_preferences
from experiments.runs.problem import Problem
from experiments.runs.records import MATRIX
from experiments.runs.run import run as run_policies
from experiments.specs import parse_policy
from experiments.statistics import standard_error
from rankduel.base.errors import PolicyNotice, UsageError
from rankduel.cli.console import count_progress, errors, matrix_progress, screen
from rankduel.cli.options import (
    Checkpoints,
    Delay,
    Every,
    Horizon,
    Jobs,
    Matrix,
    Multileave,
    Name,
    Out,
    Policies,
    Regret,
    Runs,
    Scheduler,
    Seed,
    load,
    with_data_options,
    with_duel_options,
)


@with_data_options
@with_duel_options
def run(
    problem: Annotated[
        list[str],
        typer.Argument(help="A built-in matrix by name, a matrix file, or with --live files of judged data."),
    ],
    policy: Policies,
    horizon: Horizon = "1e5",
    runs: Runs = 10,
    seed: Seed = 0,
    checkpoints: Checkpoints = 1000,
    live: Annotated[bool, typer.Option("--live", help="Duels are pages, clicks and credit on data.")] = False,
    matrix: Matrix = None,
    regret: Regret = "",
    feedback_every: Every = 1,
    delay: Delay = 0,
    multileave: Multileave = "sosm",
    out: Out = Path("results"),
    name: Name = "",
    jobs: Jobs = -1,
    scheduler: Scheduler = None,
    *,
    duel_options: Mapping[str, Any],
    data_options: dict,
) -> None:
    """Play policies against a matrix of preferences, or live on judged data, and compare their regret.

    [dim]Example:[/] rankduel run arxiv6 --policy rucb --policy dts --horizon 1e6 --runs 20
    """
    policies, duels = [parse_policy(text) for text in policy], number(horizon)
    folder = out / (name or run_set_name(problem[0], "live" if live else "", duels, seed))
    if live:
        arena = open_arena(load(problem, data_options), **duel_options, progress=count_progress)
        preferences = preferences_for(arena, matrix, folder, jobs)
    else:
        arena, preferences = None, _matrix_problem(problem, matrix)
    played = Problem(preferences, arena, regret, Feedback(feedback_every, delay), multileave)
    with notices(), count_progress("runs", runs * len(policies)) as done:
        table = run_policies(
            played,
            policies,
            duels,
            runs,
            seed=seed,
            checkpoints=checkpoints,
            jobs=jobs,
            folder=folder,
            scheduler=scheduler,
            command=command_typed(),
            done=done,
        )
    _show(f"{problem[0]}, {len(played.preferences)} arms{', live' if live else ''}", played.notion, table)
    show_next(folder, out)


def _matrix_problem(problem: list[str], matrix: Path | None) -> Preferences:
    if len(problem) > 1 or matrix is not None:
        raise UsageError("a matrix is a problem of its own; files of judged data are played with --live")
    return read_preferences(problem[0])


def run_set_name(problem: str, mode: str, duels: float, seed: int) -> str:
    """'arxiv6-1e+06', 'mslr-live-1e+07-seed3': what must differ for runs to be kept apart."""
    stem = Path(problem.rstrip("/")).name.split(".")[0] or "study"
    parts = [stem, mode, f"{duels:g}".replace("e+0", "e"), f"seed{seed}" if seed else ""]
    return "-".join(part for part in parts if part)


def preferences_for(arena: Arena, matrix: Path | None, folder: Path, jobs: int) -> Preferences:
    """By which live runs are measured: from a file, as the study already has them, or made now."""
    kept = folder / MATRIX
    if matrix is not None:
        return read_preferences(matrix)
    if kept.exists():
        return _made_for(arena, read_preferences(kept), folder)
    folder.mkdir(parents=True, exist_ok=True)
    with matrix_progress() as progress:
        return write_matrix(arena, kept, jobs=jobs, progress=progress)


def _made_for(arena: Arena, preferences: Preferences, folder: Path) -> Preferences:
    for key, wanted in arena.settings.items():
        found = preferences.settings.get(key, "not said")
        if key != "data" and found != wanted:
            raise UsageError(
                f"{folder / MATRIX} was made for other duels: {key} is {found} there and {wanted} now. "
                "Choose another folder or name, or remove it"
            )
    return preferences


def show_next(folder: Path, out: Path) -> None:
    kept, all_kept = escape(str(folder)), escape(str(out))
    screen.print(f"\nrecords in [bold]{kept}[/]; next: [bold]rankduel report {all_kept}[/]")


@contextmanager
def notices() -> Iterator[None]:
    """What policies want their owner to know is printed at the end."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", PolicyNotice)
        yield
    for notice in found:
        errors.print(f"[yellow]note:[/] {escape(str(notice.message))}", soft_wrap=True)


def command_typed() -> str:
    return shlex.join(["rankduel", *sys.argv[1:]])


def number(text: str) -> float:
    """Text such as 1e8; anything else is told to be no horizon."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(
            f"the horizon is '{text}'; expected a number of duels, such as 100000 or 1e8"
        ) from None


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
    columns = _columns(notion.partition("-")[0].capitalize(), final)
    for column in columns:
        shown.add_column(column.heading, header_style="dim", justify="right", no_wrap=True)
    for name, group in sorted(final.groupby("policy", sort=False), key=lambda item: item[1]["regret"].mean()):
        shown.add_row(escape(str(name)), *(column.text(group) for column in columns))
    screen.print(shown)
    notes = "; ".join(f"{column.heading}: {column.about}" for column in columns if column.about)
    screen.print(f"\n[dim]{notes}[/]")
