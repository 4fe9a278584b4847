"""Cells: the independent runs of a run set. Missing ones are played, and each is recorded when it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from experiments.runs.records import RunFolder, read_record, record_path, write_record
from rankduel.base.errors import RecordsError, encodable


class Cell(NamedTuple):
    """One run of one policy."""

    policy: str  # name and settings
    run: int


class PlayedCell(NamedTuple):
    """The result of a cell."""

    cell: Cell
    table: pd.DataFrame  # one row per checkpoint
    seconds: float


def play_cells(
    cells: Sequence[Cell],
    play: Callable[[list[Cell]], Iterable[PlayedCell]],
    run_folder: RunFolder | None,
    *,
    repair: bool,
    on_found: Callable[[int], object],
    on_played: Callable[[int], object],
) -> pd.DataFrame:
    """Return the rows of all cells in order: read the recorded cells, play and record the others.

    `play` yields cells as they end, in any order. `on_found` is called once with the number of recorded
    cells, and `on_played` with 1 after every other cell. Nothing is recorded if `run_folder` is None. A
    record that is damaged or belongs to another study is an error; with `repair` its cell is played again.
    """
    tables = _recorded(run_folder, cells, repair) if run_folder is not None else {}
    on_found(len(tables))
    for cell, table, seconds in play([cell for cell in cells if cell not in tables]):
        if run_folder is not None:
            write_record(run_folder, cell.policy, cell.run, table, seconds)
        named = table.assign(policy=encodable(cell.policy), run=cell.run, seconds=seconds)
        tables[cell] = named[["policy", "run", *table.columns, "seconds"]]
        on_played(1)
    return pd.concat([tables[cell] for cell in cells], ignore_index=True)


def _recorded(run_folder: RunFolder, cells: Iterable[Cell], repair: bool) -> dict[Cell, pd.DataFrame]:
    """Return the recorded cells; without `repair`, raise RecordsError for the first that does not fit."""
    tables: dict[Cell, pd.DataFrame] = {}
    problems: list[RecordsError] = []
    for cell in cells:
        try:
            tables[cell] = read_record(record_path(run_folder.path, cell.policy, cell.run), run_folder)
        except FileNotFoundError:
            continue
        except RecordsError as problem:
            problems.append(problem)
    if problems and not repair:
        more = f" ({len(problems)} such records)" if len(problems) > 1 else ""
        raise RecordsError(f"{problems[0]}{more}")
    return tables
