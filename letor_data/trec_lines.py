"""Lines of whitespace-separated fields, with the position of every token for error messages.

A file is read in blocks of whole lines, so that an error in a file that unpacks to gigabytes is raised before
the rest is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from rankduel.base.errors import encodable
from rankduel.letor_data.errors import LetorFormatError
from rankduel.letor_data.packed.archive import read_one
from rankduel.letor_data.text.chunks import MAX_LINE, cut_lines

Watch = Callable[[bytes], object]

_MOST_TOKEN = 4096  # bytes of a field


class Lines(NamedTuple):
    """Tokens of a block of lines, by their positions in its bytes."""

    path: str
    data: bytes
    fields: tuple[str, ...]
    start: np.ndarray  # (n_lines, n_fields) int64
    stop: np.ndarray  # (n_lines, n_fields) int64
    before: int  # number of lines of the file before this block

    def text(self, field: str) -> pa.LargeStringArray:
        """Return a column as text."""
        column = self.fields.index(field)
        size = self.stop[:, column] - self.start[:, column]
        ends = np.cumsum(size)
        # The concatenated bytes of the tokens are the buffer of an Arrow string array.
        place = np.arange(ends[-1]) + np.repeat(self.start[:, column] - (ends - size), size)
        packed = np.frombuffer(self.data, np.uint8)[place]
        offsets = np.concatenate([[0], ends])
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(packed)]
        return pa.Array.from_buffers(pa.large_string(), len(size), buffers)

    def numbers(self) -> np.ndarray:
        """Return the line number of every row."""
        ends = np.flatnonzero(np.frombuffer(self.data, np.uint8) == ord("\n"))
        return np.searchsorted(ends, self.start[:, 0]) + self.before + 1

    def error(self, row: int, field: str, problem: str) -> LetorFormatError:
        column = self.fields.index(field)
        span = self.start[row, column], self.stop[row, column]
        return _error(self.path, self.data, *span, problem, before=self.before)


def split_lines(
    path: str | Path, fields: tuple[str, ...], notes: list[str] | None = None, watch: Watch = lambda _: None
) -> Iterator[Lines]:
    """Yield blocks of a file whose lines must have these fields.

    `watch` is called with every piece of bytes. Remarks about the compression are appended to `notes`.
    """
    name, before, n_documents = encodable(str(path)), 0, 0
    for data in cut_lines(_watched(read_one(path, notes), watch), name):
        _check_bytes(name, data, before)
        lines = _split(name, data, fields, before)
        before += data.count(b"\n")
        if len(lines.start):
            n_documents += len(lines.start)
            yield lines
    if not n_documents:
        raise LetorFormatError(name, 1, 1, "no documents")


def _watched(pieces: Iterator[bytes], watch: Watch) -> Iterator[bytes]:
    for piece in pieces:
        watch(piece)
        yield piece


def line_error(
    path: str | Path, fields: tuple[str, ...], number: int, field: str, problem: str
) -> LetorFormatError:
    """Return the error for a field of line `number`, reading the file again."""
    for lines in split_lines(path, fields):
        row = int(np.searchsorted(numbers := lines.numbers(), number))
        if row < len(numbers) and numbers[row] == number:
            return lines.error(row, field, problem)
    return LetorFormatError(path, number, 1, problem)


def _split(path: str, data: bytes, fields: tuple[str, ...], before: int) -> Lines:
    byte = np.frombuffer(data, np.uint8)
    inside = np.concatenate(
        [[False], (byte != ord(" ")) & (byte != ord("\t")) & (byte != ord("\n")), [False]]
    )
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    start, stop = edges[::2], edges[1::2]
    line = np.searchsorted(np.flatnonzero(byte == ord("\n")), start)
    _check_counts(Lines(path, data, fields, start, stop, before), line)
    for bad in np.flatnonzero(stop - start > _MOST_TOKEN).tolist():
        problem = f"a field of more than {_MOST_TOKEN:,} bytes"
        raise _error(path, data, start[bad], stop[bad], problem, before)
    shape = (-1, len(fields))
    return Lines(path, data, fields, start.reshape(shape), stop.reshape(shape), before)


def _check_bytes(path: str, data: bytes, before: int) -> None:
    nul = data.find(b"\0")
    if nul >= 0:
        raise _error(path, data, nul, nul + 1, "a NUL byte; is this a text file?", before)
    if not data.endswith(b"\n"):
        raise LetorFormatError(path, before + 1, 1, f"no line end within {MAX_LINE >> 20} MiB")
    try:
        data.decode()
    except UnicodeDecodeError as broken:
        raise _error(path, data, broken.start, broken.end, "not UTF-8", before) from None


def _check_counts(tokens: Lines, line: np.ndarray) -> None:
    """Raise an error unless every line has one token per field or none; `line` is that of each token."""
    path, data, fields, start, stop, before = tokens
    found = np.bincount(line)
    for bad in np.flatnonzero((found != 0) & (found != len(fields))):
        first, n = np.searchsorted(line, bad), found[bad]
        problem = f"{n} fields where there should be {len(fields)}: {' '.join(fields)}"
        if n > len(fields):
            raise _error(path, data, start[first + len(fields)], stop[first + len(fields)], problem, before)
        raise _error(path, data, stop[first + n - 1], stop[first + n - 1], problem, before)


def _error(path: str, data: bytes, start: int, stop: int, problem: str, before: int) -> LetorFormatError:
    """Return the error for ``data[start:stop]``; `before` lines of the file precede `data`."""
    line_start, line_stop = data.rfind(b"\n", 0, start) + 1, data.find(b"\n", start)
    text = data[line_start : line_stop if line_stop >= 0 else len(data)].decode("utf-8", "backslashreplace")
    token = data[start:stop].decode("utf-8", "backslashreplace")
    line, column = before + data.count(b"\n", 0, start) + 1, int(start) - line_start + 1
    return LetorFormatError(path, line, column, problem, token, text=text)
