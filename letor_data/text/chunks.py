"""Division of a stream of bytes into blocks of whole lines, which are parsed in parallel and in order.

Block boundaries depend on size only, so the data and the first error do not depend on the number of threads.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from rankduel.base.compiling import entry
from rankduel.base.text import with_line_feeds
from rankduel.letor_data.errors import LetorFormatError
from rankduel.letor_data.packed.archive import DamagedError
from rankduel.letor_data.text import tokenizer as t
from rankduel.letor_data.text.columns import block_columns
from rankduel.letor_data.text.problems import NOTES, Problem, format_error

BLOCK = 8 << 20
MAX_LINE = 64 << 20
_NUL = Problem("a NUL byte", "this is not text; was it decompressed rightly?")
_LONG_LINE = Problem(f"no line end within {MAX_LINE >> 20} MiB", "this is not text with a document per line")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class Block(NamedTuple):
    """Parsed whole lines. Rows and records are numbered within the block."""

    text: bytes
    n_lines: int
    n_records: int
    labels: np.ndarray
    records: np.ndarray
    group_rows: np.ndarray  # first rows of runs of equal query ids
    group_ids: np.ndarray  # (groups, 2) start and stop of the id in `text`
    comments: pa.LargeStringArray | None
    columns: dict[int, np.ndarray]  # feature number -> values of all rows, float32 if exact
    notes: dict[int, tuple[int, int]]  # kind -> (number of occurrences, offset of the first)
    error: tuple[Problem, int, int] | None = None


def parse_blocks(
    pieces: Iterator[bytes],
    name: str,
    parse: Callable[[bytes], Block],
    jobs: int,
) -> Iterator[tuple[int, Block]]:
    """Yield (first line number, block) in file order, then raise the first error in the file, if any.

    A block with an error contains the lines before it, so that the caller can report an earlier error.
    """
    line = 1
    waiting = deque[Future[Block]]()
    texts = _Texts(pieces, name)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                while len(waiting) <= jobs and (text := texts.next()):
                    waiting.append(pool.submit(parse, text))
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
    """Texts of a file up to the first damage, which `raise_damage` raises after they have been parsed."""

    def __init__(self, pieces: Iterator[bytes], name: str) -> None:
        self._texts = cut_lines(pieces, name)
        self._damage: DamagedError | None = None

    def next(self) -> bytes:
        """Return the next text; b"" at the end."""
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
    """Yield texts of whole lines, about BLOCK bytes each, without the byte order mark; all line ends are LF.

    If no line end follows within MAX_LINE bytes, the last text has no line feed at its end.
    """
    for number, text in enumerate(_whole_lines(with_line_feeds(pieces))):
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
    except DamagedError:  # whole lines before the damage are valid
        text = b"".join(held)
        if end := text.rfind(b"\n") + 1:
            yield text[:end]
        raise
    rest = b"".join(held)
    if rest:
        yield rest if rest.endswith(b"\n") else rest + b"\n"


def _without_mark(text: bytes, name: str) -> bytes:
    """Return the start of a file without its byte order mark; raise an error for UTF-16."""
    if text.startswith(_UTF16):
        raise LetorFormatError(name, 1, 1, "the file is UTF-16", hint="convert it: iconv -f UTF-16 -t UTF-8")
    return text.removeprefix(b"\xef\xbb\xbf")


def parse_block(
    text: bytes, rules: t.Rules, problems: dict[int, Problem], max_cells: int, name: str
) -> Block:
    """Tokenise one text and convert its tokens to columns; runs in worker threads."""
    chunk = np.frombuffer(text, np.uint8)
    if not text.endswith(b"\n"):
        return _parse_before((_LONG_LINE, 0, 0), text, rules, problems, max_cells, name)
    n_lines, _, nuls = t.count_marks(chunk)
    if nuls:
        at = text.index(b"\0")
        return _parse_before((_NUL, at, at + 1), text, rules, problems, max_cells, name)
    tokens = t.tokenize(chunk, rules)
    found = tokens.found
    error = _read_slow(text, tokens, rules)
    if error is None and found[t.ERROR] != t.NO_ERROR:
        error = int(found[t.ERROR]), int(found[t.START]), int(found[t.STOP])
    if error is not None:
        return _parse_before((problems[error[0]], *error[1:]), text, rules, problems, max_cells, name)
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


def _parse_before(error: tuple[Problem, int, int], text: bytes, *how) -> Block:
    """Return a block of the lines before `error`, with that error or an earlier one in these lines."""
    line_start = text.rfind(b"\n", 0, error[1]) + 1
    if line_start == 0:
        return parse_block(b"\n", *how)._replace(text=text, error=error)
    block = parse_block(text[:line_start], *how)
    return block if block.error is not None else block._replace(text=text, error=error)


def _read_slow(text: bytes, tokens: t.Tokens, rules: t.Rules) -> tuple[int, int, int] | None:
    """Read with float() the numbers that the kernel left open; return the first overflow, unless missing."""
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
    """Return the start of the token '<feature>:<value>' that contains offset `at`."""
    while text[at - 1] not in b" \t":
        at -= 1
    return at


def _comments(chunk: np.ndarray, spans: np.ndarray) -> pa.LargeStringArray | None:
    """Return comments as Arrow text; a comment that is not UTF-8 is decoded as Latin-1."""
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
    """Return the concatenated bytes of all spans and their (n + 1,) offsets; a span (-1, -1) is empty."""
    offsets = np.zeros(len(spans) + 1, np.int64)
    for i in range(len(spans)):
        offsets[i + 1] = offsets[i] + (spans[i, 1] - spans[i, 0])
    data = np.empty(offsets[-1], np.uint8)
    for i in range(len(spans)):
        for k in range(spans[i, 1] - spans[i, 0]):
            data[offsets[i] + k] = chunk[spans[i, 0] + k]
    return data, offsets
