"""Balanced interleaving: the page's top always holds both rankings' tops, give or take one document.

Joachims, "Optimizing Search Engines using Clickthrough Data", KDD 2002, and "Evaluating Retrieval
Performance using Clickthrough Data", 2003. A coin says who leads; the ranking whose pointer is behind
adds its next document unless it is on the page already. Credit compares how many clicked documents each
ranking has down to the rank that the lowest click needed.

Not fair to random clicks: see the biases in tests/interleave. With credit="lerot" the depth of the
comparison follows from all clicks, as in Lerot.

Lists that end: pages are made of the top m of both rankings, where m is the length of the shorter one. These
are the same documents whoever leads. A document that a ranking does not list is below all that it does. The
bias towards one of two rankings of almost the same documents remains; of rankings without a common document
users who ignore relevance prefer neither.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from interleave.contract import Method
from interleave.world import (
    CLICKED,
    DOC,
    FIRST,
    RANK,
    SECOND,
    STATE,
    TEAM,
    document_at,
    is_shown,
    rank_of,
    rank_page,
)
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting


class Credit(IntEnum):
    """How deep the comparison of clicks goes."""

    JOACHIMS = 0
    LEROT = 1


_LEADER = 2  # page[STATE, side] is a ranking's pointer; page[STATE, _LEADER] the coin


class Params(NamedTuple):
    credit: Annotated[Credit, Setting("depth of the comparison: by the lowest click, or as in Lerot")] = (
        Credit.JOACHIMS
    )


@kernel
def n_drafted(world, pair, length, users):
    """How many documents are at the ranks that both rankings have."""
    shorter = min(pair.n_first, pair.n_second)
    if shorter >= length:
        return length
    n_docs = shorter
    for rank in range(shorter):
        doc = document_at(world, pair, SECOND, rank, users)
        n_docs += rank_of(world, pair, FIRST, doc, users) >= shorter
    return min(length, n_docs)


@kernel
def next_document(world, pair, at, users):
    if at == 0:
        start(world, int(users.random() * 2.0))
    return add_document(world, pair, at, users)


@kernel
def start(world, leader):
    world.page[STATE, FIRST] = world.page[STATE, SECOND] = 0
    world.page[STATE, _LEADER] = leader


@kernel
def add_document(world, pair, at, users):
    page, doc, side = world.page, -1, FIRST
    while doc < 0 or is_shown(world, at, doc):
        ahead = page[STATE, FIRST] - page[STATE, SECOND]
        side = page[STATE, _LEADER] if ahead == 0 else (FIRST if ahead < 0 else SECOND)
        doc = document_at(world, pair, side, page[STATE, side], users)
        page[STATE, side] += 1
    page[DOC, at], page[TEAM, at] = doc, side
    return doc


@kernel
def credit(world, pair, n_read, users):
    """Clicked documents within the compared depth: the first's share minus the second's."""
    rank_page(world, pair, n_read, users)
    depth = min(_depth(world, n_read), pair.n_docs - 1)  # what is not listed is below
    hits_first, hits_second = 0, 0
    for at in range(n_read):
        if world.page[CLICKED, at]:
            hits_first += world.page[RANK + FIRST, at] <= depth
            hits_second += world.page[RANK + SECOND, at] <= depth
    return (hits_first - hits_second) / max(1, hits_first + hits_second)


@kernel
def _depth(world, n_read):
    """How far down the rankings are compared; -1 without a click."""
    deepest_first, deepest_second = -1, -1
    for at in range(n_read):
        if world.page[CLICKED, at]:
            first, second = world.page[RANK + FIRST, at], world.page[RANK + SECOND, at]
            if world.rules[0].credit == Credit.JOACHIMS:  # only the lowest click counts, which comes last
                deepest_first, deepest_second = first, second
            else:
                deepest_first = max(deepest_first, first)
                deepest_second = max(deepest_second, second)
    return min(deepest_first, deepest_second)


METHOD = Method(
    "balanced",
    "both rankings' tops in turn; clicks compared down to a common depth",
    "Joachims, KDD 2002",
    next_document,
    credit,
    Params,
    n_drafted=n_drafted,
)
