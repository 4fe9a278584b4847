"""`rankduel report`: charts and tables of records, as an HTML page and as files for papers."""

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
            metavar="DIR",
            help="Folder with records of 'rankduel run', 'compare' or 'multileave'.",
            autocompletion=completion.folders,
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")] = Path("report.html"),
    *,
    figures: Annotated[
        Path | None,
        typer.Option(
            help="Also write all charts, and the results as LaTeX tables, to this folder.",
            rich_help_panel=_PAPER,
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="Format of charts.", rich_help_panel=_PAPER)] = Format.pdf,
    width: Annotated[
        str,
        typer.Option(
            metavar="column|text|INCHES",
            help="Width of charts: column (3.33 inches), text (7 inches) or a number of inches.",
            rich_help_panel=_PAPER,
        ),
    ] = "text",
    font_size: Annotated[float, typer.Option(help="Font size in points.", rich_help_panel=_PAPER)] = 8,
    x: Annotated[
        Scale, typer.Option("--x", help="Scale of the duels axis.", rich_help_panel=_PAPER)
    ] = Scale.log,
    y: Annotated[
        Scale, typer.Option("--y", help="Scale of the regret axis.", rich_help_panel=_PAPER)
    ] = Scale.log,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="POLICY[=LABEL]",
            help="Policy to show, optionally with a label; repeat the option for more, in this order.",
            rich_help_panel=_PAPER,
            autocompletion=completion.policies,
        ),
    ] = None,
) -> None:
    """Write charts and tables of records as one HTML page that needs no network.

    [dim]Example:[/] rankduel report records -o report.html --figures figures --width column
    """
    if figures is None:
        why = "is for charts as files: name their folder with --figures, or leave it out"
        refuse_typed(context, ["format", "width", "font_size", "x", "y", "policy"], why)
    written = rankduel.report(
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
    about = f"{_run_sets(written)}, {file_size(written.page)}, needs no network"
    _print_line(f"[bold]{escape(str(written.page))}[/]  [dim]{about}[/]")
    if figures is not None:
        drawn = f"{counted(len(written.figures), 'chart')} as {format.value}"
        tables = f"{counted(len(written.tables), 'table')} as LaTeX"
        _print_line(f"[bold]{escape(str(figures))}[/]  [dim]{drawn}, {tables}[/]")
    _print_line(f"\nOpen it in a browser: [cyan]{escape(written.page.resolve().as_uri())}[/]")


def _run_sets(written: rankduel.Report) -> str:
    """Return '3 run sets, one with the same runs as another': the page shows equal runs once."""
    many = counted(written.run_sets, "run set")
    if not written.repeated:
        return many
    return f"{many}, {'one' if written.repeated == 1 else written.repeated} with the same runs as another"


def _print_line(text: str) -> None:
    screen.print(text, soft_wrap=True)
