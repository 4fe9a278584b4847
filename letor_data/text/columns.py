"""Feature columns, each as narrow as its values allow: made from tokens, then grown block by block."""

from __future__ import annotations

import os

import numpy as np

from letor_data.text.tokenizer import ROWS, VALUES, Tokens
from rankduel.base.compiling import entry
from rankduel.base.errors import DataError


def block_columns(tokens: Tokens, max_index: int, max_cells: int, name: str) -> dict[int, np.ndarray]:
    """The features that occur in a block: feature number -> its values in all rows."""
    rows, indices = int(tokens.found[ROWS]), tokens.indices[: tokens.found[VALUES]]
    present = _present_indices(indices, max_index)
    if len(present) * rows > max_cells:
        raise _too_wide(name, rows, len(present))
    place = np.empty(max_index + 1, np.int64)
    place[present] = np.arange(len(present))
    wide = _to_columns(tokens.row_ptr[: rows + 1], indices, tokens.values, place, len(present))
    types = [np.float32 if fits else np.float64 for fits in _fits_float32(wide)]
    return {index: column.astype(kind) for index, column, kind in zip(present.tolist(), wide, types)}


class GrowingColumns:
    """One array per feature number seen; rows in which a feature does not occur hold 0."""

    def __init__(self, max_cells: int) -> None:
        self.n_rows = 0
        self._max_cells = max_cells
        self._columns: dict[int, np.ndarray] = {}  # with spare room at the end

    def append(self, pieces: dict[int, np.ndarray], n_rows: int, name: str) -> None:
        """Add the rows of one block of the file `name`: feature number -> its values in all of these rows."""
        start, self.n_rows = self.n_rows, self.n_rows + n_rows
        self._check_size(len(self._columns.keys() | pieces.keys()), name)
        for feature, values in pieces.items():
            column = self._room_for(feature, values.dtype, start)
            column[start : self.n_rows] = values
        for feature in self._columns.keys() - pieces.keys():
            self._room_for(feature, np.dtype(np.float32), start)[start : self.n_rows] = 0.0

    def finish(self, first: int, at_least: int, name: str) -> tuple[tuple[str, ...], tuple[np.ndarray, ...]]:
        """Names and columns of all features from number `first` on, `at_least` so many of them."""
        stop = max([first + at_least, *(feature + 1 for feature in self._columns)])
        self._check_size(stop - first, name)
        absent = np.zeros(self.n_rows, np.float32)  # one array for all of them
        columns = tuple(self._columns.get(f, absent)[: self.n_rows] for f in range(first, stop))
        return tuple(str(f) for f in range(first, stop)), columns

    def _check_size(self, n_columns: int, name: str) -> None:
        if self.n_rows * n_columns > self._max_cells:
            raise _too_wide(name, self.n_rows, n_columns)

    def _room_for(self, feature: int, dtype: np.dtype, used: int) -> np.ndarray:
        """The feature's array with room for n_rows, of a type that can hold `dtype` too."""
        column = self._columns.get(feature)
        if column is None:
            column = np.zeros(self.n_rows, dtype)
        elif len(column) < self.n_rows or column.dtype != np.result_type(column, dtype):
            # Twice the rows: every value is copied only a few times; room not yet written costs no memory.
            larger = np.empty(max(2 * used, self.n_rows), np.result_type(column, dtype))
            larger[:used] = column[:used]
            column = larger
        self._columns[feature] = column
        return column


def memory_cells() -> int:
    """How many float32 values fit into this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4


def _too_wide(name: str, rows: int, features: int) -> DataError:
    gib = rows * features * 4 / 2**30
    return DataError(
        f"{name}: {rows:,} documents with {features:,} features need {gib:,.1f} GiB or more as a "
        "table, which is more than this machine has\n"
        "  if the feature numbers are right, read fewer documents at a time"
    )


@entry
def _present_indices(indices, max_index):
    """The different indices, ascending."""
    present = np.zeros(max_index + 1, np.bool_)
    for index in indices:
        present[index] = True
    return np.flatnonzero(present)


@entry
def _to_columns(row_ptr, indices, values, place, n_columns):
    """Dense (n_columns, rows) float64 from tokens: `place[index]` is an index's column; absent = 0."""
    n_rows = len(row_ptr) - 1
    columns = np.zeros((n_columns, n_rows))
    for row in range(n_rows):
        for v in range(row_ptr[row], row_ptr[row + 1]):
            columns[place[indices[v]], row] = values[v]
    return columns


@entry
def _fits_float32(columns):
    """Per column: would float32 keep every value (NaN included)?"""
    fits = np.ones(len(columns), np.bool_)
    for c in range(len(columns)):
        for value in columns[c]:
            if np.float64(np.float32(value)) != value and value == value:
                fits[c] = False
                break
    return fits
