"""`rankduel cache`: list or remove the cache files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import rankduel
from rankduel.cli.console import byte_text, plain_table, print_result, screen
from rankduel.cli.options import AsCsv, AsJson

_KINDS = {"code": "compiled code", "data": "data and scores"}


def cache(
    data: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Data files or folders whose caches beside them are included.", show_default=False
        ),
    ] = None,
    *,
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove the files; they are made again when needed.")
    ] = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """List or remove cache files: compiled code, parsed copies of data, scores of models.

    [dim]Example:[/] rankduel cache --clear
    """
    found = rankduel.caches(data or [], clear=clear)
    if print_result(found, as_json, as_csv):
        return
    table = plain_table()
    table.add_column("cache", header_style="dim", style="cyan")
    for name in ("files", "size"):
        table.add_column(name, header_style="dim", justify="right")
    table.add_column("folder", header_style="dim", overflow="fold")
    for kind, folder, files, size in found.folders.itertuples(index=False):
        table.add_row(_KINDS[kind], f"{files:,}", byte_text(size), escape(folder))
    screen.print(table)
    if clear:
        screen.print("removed all of these files")
    else:
        screen.print(
            "\n[dim]'rankduel cache --clear' removes these files; the environment variable RANKDUEL_CACHE "
            "sets another folder[/]"
        )
