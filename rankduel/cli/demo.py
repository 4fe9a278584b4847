"""`rankduel demo`: all steps of an experiment on synthetic data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    folder: Annotated[Path, typer.Option("--output", "-o", help="Folder of the results.")] = Path("demo"),
) -> None:
    """Run an example in two to three minutes: data, a matrix, policies live and by proxy, a report.

    [dim]Example:[/] rankduel demo -o demo
    """
    from rankduel.cli.demo_steps import run_demo

    run_demo(folder)
