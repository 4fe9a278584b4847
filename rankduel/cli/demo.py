"""`rankduel demo`: all steps of an experiment on synthetic data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankduel.cli.options import number


def demo(
    folder: Annotated[Path, typer.Option("--output", "-o", help="Folder of the results.")] = Path("demo"),
    horizon: Annotated[
        float, typer.Option(help="Duels per run.", parser=number, metavar="NUMBER", show_default="1e7")
    ] = 1e7,
) -> None:
    """Run an example in two to three minutes: data, a matrix, policies live and by proxy, a report.

    [dim]Example:[/] rankduel demo -o demo
    """
    from rankduel.cli.demo_steps import run_demo

    run_demo(folder, horizon)
