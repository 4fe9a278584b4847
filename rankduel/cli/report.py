"""`rankduel report`: charts and tables for records, as a page and as files for papers."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import rankduel
from rankduel.base.text import counted
from rankduel.cli import completion
from rankduel.cli.console import file_size, screen
from rankduel.cli.options import refuse_typed


class Format(str, Enum):
    pdf = "pdf"
    svg = "svg"
    png = "png"


def report(
    context: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Records that 'rankduel run' made.", autocompletion=completion.folders
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path("report.html"),
    figures: Annotated[Path | None, typer.Option(help="Also write every chart to this folder.")] = None,
    format: Annotated[Format, typer.Option(help="Of those charts.")] = Format.pdf,
) -> None:
    """Charts and tables for any records, on one page that needs no network.

    [dim]Example:[/] rankduel report records -o report.html --figures figures --format pdf
    """
    from experiments.runs.records import list_run_sets

    if figures is None:
        refuse_typed(context, ["format"], "is for charts as files: name their folder with --figures")
    page, *charts = rankduel.report(folder, output, figures=figures, format=format.value)
    many = counted(len(list_run_sets(folder)), "run set")
    _say(f"[bold]{escape(str(page))}[/]  [dim]{many}, {file_size(page)}, needs no network[/]")
    if figures is not None:
        _say(f"[bold]{escape(str(figures))}[/]  [dim]{counted(len(charts), 'chart')} as {format.value}[/]")
    _say(f"\nOpen it in a browser: [cyan]{escape(page.resolve().as_uri())}[/]")


def _say(text: str) -> None:
    screen.print(text, soft_wrap=True)
