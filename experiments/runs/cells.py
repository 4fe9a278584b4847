"""Cells: the independent runs of a run set. Missing ones are played, and recorded as they end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import groupby

import pandas as pd

from rankduel.base.errors import RecordsError, encodable
from rankduel.base.files import convert_write_errors
from rankduel.experiments.runs.record_reading import read_record
from rankduel.experiments.runs.recorder import Cell, PlayedCell, Recorder
from rankduel.experiments.runs.records import BLOCK, block_path, record_path, remove_records
from rankduel.experiments.runs.run_folder import RunFolder


def play_cells(
    cells: Sequence[Cell],
    play: Callable[[list[Cell]], Iterable[PlayedCell]],
    run_folder: RunFolder | None,
    *,
    repair: bool,
    on_found: Callable[[int], object],
    on_played: Callable[[int], object],
    kept: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table,
) -> pd.DataFrame:
    """Return the rows of all cells in order: read the recorded cells, play and record the others.

    The cells of a policy are adjacent and in order of their runs. `play` yields cells as they end, in any
    order. `on_found` is called once with the number of recorded cells, and `on_played` with 1 after every
    other cell. Nothing is recorded if `run_folder` is None. A record that is damaged or belongs to another
    study is an error; with `repair` its cells are played again. `kept` is a function that selects rows and
    columns of a table to be returned, among them policy, run and seconds; the others are released once they
    are recorded. If `play` raises an exception, the cells that have ended are recorded.
    """
    rows: dict[Cell, pd.DataFrame] = {}  # by the first cell of the table
    found: set[Cell] = set()
    with nullcontext() if run_folder is None else Recorder(run_folder, cells) as recorder:
        for some, table in [] if recorder is None else _recorded(recorder, cells, repair):
            found.update(some)
            rows[some[0]] = kept(table)
        on_found(len(found))
        for played in play([cell for cell in cells if cell not in found]):
            if recorder is not None:
                recorder.write(played)
            rows[played.cell] = _named(played._replace(table=kept(played.table)))
            on_played(1)
    return pd.concat([rows[cell] for cell in cells if cell in rows], ignore_index=True)


def _named(played: PlayedCell) -> pd.DataFrame:
    """Return the table of a run with columns for policy, run and seconds, as records are read."""
    (policy, run), table, seconds = played
    named = table.assign(seconds=seconds)
    named.insert(0, "policy", encodable(policy))
    named.insert(1, "run", run)
    return named


def _recorded(
    recorder: Recorder, cells: Iterable[Cell], repair: bool
) -> Iterator[tuple[list[Cell], pd.DataFrame]]:
    """Yield recorded cells with their rows; without `repair`, raise RecordsError if a record does not fit.

    Single records of complete blocks are joined.
    """
    problems: list[RecordsError] = []
    for _, group in groupby(cells, key=lambda cell: cell.block):
        some = list(group)
        table = _read_block(recorder.run_folder, some, repair, problems)
        if table is not None:
            yield some, table
            continue
        for cell in some:
            table = _read_run(recorder.run_folder, cell, problems)
            if table is not None:
                recorder.add(_played(cell, table))
                yield [cell], table
    if problems and not repair:
        more = f" ({len(problems)} such records)" if len(problems) > 1 else ""
        raise RecordsError(f"{problems[0]}{more}")


def _read_block(
    run_folder: RunFolder, cells: list[Cell], repair: bool, problems: list[RecordsError]
) -> pd.DataFrame | None:
    """Return the rows of `cells` from their block; None if it is absent or, after a note, does not fit."""
    policy, first = cells[0].block
    path = block_path(run_folder.path, policy, first)
    try:
        table = read_record(path, run_folder)
    except FileNotFoundError:
        return None
    except RecordsError as problem:
        problems.append(problem)
        if repair:
            with convert_write_errors(path, RecordsError):
                path.unlink()  # its runs are played again, and recorded one by one
        return None
    remove_records(run_folder.path, policy, range(first, first + BLOCK))
    return table if len(cells) == BLOCK else table[table["run"].isin([cell.run for cell in cells])]


def _read_run(run_folder: RunFolder, cell: Cell, problems: list[RecordsError]) -> pd.DataFrame | None:
    try:
        return read_record(record_path(run_folder.path, *cell), run_folder)
    except FileNotFoundError:
        return None
    except RecordsError as problem:
        problems.append(problem)
        return None


def _played(cell: Cell, record: pd.DataFrame) -> PlayedCell:
    """Return a run as it was played, from its record."""
    return PlayedCell(cell, record.drop(columns=["policy", "run", "seconds"]), record["seconds"].iloc[0])
