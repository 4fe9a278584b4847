"""`rankduel demo`: the whole story on a small synthetic set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from clickmodels import click_model
from experiments.data_options import load_plain
from experiments.data_page import show_summary
from experiments.screen import count_progress, file_size, screen
from interleave import interleaving, make_world, mean_odds, play
from letor_data.letor import Letor
from letor_data.rankers import feature
from letor_data.rankings import rank
from letor_data.summary import summarize
from letor_data.synthetic import blocks, docs_per_query, shape
from letor_data.writer import write_letor

BEST, RIVALS = 110, (115, 106, 130, 16)
DUELS = 200_000


def demo(
    folder: Annotated[Path, typer.Option("--output", "-o", help="Where to put what it makes.")] = Path(
        "demo"
    ),
) -> None:
    """Make a small MSLR-shaped data set, look at it, and let its best features duel."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "mslr-demo.txt"
    letor = _data(path)
    _duels(letor)
    screen.print(f"\nnext: [bold]rankduel data info {path} --json[/], or the same on your own data")


def _data(path: Path) -> Letor:
    screen.print("[bold cyan]1.[/] Judged data: synthetic queries, shaped like MSLR")
    settings = shape("demo")
    with count_progress("making documents", int(docs_per_query(settings).sum())) as progress:
        write_letor(blocks(settings), path, progress=progress)
    screen.print(f"   wrote {path} ({file_size(path)})\n")
    letor = load_plain(path)
    with count_progress("ranking by each feature", letor.n_features) as progress:
        show_summary(summarize(letor, progress=progress), top=5)
    return letor


def _duels(letor: Letor) -> None:
    """The best feature against some others: exact odds, and the same from simulated users."""
    screen.print(
        "\n[bold cyan]2.[/] Duels: team-draft interleaving, navigational users, ten documents a page"
    )
    method = interleaving("team_draft")
    rankings = rank(letor, [feature(name) for name in (BEST, *RIVALS)])
    world = make_world(rankings, letor.labels, click_model("navigational"), method)
    users = np.random.default_rng(1)
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in (f"{BEST} against", "wins", "ties", "losses", f"wins in {DUELS:,} live duels"):
        table.add_column(heading, justify="right", header_style="dim")
    for rival, name in enumerate(RIVALS, 1):
        loss, tie, win = mean_odds(world, method, 0, rival, users, draws=4)
        live = play(world, method, 0, rival, DUELS, users)[2] / DUELS
        table.add_row(str(name), f"{win:.4f}", f"{tie:.4f}", f"{loss:.4f}", f"{live:.4f}")
    screen.print(table)
    screen.print("[dim]exact odds but for ties between documents (feature 16 ties all of them: 4 draws)[/]")
