"""Assignment of documents to queries, by query ids or by LightGBM's file of counts.

Both classes take blocks and return a query number for every row, the query ids, and the file of each query.
"""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path

import numpy as np

from rankduel.base.errors import DataError
from rankduel.base.text import with_line_feeds
from rankduel.letor_data.errors import LetorFormatError
from rankduel.letor_data.packed.archive import Source, read_all
from rankduel.letor_data.text.chunks import Block, decode_comment
from rankduel.letor_data.text.problems import Problem, format_error, shown

_NOT_UTF8 = Problem(
    "the query id is not UTF-8", "if the file is Latin-1, convert it: iconv -f LATIN1 -t UTF-8"
)
_SAME_QUERY = (
    "load only one of them; or choose merge_files (--merge-files) if it is one query, "
    "split_prefix (--split-prefix) if train and test number theirs alike"
)
RETURNING = "queries that come back after another query were merged into one"


class NamedQueries:
    """Queries by an id in each line, in a qid token or in the comment."""

    def __init__(self, by_comment: bool, merge_files: bool, split_prefix: bool) -> None:
        self._by_comment, self._merge_files, self._split_prefix = by_comment, merge_files, split_prefix
        self._files: list[Source] = []
        self._numbers: dict[str, int] = {}
        self._starts: list[np.ndarray] = []  # per block: rows at which a query starts
        self._codes: list[np.ndarray] = []  # per block: numbers of these queries
        self.file_of: list[int] = []

    def start_file(self, source: Source) -> None:
        self._files.append(source)
        self._last, self._last_code = b"", -1
        self._seen: set[int] = set()  # queries of this file

    def add(self, block: Block, line: int, row: int) -> list[int]:
        """Add a block that starts at `line` and `row`; return offsets of ids seen before another query."""
        codes, returned = np.empty(len(block.group_rows), np.int64), []
        for g, (start, stop) in enumerate(block.group_ids.tolist()):
            raw = block.text[start:stop]
            if raw != self._last:  # otherwise the query continues from the block before
                self._last, self._last_code = raw, self._number(block, line, start, stop)
                if self._last_code in self._seen:
                    returned.append(start)
                self._seen.add(self._last_code)
            codes[g] = self._last_code
        self._starts.append(block.group_rows + row)
        self._codes.append(codes)
        return returned

    def end_file(self, n_records: int) -> None:
        pass

    def finish(self, n_rows: int) -> tuple[np.ndarray, list[str]]:
        """Return the query number of each row, and the query ids."""
        starts = np.concatenate(self._starts)
        codes = np.concatenate(self._codes)
        return np.repeat(codes, np.diff(starts, append=n_rows)), list(self._numbers)

    def _number(self, block: Block, line: int, start: int, stop: int) -> int:
        here = len(self._files) - 1
        query = self._decoded(block, line, start, stop)
        code = self._numbers.setdefault(query, len(self.file_of))
        if code == len(self.file_of):
            self.file_of.append(here)
        elif self.file_of[code] != here and not self._merge_files:
            other = self._files[self.file_of[code]].name
            problem = Problem(f"query '{query}' is also in {other}", _SAME_QUERY)
            raise format_error(self._files[here].name, block.text, line, problem, start, stop)
        return code

    def _decoded(self, block: Block, line: int, start: int, stop: int) -> str:
        raw, source = block.text[start:stop], self._files[-1]
        try:
            query = decode_comment(raw) if self._by_comment else raw.decode("utf-8")
        except UnicodeDecodeError:
            raise format_error(source.name, block.text, line, _NOT_UTF8, start, stop) from None
        return f"{source.split}/{query}" if self._split_prefix else query


class CountedQueries:
    """Queries by a side file, with the number of documents of each query in the order of the data."""

    def __init__(self, split_prefix: bool) -> None:
        self._split_prefix = split_prefix
        self._ids: list[str] = []
        self._codes: list[np.ndarray] = []
        self.file_of: list[int] = []
        self._n_files = 0

    def start_file(self, source: Source) -> None:
        self._source = source
        self._side, counts = read_counts(source)
        self._ends = np.cumsum(counts)
        self._first = len(self._ids)
        self._records = 0
        self._id_of: dict[int, bytes] = {}  # for data that also contain query ids
        self._query_of: dict[bytes, int] = {}
        prefix = f"{source.split}/" if self._split_prefix else ""
        self._ids += [f"{prefix}{self._first + k + 1}" for k in range(len(counts))]
        self.file_of += [self._n_files] * len(counts)
        self._n_files += 1

    def add(self, block: Block, line: int, row: int) -> list[int]:
        """Add a block; raise an error if its query ids, if any, contradict the counts."""
        code = np.searchsorted(self._ends, block.records + self._records, "right")
        changes = np.union1d(block.group_rows, np.flatnonzero(np.diff(code)) + 1)
        group = np.searchsorted(block.group_rows, changes, "right") - 1
        for row, (start, stop) in zip(changes.tolist(), block.group_ids[group].tolist()):
            if start >= 0:
                self._check_id(block, line, row, int(code[row]), block.text[start:stop])
        self._records += block.n_records
        # Records beyond the last count are an error, which `end_file` raises with both numbers.
        self._codes.append(np.minimum(code, len(self._ends) - 1) + self._first)
        return []

    def _check_id(self, block: Block, line: int, row: int, query: int, raw: bytes) -> None:
        other_id = self._id_of.setdefault(query, raw)
        other_query = self._query_of.setdefault(raw, query)
        if other_id != raw or other_query != query:
            known = f"'{shown(other_id)}'" if other_id != raw else f"that of query {other_query + 1}, too"
            problem = Problem(
                f"by the counts in {self._side} this is query {query + 1}, whose id is {known}",
                f"correct the counts, or remove {self._side.name} to go by the ids",
            )
            span = _id_span(block.text, int(block.records[row]))
            raise format_error(self._source.name, block.text, line, problem, *span)

    def end_file(self, n_records: int) -> None:
        if n_records != self._ends[-1]:
            raise DataError(
                f"{self._side}: its counts add up to {self._ends[-1]:,}, but {self._source.name} has "
                f"{n_records:,} documents\n  one of the two is incomplete, or belongs to another file"
            )

    def finish(self, n_rows: int) -> tuple[np.ndarray, list[str]]:
        return np.concatenate(self._codes), self._ids


def _id_span(text: bytes, record: int) -> tuple[int, int]:
    """Return start and stop of the query id of a record; blocks contain only the first of equal ids."""
    records = re.finditer(rb"^[ \t]*[^ \t\n#]", text, re.MULTILINE)
    start = next(islice(records, record, None)).start()
    return next(re.compile(rb"qid:([^ \t\n#]+)").finditer(text, start)).span(1)


def side_file(source: Source) -> Path | None:
    """Return the file with the documents per query, X.query or X.group beside `source`; None without one."""
    stems = (source.path.name, source.path.stem)
    names = [source.path.with_name(stem + end) for stem in stems for end in (".query", ".group")]
    # os.path.isfile returns False for a name that is too long, where Path.is_file raises an error.
    return next((name for name in names if not source.member and os.path.isfile(name)), None)


def read_counts(source: Source) -> tuple[Path, np.ndarray]:
    """Return the side file of `source` and its numbers of documents per query."""
    path = side_file(source)
    if path is None:
        raise DataError(
            f"{source.name}: profile 'lightgbm' needs to know which documents belong to a query\n"
            f"  put a file {source.path.name}.query beside it, one line per query: how many documents it has"
        )
    counts = []
    for number, line in enumerate(_text_lines(path), start=1):
        token = line.strip()
        if token and not (re.fullmatch("[0-9]{1,12}", token) and int(token) > 0):
            problem = "expected a query's number of documents, 1 or more"
            raise LetorFormatError(path, number, line.index(token) + 1, problem, token, text=line)
        if token:
            counts.append(int(token))
    if not counts:
        raise DataError(f"{path}: no counts in it; each line should hold a query's number of documents")
    return path, np.array(counts, np.int64)


def _text_lines(path: Path) -> list[str]:
    text = b"".join(with_line_feeds([read_all(path)]))
    return text.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n")
