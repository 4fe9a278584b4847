"""Rankings as duels read them: what one ranker says of one query lies side by side, in one block of bytes.

An impression reads a few entries of two blocks. With many queries these lie in no cache, and its time is that
of fetching them, so a block is small and starts where a cache line does. An entry has one byte where a query
has at most 256 documents, as most have, and otherwise two or four. The entries of a block are

    1        how many ranks from the top are not tied, 255 at most; 0 if entries have more than one byte
    n_docs   the document at each rank, those of a tie group in file order
    n_docs   the rank of each document, or the first rank of its tie group
    n_docs   by rank: how many other documents its tie group has

If lists may end, four bytes follow: how many documents the ranker lists.
"""

from __future__ import annotations

import weakref
from typing import NamedTuple

import numpy as np

from letor_data.rankings import Rankings
from letor_data.sorting import read_only
from rankduel.base.compiling import entry, kernel
from rankduel.base.threads import n_workers, ordered_map

LINE = 64  # bytes that a processor reads at once
DOCS, RANKS, TIED_WITH = range(3)  # parts of a block

_LENGTH_BYTES = 4
_SMALL = 1 << 24  # bytes that are not worth threads
_NARROW, _WIDE = 1 << 8, 1 << 16  # documents of a query whose numbers fit into one byte, and into two


class Blocks(NamedTuple):
    """Made by `blocks_of`. The block of ranker r and query q starts at r * starts[-1] + starts[q]."""

    data: np.ndarray  # (K * starts[-1],) uint8
    starts: np.ndarray  # (n_queries + 1,) int64


_made: weakref.WeakKeyDictionary[Rankings, Blocks] = weakref.WeakKeyDictionary()


def blocks_of(rankings: Rankings) -> Blocks:
    """Return the blocks of rankings. They are made once, and kept for as long as the rankings are."""
    blocks = _made.get(rankings)
    if blocks is None:
        blocks = _made[rankings] = _make(rankings)
    return blocks


def _make(rankings: Rankings) -> Blocks:
    lengths = rankings.lengths
    starts = _starts(np.diff(rankings.offsets), 0 if lengths is None else _LENGTH_BYTES)
    n_bytes = rankings.n_rankers * int(starts[-1])
    rows = _aligned_zeros(n_bytes).reshape(rankings.n_rankers, -1)

    def write_row(k: int) -> None:
        _write_row(
            rankings.order[k], rankings.positions[k], rankings.ties[k], rankings.offsets, starts, rows[k]
        )
        if lengths is not None:
            _write_lengths(lengths[k], rankings.offsets, starts, rows[k])

    threads = 1 if n_bytes < _SMALL else n_workers(-1)
    for _ in ordered_map(write_row, range(rankings.n_rankers), threads):
        pass
    return Blocks(read_only(rows.reshape(-1)), read_only(starts))


def _starts(n_docs: np.ndarray, more_bytes: int) -> np.ndarray:
    """Return where the block of each query starts, and where the last one ends."""
    width = np.where(n_docs <= _NARROW, 1, np.where(n_docs <= _WIDE, 2, 4))
    n_lines = -(-(width * (1 + 3 * n_docs) + more_bytes) // LINE)
    return np.append(0, np.cumsum(n_lines * LINE))


def _aligned_zeros(n_bytes: int) -> np.ndarray:
    room = np.zeros(n_bytes + LINE, np.uint8)
    first = -room.ctypes.data % LINE
    return room[first : first + n_bytes]


@entry
def _write_row(order, positions, ties, offsets, starts, row):
    for query in range(len(offsets) - 1):
        start, n_docs, block = offsets[query], offsets[query + 1] - offsets[query], starts[query]
        row[block] = _count_untied(ties, start, n_docs)
        n_others = np.int64(0)
        for i in range(n_docs):
            rank = np.int64(positions[start + i])
            if ties[start + i] >= 0:  # otherwise the group is that of the rank above
                n_others = np.int64(ties[start + i])
            _write(row, block, n_docs, DOCS, i, np.int64(order[start + i]))
            _write(row, block, n_docs, RANKS, i, rank if rank >= 0 else ~rank)
            _write(row, block, n_docs, TIED_WITH, i, n_others)


@entry
def _write_lengths(lengths, offsets, starts, row):
    for query in range(len(offsets) - 1):
        first = _length_at(starts[query], offsets[query + 1] - offsets[query])
        for byte in range(_LENGTH_BYTES):
            row[first + byte] = (np.int64(lengths[query]) >> (8 * byte)) & 255


@kernel
def _length_at(block, n_docs):
    return block + _bytes_per_entry(n_docs) * (1 + 3 * n_docs)


@kernel
def _count_untied(ties, start, n_docs):
    most = min(n_docs, _NARROW - 1) if n_docs <= _NARROW else 0
    for rank in range(most):
        if ties[start + rank] != 0:
            return rank
    return most


@kernel
def _write(row, block, n_docs, part, i, value):
    width = _bytes_per_entry(n_docs)
    first = block + width * (1 + part * n_docs + i)
    for byte in range(width):
        row[first + byte] = (value >> (8 * byte)) & 255


@kernel
def _bytes_per_entry(n_docs):
    return 1 if n_docs <= _NARROW else (2 if n_docs <= _WIDE else 4)


@kernel
def n_untied(data, block):
    """Return the first entry of a block: if it is not 0, the other entries are narrow."""
    return np.int64(data[block])


@kernel
def narrow_entry(data, block, n_docs, part, i):
    """`entry_of` a block whose entries have one byte."""
    return np.int64(data[block + 1 + part * n_docs + i])


@kernel
def entry_of(data, block, n_docs, part, i):
    """Return entry `i` of a part of a block: DOCS and TIED_WITH by rank, RANKS by document."""
    if n_docs <= _NARROW:
        return narrow_entry(data, block, n_docs, part, i)
    value = np.int64(0)
    width = _bytes_per_entry(n_docs)
    first = block + width * (1 + part * n_docs + i)
    for byte in range(width):
        value |= np.int64(data[first + byte]) << (8 * byte)
    return value


@kernel
def length_of(data, block, n_docs):
    """Return how many documents the list of a block has; only for blocks of lists that may end."""
    value = np.int64(0)
    first = _length_at(block, n_docs)
    for byte in range(_LENGTH_BYTES):
        value |= np.int64(data[first + byte]) << (8 * byte)
    return value
