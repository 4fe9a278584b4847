"""Record runs as they end, and join the records of a hundred runs into one file."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

import pandas as pd

from rankduel.experiments.runs.records import BLOCK, block_of, write_block, write_record
from rankduel.experiments.runs.run_folder import RunFolder

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
