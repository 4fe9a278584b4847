"""`rankduel compare`: the same policies live and by proxy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from experiments.arena import open_arena
from experiments.runs.compare import Comparison, compare_runs
from experiments.runs.problem import Problem, how_known
from experiments.runs.run import run as run_policies
from experiments.specs import parse_policy
from rankduel.cli.console import count_progress, screen
from rankduel.cli.options import (
    Checkpoints,
    Horizon,
    Jobs,
    Matrix,
    Name,
    Out,
    Policies,
    Runs,
    Scheduler,
    Seed,
    load,
    with_data_options,
    with_duel_options,
)
from rankduel.cli.run import command_typed, notices, number, preferences_for, run_set_name, show_next


@with_data_options
@with_duel_options
def compare(
    data: Annotated[list[str], typer.Argument(help="Files of judged data.")],
    policy: Policies,
    horizon: Horizon = "1e5",
    runs: Runs = 20,
    seed: Seed = 0,
    checkpoints: Checkpoints = 1000,
    matrix: Matrix = None,
    out: Out = Path("results"),
    name: Name = "",
    jobs: Jobs = -1,
    scheduler: Scheduler = None,
    *,
    duel_options: Mapping[str, Any],
    data_options: dict,
) -> None:
    """Play policies on live duels and on draws from their matrix: does the proxy change any conclusion?

    [dim]Example:[/] rankduel compare data.txt --interleave team_draft --policy rucb --policy merge_dts
    """
    policies, duels = [parse_policy(text) for text in policy], number(horizon)
    stem = name or run_set_name(data[0], "", duels, seed)
    arena = open_arena(load(data, data_options), **duel_options, progress=count_progress)
    preferences = preferences_for(arena, matrix, out / f"{stem}-live", jobs)
    with notices(), count_progress("runs", 2 * runs * len(policies)) as done:
        live, proxy = (
            run_policies(
                problem,
                policies,
                duels,
                runs,
                seed=seed,
                checkpoints=checkpoints,
                jobs=jobs,
                folder=out / f"{stem}-{problem.mode}",
                scheduler=scheduler,
                command=command_typed(),
                done=done,
            )
            for problem in (Problem(preferences, arena), Problem(preferences))
        )
    screen.print(
        f"[bold]{escape(stem)}[/] [dim]{len(preferences)} rankers, matrix {how_known(preferences)}; regret "
        f"after {duels:,.0f} duels, {runs} runs each[/]\n"
    )
    show_comparison(compare_runs(live, proxy))
    show_next(out, out)


def show_comparison(found: Comparison) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("policy", header_style="dim", style="cyan", overflow="fold")
    for heading in ("live", "proxy", "difference", "95 % interval", "p", "faster"):
        table.add_column(heading, header_style="dim", justify="right", no_wrap=True)
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
    screen.print(table)
    screen.print(f"\n{escape(found.verdict)}")
    screen.print(
        "[dim]p: the smaller p-value of a test of equal means and one of equal laws; faster: time of a live "
        "run over that of a proxy run[/]"
    )
