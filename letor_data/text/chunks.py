"""From a stream of bytes to parsed blocks: cut at line ends, tokenise on threads, keep the order.

Blocks are cut by size alone, so what is read, and which error is reported first, does not depend on
the number of threads.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from letor_data.errors import LetorFormatError
from letor_data.packed.archive import DamagedError
from letor_data.text import tokenizer as t
from letor_data.text.columns import block_columns
from letor_data.text.problems import NOTES, Problem, format_error
from rankduel.base.compiling import entry

BLOCK = 8 << 20
MAX_LINE = 64 << 20
_NUL = Problem("a NUL byte", "this is not text; was it decompressed rightly?")
_LONG_LINE = Problem(f"no line end within {MAX_LINE >> 20} MiB", "this is not text with a document per line")
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


def parse_blocks(
    pieces: Iterator[bytes],
    name: str,
    digest: Callable[[bytes], Block],
    jobs: int,
) -> Iterator[tuple[int, Block]]:
    """(first line number, block) in file order; then the first error in the file, if any, is raised.

    A block with an error holds what comes before it, so whoever takes the blocks can object first.
    """
    line = 1
    waiting = deque[Future[Block]]()
    texts = _Texts(pieces, name)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                while len(waiting) <= jobs and (text := texts.next()):
                    waiting.append(pool.submit(digest, text))
                if not waiting:
                    break
                block = waiting.popleft().result()
                yield line, block
                if block.error is not None:
                    raise format_error(name, block.text, line, *block.error)
                line += block.n_lines
        finally:
            for future in waiting:
                future.cancel()
    texts.raise_damage(line)


class _Texts:
    """The texts of a file; damage ends them, and is told once everything before it has been parsed."""

    def __init__(self, pieces: Iterator[bytes], name: str) -> None:
        self._texts = cut_lines(pieces, name)
        self._damage: DamagedError | None = None

    def next(self) -> bytes:
        """The next text, b"" at the end."""
        try:
            return next(self._texts, b"")
        except DamagedError as damage:
            self._damage = damage
            return b""

    def raise_damage(self, line: int) -> None:
        if self._damage is not None:
            reached = f"reached after line {line - 1:,}; nothing was kept"
            raise DamagedError(f"{self._damage}\n  {reached}") from None


def cut_lines(pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Texts of whole lines, about BLOCK bytes each; the byte order mark is taken off.

    A line that does not end is handed on without a line feed, and nothing after it.
    """
    for number, text in enumerate(_whole_lines(pieces)):
        yield _without_mark(text, name) if number == 0 else text


def _whole_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    size, has_end = 0, False
    try:
        for piece in pieces:
            held.append(piece)
            size += len(piece)
            has_end = has_end or b"\n" in piece
            if has_end and size >= BLOCK:
                text = b"".join(held)
                end = text.rfind(b"\n") + 1
                yield text[:end]
                held, size, has_end = [text[end:]], len(text) - end, False
            elif size > MAX_LINE:
                yield b"".join(held)
                return
    except DamagedError:  # what came before it is good, but for a line that was cut
        text = b"".join(held)
        if end := text.rfind(b"\n") + 1:
            yield text[:end]
        raise
    rest = b"".join(held)
    if rest:
        yield rest if rest.endswith(b"\n") else rest + b"\n"


def _without_mark(text: bytes, name: str) -> bytes:
    """The start of a file without its byte order mark."""
    if text.startswith(_UTF16):
        raise LetorFormatError(name, 1, 1, "the file is UTF-16", hint="convert it: iconv -f UTF-16 -t UTF-8")
    return text.removeprefix(b"\xef\xbb\xbf")


def digest_text(
    text: bytes, rules: t.Rules, problems: dict[int, Problem], max_cells: int, name: str
) -> Block:
    """Tokenise one text and turn its tokens into columns: what a worker thread does."""
    chunk = np.frombuffer(text, np.uint8)
    if not text.endswith(b"\n"):
        return _digest_before((_LONG_LINE, 0, 0), text, rules, problems, max_cells, name)
    n_lines, _, nuls = t.count_marks(chunk)
    if nuls:
        at = text.index(b"\0")
        return _digest_before((_NUL, at, at + 1), text, rules, problems, max_cells, name)
    tokens = t.tokenize(chunk, rules)
    found = tokens.found
    error = _read_slow(text, tokens, rules)
    if error is None and found[t.ERROR] != t.NO_ERROR:
        error = int(found[t.ERROR]), int(found[t.START]), int(found[t.STOP])
    if error is not None:
        return _digest_before((problems[error[0]], *error[1:]), text, rules, problems, max_cells, name)
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
        columns=block_columns(tokens, rules.max_index, max_cells, name),
        notes={kind: (int(found[kind]), int(found[kind + 1])) for kind in NOTES if found[kind]},
    )


def _digest_before(error: tuple[Problem, int, int], text: bytes, *how) -> Block:
    """The lines before an error, and the error (or an earlier one: a NUL byte is looked for first)."""
    line_start = text.rfind(b"\n", 0, error[1]) + 1
    if line_start == 0:
        return digest_text(b"\n", *how)._replace(text=text, error=error)
    block = digest_text(text[:line_start], *how)
    return block if block.error is not None else block._replace(text=text, error=error)


def _read_slow(text: bytes, tokens: t.Tokens, rules: t.Rules) -> tuple[int, int, int] | None:
    """Let float() read what the kernel left open; the first overflow is an error, or missing by profile."""
    for slot, start, stop in tokens.slow[: tokens.found[t.SLOWS]].tolist():
        value = float(text[start:stop])
        if rules.huge_is_missing and abs(value) >= t.HUGE:
            value = np.nan
        if math.isinf(value):
            return t.VALUE_OVERFLOW, _token_start(text, start), stop
        if slot >= 0:
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
    data, offsets = _gather(chunk, spans)
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


@entry
def _gather(chunk, spans):
    """The bytes of all spans one after another, and where each begins and ends; a start of -1 is empty."""
    offsets = np.zeros(len(spans) + 1, np.int64)
    for i in range(len(spans)):
        offsets[i + 1] = offsets[i] + (spans[i, 1] - spans[i, 0])
    data = np.empty(offsets[-1], np.uint8)
    for i in range(len(spans)):
        for k in range(spans[i, 1] - spans[i, 0]):
            data[offsets[i] + k] = chunk[spans[i, 0] + k]
    return data, offsets
