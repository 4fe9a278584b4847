"""From a stream of bytes to parsed blocks: cut at line ends, tokenise on threads, keep the order.

Blocks are cut by size alone, so what is read, and which error is reported first, does not depend on
the number of threads.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from letor_data import tokenizer as t
from letor_data.archive import DamagedError
from letor_data.errors import DataError
from letor_data.problems import Problem, format_error

BLOCK = 8 << 20
MAX_LINE = 64 << 20
_NUL = Problem("a NUL byte", "this is not text; was it decompressed rightly?")
_LONG_LINE = Problem(f"no line end within {MAX_LINE >> 20} MiB", "this does not look like text, one document a line")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class Block(NamedTuple):
    """Some whole lines, parsed. Rows and records are numbered within the block."""

    text: bytes
    n_lines: int
    n_records: int
    labels: np.ndarray
    records: np.ndarray
    group_rows: np.ndarray  # rows at which another query id starts
    group_ids: np.ndarray  # (groups, 2) its place in the text
    comments: pa.LargeStringArray | None
    columns: dict[int, np.ndarray]  # feature number -> values of all rows, float32 where exact
    notes: dict[int, tuple[int, int]]  # kind -> how often, offset of the first
    error: tuple[Problem, int, int] | None = None


def parse(
    pieces: Iterator[bytes],
    name: str,
    digest: Callable[[bytes], Block],
    jobs: int,
) -> Iterator[tuple[int, Block]]:
    """(first line number, block) in file order; the first error in the file is raised."""
    line, waiting = 1, deque[Future[Block]]()
    with ThreadPoolExecutor(jobs) as pool:
        texts = cut_lines(pieces, name)
        try:
            while True:
                while len(waiting) <= jobs and (text := _next_text(texts, name, waiting, line)):
                    waiting.append(pool.submit(digest, text))
                if not waiting:
                    return
                block = waiting.popleft().result()
                if block.error is not None:
                    problem, start, stop = block.error
                    raise format_error(name, block.text, line, start, stop, problem)
                yield line, block
                line += block.n_lines
        finally:
            for future in waiting:
                future.cancel()


def _next_text(texts: Iterator[bytes], name: str, waiting: deque, line: int) -> bytes:
    """The next text to parse, b"" at the end; damage is reported with the line it was reached at."""
    try:
        return next(texts, b"")
    except DamagedError as damage:
        for future in waiting:  # an error in the good part comes first
            block = future.result()
            if block.error is not None:
                problem, start, stop = block.error
                raise format_error(name, block.text, line, start, stop, problem) from None
            line += block.n_lines
        raise DamagedError(f"{damage}\n  reached after line {line - 1:,}; nothing was kept") from None


def cut_lines(pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Texts of about BLOCK bytes that end with a line feed (one is added to the last line)."""
    held: list[bytes] = []
    size, first = 0, True
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size < BLOCK:
            continue
        text = b"".join(held)
        end = text.rfind(b"\n") + 1
        if end == 0 and size > MAX_LINE:
            raise format_error(name, text, 1, 0, 0, _LONG_LINE)
        if end:
            yield _without_mark(text[:end], name) if first else text[:end]
            first = False
        held, size = [text[end:]], len(text) - end
    rest = b"".join(held)
    if rest:
        rest = _without_mark(rest, name) if first else rest
        yield rest if rest.endswith(b"\n") else rest + b"\n"


def _without_mark(text: bytes, name: str) -> bytes:
    """The start of a file without its byte order mark."""
    if text.startswith(_UTF16):
        raise DataError(f"{name}:1:1: the file is UTF-16\n  convert it first: iconv -f UTF-16 -t UTF-8")
    return text.removeprefix(b"\xef\xbb\xbf")


def digest_text(text: bytes, rules: t.Rules, problems: dict[int, Problem], max_cells: int) -> Block:
    """Tokenise one text and turn its tokens into columns: what a worker thread does."""
    chunk = np.frombuffer(text, np.uint8)
    n_lines, _, nuls = t.count_marks(chunk)
    if nuls:
        at = text.index(b"\0")
        return _failed(text, n_lines, (_NUL, at, at + 1))
    tokens = t.tokenize(chunk, rules)
    found = tokens.found
    error = _read_slow(text, tokens, rules)
    if error is None and found[t.ERROR] != t.NO_ERROR:
        error = int(found[t.ERROR]), int(found[t.START]), int(found[t.STOP])
    if error is not None:
        return _failed(text, n_lines, (problems[error[0]], error[1], error[2]))
    rows = int(found[t.ROWS])
    return Block(
        text=text,
        n_lines=n_lines,
        n_records=int(found[t.RECORDS]),
        labels=tokens.labels[:rows].copy(),
        records=tokens.records[:rows],
        group_rows=tokens.group_rows[: found[t.GROUPS]].copy(),
        group_ids=tokens.group_ids[: found[t.GROUPS]].copy(),
        comments=_comments(chunk, tokens.comments[:rows]),
        columns=_columns(tokens, rows, rules.max_index, max_cells),
        notes={kind: (int(found[kind]), int(found[kind + 1])) for kind in (t.DECREASING, t.EXTENDED) if found[kind]},
    )


def _failed(text: bytes, n_lines: int, error: tuple[Problem, int, int]) -> Block:
    nothing = np.empty(0, np.int64)
    return Block(text, n_lines, 0, nothing, nothing, nothing, nothing, None, {}, {}, error)


def _read_slow(text: bytes, tokens: t.Tokens, rules: t.Rules) -> tuple[int, int, int] | None:
    """Let float() read what the kernel left open; the first overflow is an error, or missing by profile."""
    for slot, start, stop in tokens.slow[: tokens.found[t.SLOWS]]:
        value = float(text[start:stop])
        if rules.huge_is_missing and abs(value) >= t.HUGE:
            value = np.nan
        if np.isinf(value):
            return t.VALUE_OVERFLOW, _token_start(text, int(start)), int(stop)
        tokens.values[slot] = value
    return None


def _token_start(text: bytes, at: int) -> int:
    """Where the token that holds offset `at` starts: its feature number is part of it."""
    while text[at - 1] not in b" \t":
        at -= 1
    return at


def _comments(chunk: np.ndarray, spans: np.ndarray) -> pa.LargeStringArray | None:
    """Comments as Arrow text; bytes that are not UTF-8 are read as Latin-1."""
    if not (spans[:, 0] >= 0).any():
        return None
    data, offsets = t.gather(chunk, spans)
    array = pa.LargeStringArray.from_buffers(len(spans), pa.py_buffer(offsets), pa.py_buffer(data))
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        parts = [data[a:b].tobytes() for a, b in zip(offsets, offsets[1:])]
        return pa.array([decode_comment(part) for part in parts], pa.large_string())
    return array


def decode_comment(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _columns(tokens: t.Tokens, rows: int, max_index: int, max_cells: int) -> dict[int, np.ndarray]:
    """The features present, each as the narrowest exact array."""
    n_values = int(tokens.found[t.VALUES])
    present = t.present_indices(tokens.indices[:n_values], max_index)
    if len(present) * rows > max_cells:
        raise too_wide(rows, len(present))
    place = np.empty(max_index + 1, np.int64)
    place[present] = np.arange(len(present))
    wide = t.to_columns(tokens.row_ptr[: rows + 1], tokens.indices, tokens.values, place, len(present))
    fits = t.fits_float32(wide)
    return {
        int(index): wide[c].astype(np.float32) if fits[c] else wide[c].copy() for c, index in enumerate(present)
    }


def too_wide(rows: int, features: int) -> DataError:
    gib = rows * features * 4 / 2**30
    return DataError(
        f"{rows:,} documents with {features:,} features need {gib:,.0f} GiB or more as a table, "
        "more than this machine has\n  if the feature numbers are right, read fewer documents at a time"
    )


def memory_cells() -> int:
    """How many float32 values fit into this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
