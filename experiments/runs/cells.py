"""Cells: the independent runs of a run set. Play those that are missing, keep each as it ends, and resume."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from experiments.runs.records import RunFolder, read_record, record_path, write_record
from rankduel.base.errors import RecordsError, encodable


class Cell(NamedTuple):
    policy: str  # text that asks for it
    run: int


class PlayedCell(NamedTuple):
    cell: Cell
    table: pd.DataFrame  # one row per checkpoint
    seconds: float


def play_cells(
    cells: Sequence[Cell],
    play: Callable[[list[Cell]], Iterable[PlayedCell]],
    kept: RunFolder | None,
    *,
    repair: bool,
    on_found: Callable[[int], object],
    on_played: Callable[[int], object],
) -> pd.DataFrame:
    """Return the rows of all cells in their order: read those with a record, play and record the others.

    `play` yields cells as they end, in any order. `on_found` is called with the number of cells that had a
    record, `on_played` with 1 after each of the others. Without a folder nothing is kept. A record that is
    damaged or of another study is an error; with `repair` its cell is played again.
    """
    tables = _recorded(kept, cells, repair) if kept is not None else {}
    on_found(len(tables))
    for cell, table, seconds in play([cell for cell in cells if cell not in tables]):
        if kept is not None:
            write_record(kept, cell.policy, cell.run, table, seconds)
        named = table.assign(policy=encodable(cell.policy), run=cell.run, seconds=seconds)
        tables[cell] = named[["policy", "run", *table.columns, "seconds"]]
        on_played(1)
    return pd.concat([tables[cell] for cell in cells], ignore_index=True)


def _recorded(kept: RunFolder, cells: Iterable[Cell], repair: bool) -> dict[Cell, pd.DataFrame]:
    """Return the records there are; the error about the first that does not fit tells how many there are."""
    tables: dict[Cell, pd.DataFrame] = {}
    problems: list[RecordsError] = []
    for cell in cells:
        try:
            tables[cell] = read_record(record_path(kept.path, cell.policy, cell.run), kept)
        except FileNotFoundError:
            continue
        except RecordsError as problem:
            problems.append(problem)
    if problems and not repair:
        more = f" ({len(problems)} such records)" if len(problems) > 1 else ""
        raise RecordsError(f"{problems[0]}{more}")
    return tables
