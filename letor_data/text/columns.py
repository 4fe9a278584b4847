"""Feature columns, float32 if exact: built from tokens, and extended block by block."""

from __future__ import annotations

import os

import numpy as np

from rankduel.base.compiling import entry
from rankduel.base.errors import DataError
from rankduel.letor_data.text.tokenizer import ROWS, VALUES, Tokens


def block_columns(tokens: Tokens, max_index: int, max_cells: int, name: str) -> dict[int, np.ndarray]:
    """Return {feature number: values of all rows} for the features that occur in a block."""
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
    """One growing array per feature number; rows in which a feature does not occur are 0."""

    def __init__(self, max_cells: int) -> None:
        self.n_rows = 0
        self._max_cells = max_cells
        self._columns: dict[int, np.ndarray] = {}  # may be longer than n_rows

    def append(self, pieces: dict[int, np.ndarray], n_rows: int, name: str) -> None:
        """Add `n_rows` rows of the file `name`; `pieces` maps feature numbers to values of these rows."""
        start, self.n_rows = self.n_rows, self.n_rows + n_rows
        self._check_size(len(self._columns.keys() | pieces.keys()), name)
        for feature, values in pieces.items():
            column = self._grown(feature, values.dtype, start)
            column[start : self.n_rows] = values
        for feature in self._columns.keys() - pieces.keys():
            self._grown(feature, np.dtype(np.float32), start)[start : self.n_rows] = 0.0

    def finish(self, first: int, at_least: int, name: str) -> tuple[tuple[str, ...], tuple[np.ndarray, ...]]:
        """Return names and columns of all features from number `first` on, `at_least` features."""
        stop = max([first + at_least, *(feature + 1 for feature in self._columns)])
        self._check_size(stop - first, name)
        absent = np.zeros(self.n_rows, np.float32)  # shared by all absent features
        columns = tuple(self._columns.get(f, absent)[: self.n_rows] for f in range(first, stop))
        return tuple(str(f) for f in range(first, stop)), columns

    def _check_size(self, n_columns: int, name: str) -> None:
        if self.n_rows * n_columns > self._max_cells:
            raise _too_wide(name, self.n_rows, n_columns)

    def _grown(self, feature: int, dtype: np.dtype, used: int) -> np.ndarray:
        """Return the array of `feature` with at least n_rows rows and a type that can hold `dtype`."""
        column = self._columns.get(feature)
        if column is None:
            column = np.zeros(self.n_rows, dtype)
        elif len(column) < self.n_rows or column.dtype != np.result_type(column, dtype):
            # Doubling bounds the number of copies of a value; pages that are not written use no memory.
            larger = np.empty(max(2 * used, self.n_rows), np.result_type(column, dtype))
            larger[:used] = column[:used]
            column = larger
        self._columns[feature] = column
        return column


def memory_cells() -> int:
    """Return the number of float32 values that fit into the memory of this machine."""
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
    """Return the distinct indices in ascending order."""
    present = np.zeros(max_index + 1, np.bool_)
    for index in indices:
        present[index] = True
    return np.flatnonzero(present)


@entry
def _to_columns(row_ptr, indices, values, place, n_columns):
    """Return (n_columns, rows) float64 values, 0 if absent; ``place[index]`` is the column of an index."""
    n_rows = len(row_ptr) - 1
    columns = np.zeros((n_columns, n_rows))
    for row in range(n_rows):
        for v in range(row_ptr[row], row_ptr[row + 1]):
            columns[place[indices[v]], row] = values[v]
    return columns


@entry
def _fits_float32(columns):
    """Return for each column whether all values are exact in float32; NaN is."""
    fits = np.ones(len(columns), np.bool_)
    for c in range(len(columns)):
        for value in columns[c]:
            if np.float64(np.float32(value)) != value and value == value:
                fits[c] = False
                break
    return fits
