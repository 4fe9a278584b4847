"""Lines of whitespace-separated fields, with the place of every token, so that a bad one can be shown."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from letor_data.errors import LetorFormatError
from letor_data.packed.archive import read_all


class Lines(NamedTuple):
    """The tokens of a file, by their places in its bytes."""

    path: str
    data: bytes
    fields: tuple[str, ...]
    start: np.ndarray  # (n_lines, n_fields) int64
    stop: np.ndarray  # (n_lines, n_fields) int64
    digest: str

    def text(self, field: str) -> np.ndarray:
        """A column as str objects."""
        column = self.fields.index(field)
        size = self.stop[:, column] - self.start[:, column]
        ends = np.cumsum(size)
        # Side by side, the tokens' bytes are an Arrow string array, which is quick to take apart.
        place = np.arange(ends[-1]) + np.repeat(self.start[:, column] - (ends - size), size)
        packed = np.frombuffer(self.data, np.uint8)[place]
        offsets = np.concatenate([[0], ends])
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(packed)]
        column_text = pa.Array.from_buffers(pa.large_string(), len(size), buffers)
        return column_text.to_numpy(zero_copy_only=False)

    def number(self, row: int) -> int:
        """Line number of a row."""
        return self.data.count(b"\n", 0, self.start[row, 0]) + 1

    def error(self, row: int, field: str, problem: str) -> LetorFormatError:
        column = self.fields.index(field)
        return _error(self.path, self.data, self.start[row, column], self.stop[row, column], problem)


def split_lines(path: str | Path, fields: tuple[str, ...]) -> Lines:
    """The tokens of a file whose lines must have these fields."""
    data = read_all(path)
    digest = hashlib.sha256(data).hexdigest()
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").removesuffix(b"\r")
    _check_bytes(str(path), data)
    byte = np.frombuffer(data, np.uint8)
    inside = np.concatenate(
        [[False], (byte != ord(" ")) & (byte != ord("\t")) & (byte != ord("\n")), [False]]
    )
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    start, stop = edges[::2], edges[1::2]
    line = np.searchsorted(np.flatnonzero(byte == ord("\n")), start)
    _check_counts(str(path), data, fields, start, stop, line)
    shape = (-1, len(fields))
    return Lines(str(path), data, fields, start.reshape(shape), stop.reshape(shape), digest)


def _check_bytes(path: str, data: bytes) -> None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise LetorFormatError(path, 1, 1, "the file is UTF-16", hint="convert it: iconv -f UTF-16 -t UTF-8")
    nul = data.find(b"\0")
    if nul >= 0:
        raise _error(path, data, nul, nul + 1, "a NUL byte; is this a text file?")
    try:
        data.decode()
    except UnicodeDecodeError as broken:
        raise _error(path, data, broken.start, broken.end, "not UTF-8") from None


def _check_counts(
    path: str, data: bytes, fields: tuple[str, ...], start: np.ndarray, stop: np.ndarray, line: np.ndarray
) -> None:
    """Every line has as many tokens as there are fields, or none."""
    if not len(start):
        raise LetorFormatError(path, 1, 1, "no documents")
    found = np.bincount(line)
    for bad in np.flatnonzero((found != 0) & (found != len(fields))):
        first, n = np.searchsorted(line, bad), found[bad]
        problem = f"{n} fields where there should be {len(fields)}: {' '.join(fields)}"
        if n > len(fields):
            raise _error(path, data, start[first + len(fields)], stop[first + len(fields)], problem)
        raise _error(path, data, stop[first + n - 1], stop[first + n - 1], problem)


def _error(path: str, data: bytes, start: int, stop: int, problem: str) -> LetorFormatError:
    """The error to raise for data[start:stop]."""
    line_start, line_stop = data.rfind(b"\n", 0, start) + 1, data.find(b"\n", start)
    text = data[line_start : line_stop if line_stop >= 0 else len(data)].decode("utf-8", "backslashreplace")
    token = data[start:stop].decode("utf-8", "backslashreplace")
    line, column = data.count(b"\n", 0, start) + 1, int(start) - line_start + 1
    return LetorFormatError(path, line, column, problem, token, text=text)
