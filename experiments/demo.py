"""`rankduel demo`: the whole story on a small synthetic set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.data_options import load_plain
from experiments.data_page import show_summary
from experiments.screen import count_progress, file_size, screen
from letor_data.summary import summarize
from letor_data.synthetic import blocks, docs_per_query, shape
from letor_data.writer import write_letor


def demo(
    folder: Annotated[Path, typer.Option("--output", "-o", help="Where to put what it makes.")] = Path(
        "demo"
    ),
) -> None:
    """Make a small MSLR-shaped data set, read it back, and show what is in it."""
    folder.mkdir(parents=True, exist_ok=True)
    settings, path = shape("demo"), folder / "mslr-demo.txt"
    screen.print("[bold cyan]1.[/] Judged data: synthetic queries, shaped like MSLR")
    with count_progress("making documents", int(docs_per_query(settings).sum())) as progress:
        write_letor(blocks(settings), path, progress=progress)
    screen.print(f"   wrote {path} ({file_size(path)})\n")
    letor = load_plain(path)
    with count_progress("ranking by each feature", letor.n_features) as progress:
        show_summary(summarize(letor, progress=progress), top=5)
    screen.print(f"\nnext: [bold]rankduel data info {path} --json[/], or the same on your own data")
