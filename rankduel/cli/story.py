"""The steps of `rankduel demo`: the whole story on a small synthetic set."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from rich.markup import escape

from bandits import condorcet_winner
from experiments.arena import Arena
from experiments.matrix.preferences import Preferences
from letor_data.letor import Letor
from letor_data.synthetic.generate import blocks, docs_per_query, shape
from letor_data.text.writer import write_letor
from rankduel.api import runs as api
from rankduel.api.data import describe_data
from rankduel.api.matrices import build_matrix
from rankduel.cli.console import count_progress, file_size, matrix_progress, runs_progress, screen
from rankduel.cli.endings import keeping
from rankduel.cli.options import DataOptions, DuelOptions
from rankduel.cli.shown.comparison import show_comparison
from rankduel.cli.shown.data import show_summary

POLICIES = ("rucb", "merge_dts", "dts", "merge_rucb", "rmed1", "self_sparring")
HORIZON, RUNS = 100_000, 16
QUERIES = 150
# Rankers with ties and drawn pages are never known exactly; so many queries' odds are added up for a pair.
DRAWS = {"team_draft": 4 * QUERIES, "probabilistic": 2 * QUERIES}


def tell(folder: Path) -> None:
    """Make data, matrices, runs and a report in a folder, and print each step."""
    started = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(1, get_context("spawn")) as aside:
        compiling = aside.submit(_compile_policies)
        letor = _data(folder / "mslr-demo.txt")
        arenas = {method: DuelOptions(interleave=[method]).open(letor) for method in DRAWS}
        _heading(2, "Preferences: every pair of 136 rankers, interleaved for navigational users")
        matrices = {
            method: _matrix(arena, folder / f"{method}.prefs.parquet") for method, arena in arenas.items()
        }
        compiling.result()
    _heading(3, "Policies, live on team-draft pages and by proxy (compiled once, then kept)")
    _compare(arenas["team_draft"], matrices["team_draft"], folder / "records")
    _heading(4, "Report")
    report = folder / "report.html"
    api.report(folder / "records", report)
    screen.print(f"   wrote [bold]{escape(str(report))}[/] ({file_size(report)}): open it in a browser")
    screen.print(f"\n[dim]{time.monotonic() - started:.0f} s in all[/]")
    matrix = escape(str(folder / "team_draft.prefs.parquet"))
    screen.print(f"next: [bold]rankduel winners {matrix}[/], or your own data")


def _compile_policies() -> None:
    """For the matrix; takes half a minute the first time, and other work is single-handed meanwhile."""
    api.run("cyclic", POLICIES, 1, 1, jobs=1)


def _heading(number: int, text: str) -> None:
    screen.print(f"\n[bold cyan]{number}.[/] {text}")


def _data(path: Path) -> Letor:
    screen.print("[bold cyan]1.[/] Judged data: synthetic queries, shaped like MSLR")
    settings = shape("demo", queries=QUERIES)
    with count_progress("making documents", int(docs_per_query(settings).sum())) as progress:
        write_letor(blocks(settings), path, progress=progress)
    screen.print(f"   wrote {escape(str(path))} ({file_size(path)})\n")
    letor = DataOptions().read([str(path)])
    with count_progress("ranking by each feature", letor.n_features) as progress:
        show_summary(describe_data(letor, progress=progress), top=5)
    return letor


def _matrix(arena: Arena, path: Path) -> Preferences:
    started = time.monotonic()
    with matrix_progress() as progress:
        preferences = build_matrix(
            arena, duels=DRAWS[arena.interleaving.name], output=path, progress=progress
        )
    exact = int((preferences.pairs["method"] == "exact").sum())
    half_width = float((preferences.pairs["hi"] - preferences.pairs["lo"]).max()) / 2
    best = preferences.names[condorcet_winner(preferences.matrix)]
    screen.print(
        f"   wrote {escape(str(path))} [dim]({time.monotonic() - started:.0f} s)[/]\n"
        f"   {best} beats everybody; {exact:,} of {len(preferences.pairs):,} pairs are exact, the others "
        f"within {half_width:.2g}"
    )
    return preferences


def _compare(arena: Arena, preferences: Preferences, folder: Path) -> None:
    kept = keeping(f"finished runs are kept in {folder}")
    with kept, runs_progress("runs", 2 * RUNS * len(POLICIES)) as progress:
        found = api.compare(
            arena,
            POLICIES,
            HORIZON,
            RUNS,
            matrix=preferences,
            folder=folder / "team_draft",
            command="rankduel demo",
            progress=progress.done,
        )
    show_comparison(found)
