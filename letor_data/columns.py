"""Feature columns that grow block by block, each as narrow as its values allow."""

from __future__ import annotations

import numpy as np

from letor_data.chunks import too_wide


class GrowingColumns:
    """One array per feature number seen; rows in which a feature does not occur hold 0."""

    def __init__(self, max_cells: int) -> None:
        self.n_rows = 0
        self._max_cells = max_cells
        self._columns: dict[int, np.ndarray] = {}  # with spare room at the end

    def append(self, pieces: dict[int, np.ndarray], n_rows: int) -> None:
        """Add the rows of one block: feature number -> its values in all of these rows."""
        start, self.n_rows = self.n_rows, self.n_rows + n_rows
        for feature, values in pieces.items():
            column = self._room_for(feature, values.dtype, start)
            column[start : self.n_rows] = values
        for feature in self._columns.keys() - pieces.keys():
            self._room_for(feature, np.dtype(np.float32), start)[start : self.n_rows] = 0.0
        if self.n_rows * len(self._columns) > self._max_cells:
            raise too_wide(self.n_rows, len(self._columns))

    def finish(self, first: int, at_least: int) -> tuple[tuple[str, ...], tuple[np.ndarray, ...]]:
        """Names and columns of all features from number `first` on, `at_least` so many of them."""
        stop = max([first + at_least, *(feature + 1 for feature in self._columns)])
        if self.n_rows * (stop - first) > self._max_cells:
            raise too_wide(self.n_rows, stop - first)
        absent = np.zeros(self.n_rows, np.float32)
        columns = tuple(self._columns.get(f, absent)[: self.n_rows] for f in range(first, stop))
        return tuple(str(f) for f in range(first, stop)), columns

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
