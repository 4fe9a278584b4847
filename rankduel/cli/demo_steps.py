"""Steps of `rankduel demo`: data, a matrix, policies live and by proxy, and a report."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from rich.markup import escape
from rich.table import Table

import rankduel
from rankduel.bandits import condorcet_winner
from rankduel.bandits.steps import checked_horizon
from rankduel.cli.compare import show_comparison
from rankduel.cli.console import file_size, screen, watching
from rankduel.cli.data import show_summary
from rankduel.cli.endings import note_if_stopped
from rankduel.cli.options import DataOptions, DuelOptions
from rankduel.experiments.arena import Arena
from rankduel.experiments.matrix.matrix import build_matrix
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.summary import describe_data
from rankduel.letor_data.synthetic.collection import write_synthetic_data

RUNS = 6
METHOD = "team_draft"
TIMES = 3  # draws per query for a pair with tied documents, which has no exact odds
# Policies, and the days that Li et al. 2020 (Table 2) report for 10^8 duels of MSLR's 136 rankers.
PAPER_DAYS = {
    "merge_dts": 0.08,
    "dts": 5.23,
    "self_sparring": 0.18,
    "merge_rucb": 0.08,
    "rmed1": 0.36,
    "rucb": None,
}
_SECONDS_PER_DAY, _PAPER_DUELS = 86_400, 10**8


def run_demo(folder: Path, horizon: float) -> None:
    """Make data, a matrix, runs and a report in a folder, and print each step."""
    horizon = checked_horizon(horizon)
    started = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(1, get_context("spawn")) as aside:
        compiling = aside.submit(_compile_policies)
        letor = _data(folder / "mslr-demo.txt")
        arena = DuelOptions(interleave=[METHOD]).open(letor)
        _heading(2, "Preferences: every pair of 136 rankers, interleaved for navigational users")
        preferences = _matrix(arena, folder / f"{METHOD}.prefs.parquet")
        compiling.result()
    _heading(3, f"Policies: {horizon:,} duels each, live and by proxy")
    found = _compare(arena, preferences, horizon, folder / "records")
    show_comparison(found)
    _show_times(found, horizon)
    _heading(4, "Report")
    report = folder / "report.html"
    rankduel.report(folder / "records", report)
    screen.print(f"   wrote [bold]{escape(str(report))}[/] ({file_size(report)}): open it in a browser")
    screen.print(f"\n[dim]{time.monotonic() - started:.0f} s in all[/]")
    matrix = escape(str(folder / f"{METHOD}.prefs.parquet"))
    screen.print(f"next: [bold]rankduel winners {matrix}[/], or your own data")


def _compile_policies() -> None:
    """Compile the policies for the matrix, which takes half a minute the first time."""
    rankduel.run("cyclic", list(PAPER_DAYS), 1, 1, jobs=1)


def _heading(number: int, text: str) -> None:
    screen.print(f"\n[bold cyan]{number}.[/] {text}")


def _data(path: Path) -> Letor:
    screen.print("[bold cyan]1.[/] Judged data: synthetic queries, as hard to rank as MSLR's")
    with watching() as watch:
        write_synthetic_data(path, "demo", watch=watch)
    screen.print(f"   wrote {escape(str(path))} ({file_size(path)})\n")
    letor = DataOptions().read([str(path)])
    with watching() as watch:
        summary = describe_data(letor, watch=watch)
    show_summary(summary, top=5)
    return letor


def _matrix(arena: Arena, path: Path) -> Preferences:
    started = time.monotonic()
    with watching() as watch:
        preferences = build_matrix(arena, duels=TIMES * arena.rankings.n_queries, output=path, watch=watch)
    exact = int((preferences.pairs["method"] == "exact").sum())
    half_width = float((preferences.pairs["hi"] - preferences.pairs["lo"]).max()) / 2
    best = condorcet_winner(preferences.matrix)
    lead = sorted(preferences.matrix[best] - 0.5)[1]  # the first is the winner against itself
    screen.print(
        f"   wrote {escape(str(path))} [dim]({time.monotonic() - started:.0f} s)[/]\n"
        f"   {preferences.names[best]} beats all others, the next best with probability {0.5 + lead:.4f}; "
        f"{exact:,} of {len(preferences.pairs):,} pairs are exact, the others have intervals of at most "
        f"± {half_width:.2g}"
    )
    return preferences


def _compare(arena: Arena, preferences: Preferences, horizon: int, folder: Path) -> rankduel.Comparison:
    note = note_if_stopped(f"finished runs are kept in {folder}")
    with note, watching("runs", 2 * RUNS * len(PAPER_DAYS)) as watch:
        return rankduel.compare(
            arena,
            list(PAPER_DAYS),
            horizon,
            RUNS,
            matrix=preferences,
            folder=folder / METHOD,
            watch=watch,
        )


def _show_times(found: rankduel.Comparison, horizon: int) -> None:
    """Print the time of a run and the time that the paper reports for as many duels."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("policy", header_style="dim", style="cyan")
    for heading in ("live run", "proxy run", "Li et al. 2020, proxy"):
        table.add_column(heading, header_style="dim", justify="right")
    for row in found.final.to_dict("records"):
        days = PAPER_DAYS[row["policy"]]
        theirs = "-" if days is None else _duration(days * _SECONDS_PER_DAY * horizon / _PAPER_DUELS)
        table.add_row(row["policy"], _duration(row["live_seconds"]), _duration(row["proxy_seconds"]), theirs)
    screen.print(f"\nTime for {horizon:,} duels of 136 rankers")
    screen.print(table)
    screen.print("[dim]Li et al.: in proportion to Table 2, which is for 10^8 duels, on their machine[/]")


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"
