"""Writer of LETOR text: `grade qid:ID 1:value 2:value ... #comment`.

A written value is read back as the same float64. Numbers with up to six decimals are written by the compiled
kernel, others as Python's `repr`, which is the shortest exact decimal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankduel.base.errors import DataError
from rankduel.base.files import convert_write_errors
from rankduel.base.threads import ordered_map
from rankduel.letor_data.folds import FOLDS, SPLITS, split_of
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.output import new_folders, open_output, open_outputs
from rankduel.letor_data.text.text_kernel import LONGEST_NUMBER, Rows, Strings, format_rows, hard_values

ISTELLA_MISSING = "1.79769313486232e+308"  # missing value in Istella's files; overflows a double

Progress = Callable[[int], object]  # called with the number of documents finished since the last call

_MOST_DIGITS = 18  # of a feature number
_DOCS_PER_PIECE = 2048  # about 2.5 MB of MSLR text per call of the kernel


def write_letor(
    data: Letor | Iterable[Letor],
    path: str | Path,
    sparse: bool = False,
    missing: str = "NULL",
    progress: Progress | None = None,
    threads: int = 2,
) -> None:
    """Write judged documents as LETOR text, compressed for the suffixes .gz, .bz2, .xz and .zst.

    `data` is a Letor, or several with consecutive queries. `sparse` omits values +0.0 (-0.0 is written), and
    `missing` is the text for NaN. After an error there is no file.
    """
    layout = partial(_format, sparse=sparse, missing=missing)
    with open_output(path) as out:
        for text in ordered_map(layout, _pieces(data), threads):
            out.write(text.data)
            if progress:
                progress(text.n_docs)


def write_folds(
    data: Letor | Iterable[Letor],
    folder: str | Path,
    sparse: bool = False,
    missing: str = "NULL",
    suffix: str = ".txt",
    progress: Progress | None = None,
    threads: int = 2,
) -> None:
    """Write FoldN/{train,vali,test}.txt for N = 1..5; every query is in one file of each fold.

    `suffix` may select compression, as '.txt.gz' does. After an error there are none of the fifteen files.
    """
    layout = partial(_format, sparse=sparse, missing=missing)
    keys = [(fold, split) for fold in FOLDS for split in SPLITS]
    paths = [Path(folder) / f"Fold{fold}" / f"{split}{suffix}" for fold, split in keys]
    with (
        convert_write_errors(folder, DataError),
        new_folders(dict.fromkeys(path.parent for path in paths)),
        open_outputs(paths) as files,
    ):
        file_of = dict(zip(keys, files))
        number = 0
        for text in ordered_map(layout, _pieces(data), threads):
            for start, stop in zip(text.starts[:-1], text.starts[1:]):
                for fold in FOLDS:
                    file_of[fold, split_of(number, fold)].write(text.data[start:stop])
                number += 1
            if progress:
                progress(text.n_docs)


class _Piece(NamedTuple):
    """Queries ``first:last`` of a Letor."""

    letor: Letor
    first: int
    last: int


class _Text(NamedTuple):
    data: memoryview
    starts: np.ndarray  # (n_queries + 1,) int64, start of each query's lines in `data`, and the end
    n_docs: int


def _pieces(data: Letor | Iterable[Letor]) -> Iterator[_Piece]:
    """Yield pieces of whole queries with about _DOCS_PER_PIECE documents."""
    for letor in [data] if isinstance(data, Letor) else data:
        first = 0
        while first < letor.n_queries:
            target = letor.offsets[first] + _DOCS_PER_PIECE
            last = max(first + 1, int(np.searchsorted(letor.offsets, target, side="right")) - 1)
            yield _Piece(letor, first, last)
            first = last


def _format(piece: _Piece, sparse: bool, missing: str) -> _Text:
    letor, first, last = piece
    offsets = letor.offsets[first : last + 1] - letor.offsets[first]
    rows = _rows(piece, missing)
    out = np.empty(_max_bytes(rows), np.uint8)
    ends = np.zeros(int(offsets[-1]) + 1, np.int64)
    format_rows(rows, sparse, out, ends[1:])
    return _Text(out[: ends[-1]].data, ends[offsets], int(offsets[-1]))


def _rows(piece: _Piece, missing: str) -> Rows:
    letor, first, last = piece
    docs = slice(int(letor.offsets[first]), int(letor.offsets[last]))
    sizes = np.diff(letor.offsets[first : last + 1])
    values = np.empty((docs.stop - docs.start, letor.n_features), np.float64)
    for i, column in enumerate(letor.columns):
        values[:, i] = column[docs]
    return Rows(
        values=values,
        labels=letor.labels[docs].astype(np.uint64),
        query=np.repeat(np.arange(last - first), sizes),
        heads=_strings(f" qid:{_checked_id(query)}" for query in letor.query_ids[first:last]),
        indices=_strings(f" {number}:" for number in feature_numbers(letor)),
        hard=_strings(_checked_number(value) for value in hard_values(values).tolist()),
        missing=_strings([missing]),
        comments=_comments(letor, docs),
    )


def feature_numbers(letor: Letor) -> Sequence[int]:
    """Return the written feature numbers: the names if they are ascending numbers, otherwise 1, 2, ..."""
    if all(name.isdecimal() and len(name) <= _MOST_DIGITS for name in letor.feature_names):
        numbers = [int(name) for name in letor.feature_names]
        if numbers == sorted(set(numbers)):
            return numbers
    return range(1, letor.n_features + 1)


def _max_bytes(rows: Rows) -> int:
    """Return an upper bound of the size of the lines."""
    n_docs, n_features = rows.values.shape
    value = max(LONGEST_NUMBER, len(rows.missing.data))
    head = len("127") + int(np.diff(rows.heads.starts).max())
    line = head + len(rows.indices.data) + n_features * value + len(" #\n")
    return n_docs * line + len(rows.comments.data)


def _strings(texts: Iterable[str]) -> Strings:
    encoded = [text.encode() for text in texts]
    starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return Strings(np.frombuffer(bytearray(b"".join(encoded)), np.uint8), starts)


def _comments(letor: Letor, docs: slice) -> Strings:
    if letor.comments is None:
        return Strings(np.empty(0, np.uint8), np.zeros(docs.stop - docs.start + 1, np.int64))
    return _strings(_checked_comment(text or "") for text in letor.comments[docs].to_pylist())


def _checked_comment(text: str) -> str:
    if "\n" in text or "\r" in text:
        raise DataError(f"a comment with a line break cannot be written: {text!r}; replace the break first")
    return text


def _checked_id(query: str) -> str:
    if not query or "#" in query or query.split() != [query]:
        raise DataError(f"query id {query!r} cannot be written: it must be one word without '#'")
    return query


def _checked_number(value: float) -> str:
    if math.isinf(value):
        raise DataError(f"the value {value} cannot be written; use NaN for a missing one")
    return repr(value)
