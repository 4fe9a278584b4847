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


class Scale(str, Enum):
    log = "log"
    linear = "linear"


_PAPER = "Figures"


def report(
    context: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Records that 'rankduel run' made.", autocompletion=completion.folders
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path("report.html"),
    *,
    figures: Annotated[
        Path | None,
        typer.Option(
            help="Also write every chart, and the results as LaTeX tables, to this folder.",
            rich_help_panel=_PAPER,
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="Of these charts.", rich_help_panel=_PAPER)] = Format.pdf,
    width: Annotated[
        str,
        typer.Option(
            metavar="column|text|INCHES", help="How wide: 3.33, 7 or so many inches.", rich_help_panel=_PAPER
        ),
    ] = "text",
    font_size: Annotated[float, typer.Option(help="Of letters, in points.", rich_help_panel=_PAPER)] = 8,
    x: Annotated[Scale, typer.Option("--x", help="Axis of duels.", rich_help_panel=_PAPER)] = Scale.log,
    y: Annotated[Scale, typer.Option("--y", help="Axis of regret.", rich_help_panel=_PAPER)] = Scale.log,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="POLICY[=LABEL]",
            help="Show only these, in this order, with this label; repeat it.",
            rich_help_panel=_PAPER,
            autocompletion=completion.policies,
        ),
    ] = None,
) -> None:
    """Charts and tables for any records, on one page that needs no network.

    [dim]Example:[/] rankduel report records -o report.html --figures figures --width column
    """
    from experiments.runs.records import list_run_sets

    if figures is None:
        why = "is for charts as files: name their folder with --figures"
        refuse_typed(context, ["format", "width", "font_size", "x", "y", "policy"], why)
    page, *files = rankduel.report(
        folder,
        output,
        figures=figures,
        format=format.value,
        width=width,
        font_size=font_size,
        x=x.value,
        y=y.value,
        policies=policy or (),
    )
    many = counted(len(list_run_sets(folder)), "run set")
    _say(f"[bold]{escape(str(page))}[/]  [dim]{many}, {file_size(page)}, needs no network[/]")
    if figures is not None:
        charts = sum(path.suffix == f".{format.value}" for path in files)
        drawn = f"{counted(charts, 'chart')} as {format.value}"
        tables = f"{counted(len(files) - charts, 'table')} as LaTeX"
        _say(f"[bold]{escape(str(figures))}[/]  [dim]{drawn}, {tables}[/]")
    _say(f"\nOpen it in a browser: [cyan]{escape(page.resolve().as_uri())}[/]")


def _say(text: str) -> None:
    screen.print(text, soft_wrap=True)
