"""`rankduel run`: policies against a preference matrix."""

from __future__ import annotations

import warnings
from typing import Annotated

import pandas as pd
import typer
from rich.markup import escape
from rich.table import Table

from bandits import PolicyError, PolicyNotice
from experiments.matrices import matrix_of
from experiments.running import run_policies
from experiments.screen import count_progress, errors, screen
from experiments.specs import parse_policy


def run(
    problem: Annotated[
        str, typer.Argument(help="A built-in matrix by name, or a file: text rows of numbers, or .npy.")
    ],
    policy: Annotated[
        list[str],
        typer.Option(help="A policy, e.g. rucb, 'dts(alpha=0.6)' or path/to/mine.py; may be repeated."),
    ],
    horizon: Annotated[str, typer.Option(help="Duels per run.")] = "1e5",
    runs: Annotated[int, typer.Option(help="Runs of each policy.")] = 10,
    seed: Annotated[int, typer.Option(help="Same seed, same numbers.")] = 0,
    jobs: Annotated[int, typer.Option(help="Runs at a time; -1: as many as there are cores.")] = -1,
) -> None:
    """Play policies against a matrix of preferences, and compare their regret.

    [dim]Example:[/] rankduel run arxiv6 --policy rucb --policy dts --horizon 1e6 --runs 20
    """
    prefs = matrix_of(problem)
    chosen = [parse_policy(text) for text in policy]
    with warnings.catch_warnings(record=True) as notices, count_progress("runs", runs * len(chosen)) as done:
        warnings.simplefilter("always", PolicyNotice)
        table = run_policies(prefs, chosen, _number(horizon), runs, seed=seed, jobs=jobs, done=done)
    for notice in notices:
        errors.print(f"[yellow]note:[/] {escape(str(notice.message))}", soft_wrap=True)
    _show(f"{problem}, {len(prefs)} arms", table)


def _number(text: str) -> float:
    """Text such as 1e8; anything else is told to be no horizon."""
    try:
        return float(text)
    except ValueError:
        raise PolicyError(
            f"the horizon is '{text}'; expected a number of duels, such as 100000 or 1e8"
        ) from None


def _show(title: str, table: pd.DataFrame) -> None:
    final = table[table["step"] == table["step"].max()]
    runs = final["run"].nunique()
    screen.print(f"[bold]{escape(title)}[/] [dim]after {final['step'].iloc[0]:,} duels, {runs} runs[/]\n")
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    shown.add_column("policy", header_style="dim", style="cyan", overflow="fold")
    for heading in ("regret", "± s.e.", "weak", "real duels", "right", "s/run"):
        shown.add_column(heading, header_style="dim", justify="right", no_wrap=True)
    for name, group in sorted(final.groupby("policy", sort=False), key=lambda item: item[1]["regret"].mean()):
        error = group["regret"].std() / len(group) ** 0.5 if len(group) > 1 else float("nan")
        shown.add_row(
            escape(str(name)),
            f"{group['regret'].mean():,.1f}",
            f"{error:,.1f}" if len(group) > 1 else "",
            f"{group['weak_regret'].mean():,.1f}",
            f"{group['informative_steps'].mean():,.0f}",
            f"{group['correct'].mean():.0%}",
            f"{group['seconds'].mean():.2g}",
        )
    screen.print(shown)
    screen.print(
        "\n[dim]regret: mean loss of the two arms per duel, summed; weak: of the better one; right: runs "
        "that recommend the Condorcet winner[/]"
    )
