"""Record runs as they end, and join the records of a hundred runs into one file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from experiments.runs.records import BLOCK, block_of, write_block, write_record
from experiments.runs.run_folder import RunFolder


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


class Recorder:
    """Writes the records of `cells`; a block replaces the files of its runs when the last of them ends."""

    def __init__(self, run_folder: RunFolder, cells: Iterable[Cell]) -> None:
        self.run_folder = run_folder
        sizes = Counter(cell.block for cell in cells)
        # Played cells of the blocks that will be complete, by run.
        self._waiting: dict[Cell, dict[int, PlayedCell]] = {
            block: {} for block, size in sizes.items() if size == BLOCK
        }

    def write(self, played: PlayedCell) -> None:
        """Write the record of a run, and its block if this was the last run of it."""
        write_record(self.run_folder, *played.cell, played.table, played.seconds)
        self.add(played)

    def add(self, played: PlayedCell) -> None:
        """Take a run that has a record, and write its block if this was the last run of it."""
        block = played.cell.block
        if block not in self._waiting:
            return
        runs = self._waiting[block]
        runs[played.cell.run] = played
        if len(runs) == BLOCK:
            ordered = [runs[run] for run in block_of(block.run)]
            tables = [one.table for one in ordered]
            write_block(self.run_folder, *block, tables, [one.seconds for one in ordered])
            del self._waiting[block]
