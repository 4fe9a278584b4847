"""The world a duel happens in: queries with their rankings and grades, one user, and room for one page.

Ties between documents are settled only when somebody looks (`document_at`, `rank_of`): a tied rank is given
a random document of its group that has no rank yet, a tied document a random rank of its group that has
no document yet. That is a uniformly random order of every tie group, revealed piece by piece, so an
impression costs what the user reads and not what the rankings hold.

Everything is packed into a few arrays, and the kernels are compiled without Numba's reference counting
(they allocate nothing): counting references to the arrays of a NamedTuple on every call made a duel
seven times slower.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

_compile: Any = njit  # whose annotations leave out _nrt
kernel = _compile(_nrt=False)
inlined = _compile(_nrt=False, inline="always")


def named_apart(name: str) -> Any:
    """For a kernel that is made several times, of the same text around other functions; goes below @njit.

    Compiled code is linked by name: of two kernels with one name, one fresh and one from disk, the linker may
    take either for both.
    """

    def rename(function: Any) -> Any:
        function.__qualname__ = f"{function.__qualname__}.{name}"
        return function

    return rename


FIRST, SECOND, NOBODY = 0, 1, 2  # whose pick a document is
CLICK, CLICK_AND_LEAVE, STAY = 0, 1, 2  # planes of World.user
WEIGHT, TOTAL = 0, 1  # rows of World.weights
# Rows of World.page; RANK + side is a document's rank on a side.
DOC, TEAM, CLICKED, STATE, RANK = range(5)
CREDIT, VARIANT, REDRAW, DROP_TIES, SAMPLES = range(5)  # entries of World.rules


class World(NamedTuple):
    """Made by `interleave.worlds.make_world`. One per thread: every duel overwrites the page."""

    order: np.ndarray  # (rankers, n_docs) document at each rank; these three as in letor_data.rankings
    positions: np.ndarray  # (rankers, n_docs) rank of each document
    ties: np.ndarray  # (rankers, n_docs) tie groups
    labels: np.ndarray  # (n_docs,) int8
    offsets: np.ndarray  # (n_queries + 1,) int64
    turns: np.ndarray  # (n,) float64: running query shares; empty = uniform; one number = next in a cycle
    user: np.ndarray  # (3, length, grades) float64, thresholds for one random number per rank
    weights: np.ndarray  # (2, longest query) float64, rank^-tau and its running sum
    rules: np.ndarray  # (5,) int64, the method's switches
    rate: float  # exploration rate of the exploitative method
    page: np.ndarray  # (6, length + 2) int64; row STATE is a method's own, three numbers
    chances: np.ndarray  # (4, length + 2) float64, likewise what a method remembers of its draws
    settled: np.ndarray  # (2, 2, room) int64, per side tied ranks and their documents; entry 0 counts them


class Pair(NamedTuple):
    """Two rankers on one query."""

    first: int
    second: int
    start: int  # first row of the query
    n_docs: int


@inlined
def document_at(world, pair, side, rank, users):
    """The document that a side has at this rank, in this impression."""
    ranker = pair.first if side == FIRST else pair.second
    if world.ties[ranker, pair.start + rank] == 0:
        return np.int64(world.order[ranker, pair.start + rank])
    return _settle_rank(world.order, world.ties, world.settled, ranker, pair.start, side, rank, users)


@inlined
def rank_of(world, pair, side, doc, users):
    """The rank that a document has on a side, in this impression."""
    ranker = pair.first if side == FIRST else pair.second
    rank = np.int64(world.positions[ranker, pair.start + doc])
    if world.ties[ranker, pair.start + rank] == 0:
        return rank
    return _settle_document(world.ties, world.settled, ranker, pair.start, side, doc, rank, users)


@inlined
def is_shown(world, at, doc):
    """Is the document among the first `at` of the page?"""
    for rank in range(at):
        if world.page[DOC, rank] == doc:
            return True
    return False


@kernel
def rank_page(world, pair, n_shown, users):
    """Fill in the ranks that the shown documents have on both sides, for credit.

    With the rule REDRAW ties are broken anew first: Lerot does so, and its published matrices show it.
    """
    if world.rules[REDRAW]:
        forget_ties(world)
    for at in range(n_shown):
        for side in (FIRST, SECOND):
            world.page[RANK + side, at] = rank_of(world, pair, side, world.page[DOC, at], users)


@inlined
def forget_ties(world):
    """From here on ties are settled anew."""
    world.settled[FIRST, 0, 0] = world.settled[SECOND, 0, 0] = 0


@kernel
def _settle_rank(order, ties, settled, ranker, start, side, rank, users):
    known = _find(settled, side, 0, rank)
    if known > 0:
        return settled[side, 1, known]
    first, size = _group(ties, ranker, start, rank)
    while True:  # most of a group is free, so this takes one or two turns
        doc = np.int64(order[ranker, start + first + int(users.random() * size)])
        if _find(settled, side, 1, doc) == 0:
            _remember(settled, side, rank, doc)
            return doc


@kernel
def _settle_document(ties, settled, ranker, start, side, doc, rank, users):
    known = _find(settled, side, 1, doc)
    if known > 0:
        return settled[side, 0, known]
    first, size = _group(ties, ranker, start, rank)
    while True:
        rank = first + int(users.random() * size)
        if _find(settled, side, 0, rank) == 0:
            _remember(settled, side, rank, doc)
            return rank


@inlined
def _group(ties, ranker, start, rank):
    """(first rank, size) of the tie group that holds this rank."""
    first = rank + min(np.int64(ties[ranker, start + rank]), 0)
    return first, np.int64(ties[ranker, start + first]) + 1


@inlined
def _find(settled, side, which, value):
    for i in range(settled[side, 0, 0], 0, -1):
        if settled[side, which, i] == value:
            return i
    return 0


@inlined
def _remember(settled, side, rank, doc):
    n = settled[side, 0, 0] + 1
    settled[side, 0, 0] = n
    settled[side, 0, n], settled[side, 1, n] = rank, doc
