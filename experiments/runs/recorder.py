"""Cells are the independent runs of a run set: missing ones are played, and recorded as they end.

The records of a hundred runs are joined into one file.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import groupby
from typing import NamedTuple, Protocol

import pandas as pd

from rankduel.base.errors import RecordsError, encodable
from rankduel.base.files import convert_write_errors
from rankduel.experiments.runs.folder import RunFolder
from rankduel.experiments.runs.records import (
    BLOCK,
    block_of,
    block_path,
    read_record,
    record_path,
    remove_records,
    write_block,
    write_record,
)

DELAY = 1.0  # seconds from the end of a run until its record is written, at most


class Cell(NamedTuple):
    """One run of one policy."""

    policy: str  # name and settings
    run: int

    @property
    def block(self) -> Cell:
        """First run of the block that contains this run."""
        return Cell(self.policy, block_of(self.run)[0])


class PlayedCell(NamedTuple):
    """The result of a cell."""

    cell: Cell
    table: pd.DataFrame  # one row per checkpoint
    seconds: float


class Timer(Protocol):
    """The part of `threading.Timer` that a recorder uses."""

    def start(self) -> None: ...

    def cancel(self) -> None: ...


class _Block:
    """The runs of a block that have ended."""

    def __init__(self, is_whole: bool) -> None:
        self.is_whole = is_whole  # whether all runs of the block are among the cells
        self.ended: dict[int, PlayedCell] = {}  # by run; empty unless the block is whole
        self.unwritten: deque[PlayedCell] = deque()  # runs without a file
        self.timer: Timer | None = None  # running while there are unwritten runs

    def add(self, played: PlayedCell) -> None:
        if self.is_whole:
            self.ended[played.cell.run] = played

    @property
    def is_complete(self) -> bool:
        return len(self.ended) == BLOCK

    def cancel(self) -> None:
        """Stop the timer."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class Recorder:
    """Writes the records of `cells`, each at most `DELAY` seconds after its run ended.

    The file of a block replaces the files of its runs when the last of them ends. Files of single runs are
    not written if the whole block ends within the delay. A run that took longer than the delay is written at
    once. Leaving the context writes all runs that are not written yet, also after an exception.

    Delayed records are written by a thread, since the next run may end much later. An error of this thread is
    raised by the next call of `write`.
    """

    def __init__(
        self,
        run_folder: RunFolder,
        cells: Iterable[Cell],
        timer: Callable[[float, Callable[[], None]], Timer] = threading.Timer,
    ) -> None:
        self.run_folder = run_folder
        sizes = Counter(cell.block for cell in cells)
        self._blocks = {first: _Block(size == BLOCK) for first, size in sizes.items()}  # not those in a file
        self._make_timer = timer
        self._lock = threading.Lock()  # held by all methods that use the blocks
        self._problem: Exception | None = None  # raised by the thread

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            try:
                for first in list(self._blocks):
                    self._write_block(first)
            finally:
                for block in self._blocks.values():
                    block.cancel()
                self._blocks.clear()

    def add(self, played: PlayedCell) -> None:
        """Take a run that has a record, and write its block if this was the last run of it."""
        first = played.cell.block
        with self._lock:
            self._blocks[first].add(played)
            if self._blocks[first].is_complete:
                self._write_block(first)

    def write(self, played: PlayedCell) -> None:
        """Take a run that has no record; write it now, or with later runs of its block."""
        first = played.cell.block
        with self._lock:
            block = self._blocks[first]
            block.unwritten.append(played)
            block.add(played)
            if self._problem is not None:
                raise self._problem
            if block.is_complete or played.seconds >= DELAY:
                self._write_block(first)
            elif block.timer is None:
                block.timer = self._make_timer(DELAY, lambda: self._write_late(first))
                block.timer.start()

    def _write_late(self, first: Cell) -> None:
        """Write the runs of a block after the delay, in the thread of the timer."""
        with self._lock:
            try:
                if first in self._blocks:
                    self._write_block(first)
            except Exception as problem:
                self._problem = problem

    def _write_block(self, first: Cell) -> None:
        """Write the file of a complete block, or else the files of its runs that have none."""
        block = self._blocks[first]
        block.cancel()
        if block.is_complete:
            ordered = [block.ended[run] for run in block_of(first.run)]
            tables = [one.table for one in ordered]
            write_block(self.run_folder, *first, tables, [one.seconds for one in ordered])
            del self._blocks[first]
            return
        while block.unwritten:
            played = block.unwritten[0]
            write_record(self.run_folder, *played.cell, played.table, played.seconds)
            block.unwritten.popleft()


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
    run set is an error; with `repair` its cells are played again. `kept` is a function that selects rows and
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
