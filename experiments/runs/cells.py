"""Cells: the independent runs of a run set. Play those that are missing, keep each as it ends, and resume."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from experiments.runs.records import read_record, record_path, write_record
from rankduel.base.errors import RecordsError


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
    folder: Path | None,
    *,
    on_found: Callable[[int], object],
    on_played: Callable[[int], object],
) -> pd.DataFrame:
    """Return the rows of all cells in their order: read those with a record, play and record the others.

    `play` yields cells as they end, in any order. `on_found` is called with the number of cells that had a
    record, `on_played` with 1 after each of the others. Without a folder nothing is kept.
    """
    tables = dict(_recorded(folder, cells)) if folder is not None else {}
    on_found(len(tables))
    for cell, table, seconds in play([cell for cell in cells if cell not in tables]):
        if folder is not None:
            write_record(folder, cell.policy, cell.run, table, seconds)
        named = table.assign(policy=cell.policy, run=cell.run, seconds=seconds)
        tables[cell] = named[["policy", "run", *table.columns, "seconds"]]
        on_played(1)
    return pd.concat([tables[cell] for cell in cells], ignore_index=True)


def _recorded(folder: Path, cells: Iterable[Cell]) -> Iterator[tuple[Cell, pd.DataFrame]]:
    """Yield the records there are; a damaged one counts as none, and is played again."""
    for cell in cells:
        try:
            yield cell, read_record(record_path(folder, cell.policy, cell.run))
        except (FileNotFoundError, RecordsError):
            continue
