"""`rankduel cache`: show or remove what is kept to save time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

import rankduel
from rankduel.cli.console import byte_text, print_table, screen
from rankduel.cli.options import AsCsv, AsJson


def cache(
    data: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Data files, or folders of them, whose parsed copies count too.", show_default=False
        ),
    ] = None,
    *,
    clear: Annotated[bool, typer.Option("--clear", help="Remove it; it is made again when needed.")] = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show or remove what is kept to save time: compiled code, parsed copies of data, scores of models."""
    found = rankduel.caches(data or [], clear=clear)
    if print_table(as_json, as_csv, lambda: found, lambda: {"removed": clear, "caches": found}):
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("kept")
    for name in ("files", "size"):
        table.add_column(name, justify="right")
    table.add_column("folder", overflow="fold")
    for kind, folder, files, size in found.itertuples(index=False):
        table.add_row(kind, f"{files:,}", byte_text(size), escape(folder))
    screen.print(table)
    if clear:
        screen.print("removed")
    else:
        screen.print("[dim]rankduel cache --clear removes it; RANKDUEL_CACHE names another folder[/]")
