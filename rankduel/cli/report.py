"""`rankduel report`: charts and tables for records, as a page and as files for papers."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from experiments.runs.records import read_run_sets
from rankduel.cli.console import file_size, screen


class Format(str, Enum):
    pdf = "pdf"
    svg = "svg"
    png = "png"


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Records that 'rankduel run' made.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path("report.html"),
    figures: Annotated[Path | None, typer.Option(help="Also write every chart to this folder.")] = None,
    format: Annotated[Format, typer.Option(help="Of those charts.")] = Format.pdf,
) -> None:
    """Charts and tables for any records, on one page that needs no network.

    [dim]Example:[/] rankduel report records -o report.html --figures figures --format pdf
    """
    from experiments.report.page import write_figures, write_report  # slow to import, for the other commands

    studies = read_run_sets(folder)
    write_report(studies, output)
    many = "1 study" if len(studies) == 1 else f"{len(studies)} studies"
    _say(f"[bold]{escape(str(output))}[/]  [dim]{many}, {file_size(output)}, needs no network[/]")
    if figures is not None:
        paths = write_figures(studies, figures, format.value)
        _say(f"[bold]{escape(str(figures))}[/]  [dim]{len(paths)} charts as {format.value}[/]")
    _say(f"\nOpen it in a browser: [cyan]{escape(output.resolve().as_uri())}[/]")


def _say(text: str) -> None:
    screen.print(text, soft_wrap=True)
