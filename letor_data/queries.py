"""Which query each document belongs to: by its id, or by LightGBM's file of counts.

Both kinds are fed block by block and answer alike: a query number for every row, the queries' ids, and
the file each query came from.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from letor_data.archive import Source, read_all
from letor_data.chunks import Block, decode_comment
from letor_data.errors import DataError, LetorFormatError
from letor_data.problems import Problem, format_error

_NOT_UTF8 = Problem("the query id is not UTF-8")
RETURNING = "queries that come back after another query were merged into one"


class NamedQueries:
    """Queries named in each line, by a qid token or by the comment."""

    def __init__(self, by_comment: bool, merge_files: bool, split_prefix: bool) -> None:
        self._by_comment, self._merge_files, self._split_prefix = by_comment, merge_files, split_prefix
        self._files: list[Source] = []
        self._numbers: dict[str, int] = {}
        self._starts: list[np.ndarray] = []  # rows where a query starts, per block
        self._codes: list[np.ndarray] = []  # its number
        self.file_of: list[int] = []

    def start_file(self, source: Source) -> None:
        self._files.append(source)
        self._last, self._last_code = b"", -1

    def add(self, block: Block, line: int, row: int) -> list[int]:
        """Take in a block that starts at this line and row; offsets of ids that came back are returned."""
        codes, returned = np.empty(len(block.group_rows), np.int64), []
        for g, (start, stop) in enumerate(block.group_ids):
            raw = block.text[start:stop]
            if raw != self._last:  # else the query just goes on from the block before
                n_known = len(self.file_of)
                self._last, self._last_code = raw, self._number(block, line, int(start), int(stop))
                if self._last_code < n_known:
                    returned.append(int(start))
            codes[g] = self._last_code
        self._starts.append(block.group_rows + row)
        self._codes.append(codes)
        return returned

    def end_file(self, n_records: int) -> None:
        pass

    def finish(self, n_rows: int) -> tuple[np.ndarray, list[str]]:
        """(query number per row, query ids)."""
        starts, codes = np.concatenate(self._starts), np.concatenate(self._codes)
        return np.repeat(codes, np.diff(starts, append=n_rows)), list(self._numbers)

    def _number(self, block: Block, line: int, start: int, stop: int) -> int:
        here = len(self._files) - 1
        query = self._decoded(block, line, start, stop)
        code = self._numbers.setdefault(query, len(self.file_of))
        if code == len(self.file_of):
            self.file_of.append(here)
        elif self.file_of[code] != here and not self._merge_files:
            problem = Problem(
                f"query '{query}' is also in {self._files[self.file_of[code]].name}",
                "load one of them, or choose merge_files (--merge-files) or split_prefix (--split-prefix)",
            )
            raise format_error(self._files[here].name, block.text, line, start, stop, problem)
        return code

    def _decoded(self, block: Block, line: int, start: int, stop: int) -> str:
        raw, source = block.text[start:stop], self._files[-1]
        try:
            query = decode_comment(raw) if self._by_comment else raw.decode("utf-8")
        except UnicodeDecodeError:
            raise format_error(source.name, block.text, line, start, stop, _NOT_UTF8) from None
        return f"{source.split}/{query}" if self._split_prefix else query


class CountedQueries:
    """Queries by a side file: one count of documents per line, in the order of the data."""

    def __init__(self, split_prefix: bool) -> None:
        self._split_prefix = split_prefix
        self._ids: list[str] = []
        self._codes: list[np.ndarray] = []
        self.file_of: list[int] = []
        self._n_files = 0

    def start_file(self, source: Source) -> None:
        self._source = source
        self._side, counts = read_counts(source)
        self._ends, self._first, self._records = np.cumsum(counts), len(self._ids), 0
        prefix = f"{source.split}/" if self._split_prefix else ""
        self._ids += [f"{prefix}{self._first + k + 1}" for k in range(len(counts))]
        self.file_of += [self._n_files] * len(counts)
        self._n_files += 1

    def add(self, block: Block, line: int, row: int) -> list[int]:
        """Take in a block; a query id in the data may change only where the counts start a new query."""
        code = np.searchsorted(self._ends, block.records + self._records, "right")
        for start_row, (start, stop) in zip(block.group_rows, block.group_ids):
            if start >= 0 and start_row > 0 and code[start_row] == code[start_row - 1]:
                problem = Problem(f"the query id changes within query {code[start_row] + 1} of {self._side}")
                raise format_error(self._source.name, block.text, line, int(start), int(stop), problem)
        self._records += block.n_records
        # Records beyond the last count are an error, told when both numbers are known.
        self._codes.append(np.minimum(code, len(self._ends) - 1) + self._first)
        return []

    def end_file(self, n_records: int) -> None:
        if n_records != self._ends[-1]:
            raise DataError(
                f"{self._side}: its counts add up to {self._ends[-1]:,}, but {self._source.name} has "
                f"{n_records:,} documents"
            )

    def finish(self, n_rows: int) -> tuple[np.ndarray, list[str]]:
        return np.concatenate(self._codes), self._ids


def side_file(source: Source) -> Path | None:
    """The file of documents per query beside a data file, if there is one: X.query or X.group."""
    stems = (source.path.name, source.path.stem)
    names = [source.path.with_name(stem + end) for stem in stems for end in (".query", ".group")]
    return next((name for name in names if not source.member and name.is_file()), None)


def read_counts(source: Source) -> tuple[Path, np.ndarray]:
    """(side file, documents per query)."""
    path = side_file(source)
    if path is None:
        raise DataError(f"{source.name}: needs a file {source.path.name}.query with a count per line, and has none")
    counts = []
    for number, line in enumerate(read_all(path).decode("latin-1").splitlines(), start=1):
        token = line.strip()
        if token and not (re.fullmatch("[0-9]{1,18}", token) and int(token) > 0):
            raise LetorFormatError(path, number, line.index(token) + 1, "expected a positive count", token, text=line)
        if token:
            counts.append(int(token))
    if not counts:
        raise DataError(f"{path}: no counts in it")
    return path, np.array(counts, np.int64)
