"""Rankings in the memory layout that duels read: one contiguous block of bytes per ranker and query.

An impression reads a few entries of two blocks. With many queries the blocks are not in the processor's
cache, and the time of an impression is that of loading them. A block is therefore small and aligned to a
cache line. An entry has one byte if the query has at most 256 documents, and otherwise two or four bytes.
The entries of a block are

    1        number of untied ranks from the top, at most 255; 0 if entries have more than one byte
    n_docs   document at each rank, tied documents in file order
    n_docs   rank of each document, or the first rank of its tie group
    n_docs   by rank: number of other documents in the tie group

If lists may end before the last document of a query, four bytes follow with the length of the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankduel.base.compiling import entry, kernel
from rankduel.base.threads import n_workers, ordered_map
from rankduel.letor_data.sorting import read_only

if TYPE_CHECKING:
    from rankduel.letor_data.rankings import Rankings

LINE = 64  # bytes of a cache line
DOCS, RANKS, TIED_WITH = range(3)  # parts of a block

_LENGTH_BYTES = 4
_SMALL = 1 << 24  # bytes below which threads cost more time than they save
_NARROW, _WIDE = 1 << 8, 1 << 16  # most documents of a query whose numbers fit into one byte, and into two


class Blocks(NamedTuple):
    """Blocks of K rankers; that of ranker r and query q starts at ``r * starts[-1] + starts[q]``."""

    data: np.ndarray  # (K * starts[-1],) uint8
    starts: np.ndarray  # (n_queries + 1,) int64


def no_blocks(n_queries: int) -> Blocks:
    """Return blocks without bytes, for worlds of which only `order` and `ties` are read."""
    return Blocks(read_only(np.empty(0, np.uint8)), read_only(np.zeros(n_queries + 1, np.int64)))


def make_blocks(rankings: Rankings) -> Blocks:
    """Return the blocks of `rankings`, which has them as `Rankings.blocks`."""
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


def _starts(n_docs: np.ndarray, length_bytes: int) -> np.ndarray:
    """Return (n_queries + 1,) offsets: the start of each query's block, and the end of the last one."""
    width = np.where(n_docs <= _NARROW, 1, np.where(n_docs <= _WIDE, 2, 4))
    n_lines = -(-(width * (1 + 3 * n_docs) + length_bytes) // LINE)
    return np.append(0, np.cumsum(n_lines * LINE))


def _aligned_zeros(n_bytes: int) -> np.ndarray:
    buffer = np.zeros(n_bytes + LINE, np.uint8)
    first = -buffer.ctypes.data % LINE
    return buffer[first : first + n_bytes]


@entry
def _write_row(order, positions, ties, offsets, starts, row):
    for query in range(len(offsets) - 1):
        start, n_docs, block = offsets[query], offsets[query + 1] - offsets[query], starts[query]
        row[block] = _count_untied(ties, start, n_docs)
        n_others = np.int64(0)
        for i in range(n_docs):
            rank = np.int64(positions[start + i])
            if ties[start + i] >= 0:  # a tie group starts; at its later ranks the entry is negative
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
    """Return the number of untied ranks from the top; if it is not 0, entries have one byte."""
    return np.int64(data[block])


@kernel
def narrow_entry(data, block, n_docs, part, i):
    """Return entry `i` as `entry_of` does, for a block whose entries have one byte."""
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
    """Return the number of documents in the list of a block; only for blocks with list lengths."""
    value = np.int64(0)
    first = _length_at(block, n_docs)
    for byte in range(_LENGTH_BYTES):
        value |= np.int64(data[first + byte]) << (8 * byte)
    return value
