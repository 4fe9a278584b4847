"""Balanced interleaving: every prefix of the page unites two tops whose depths differ by at most 1.

Joachims, "Optimizing Search Engines using Clickthrough Data", KDD 2002, and "Evaluating Retrieval Performance
using Clickthrough Data", 2003. A random draw chooses the ranking that leads. The ranking whose pointer is
behind adds its next document unless it is on the page already. Credit compares how many clicked documents
each ranking has down to a common depth: the higher of the two ranks of the lowest click.

The method is not fair to random clicks: docs/guides/interleaving.md has the largest biases. With
credit="lerot" the depth of the comparison depends on all clicks, as in Lerot.

Lists that end: pages consist of the top m of both rankings, where m is the length of the shorter one. These
are the same documents whichever ranking leads. A document that a ranking does not list is below all documents
that it does. The bias towards one of two rankings of almost the same documents remains. Of rankings without a
common document, users who ignore relevance prefer neither.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting
from rankduel.interleave.contract import Method
from rankduel.interleave.world import (
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


class Credit(IntEnum):
    """How the depth of the comparison is computed."""

    JOACHIMS = 0
    LEROT = 1


_LEADER = 2  # page[STATE, side] is a ranking's pointer; page[STATE, _LEADER] is the side that leads


class Params(NamedTuple):
    credit: Annotated[Credit, Setting("depth of the comparison: by the lowest click, or as in Lerot")] = (
        Credit.JOACHIMS
    )


@kernel
def n_drafted(world, pair, length, users):
    """Return the number of documents in the top m of either ranking, where m is the shorter length."""
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
    """Return the first ranking's share of the clicked documents within the depth, minus the second's."""
    rank_page(world, pair, n_read, users)
    depth = min(_depth(world, n_read), pair.n_docs - 1)  # unlisted documents have rank n_docs
    hits_first, hits_second = 0, 0
    for at in range(n_read):
        if world.page[CLICKED, at]:
            hits_first += world.page[RANK + FIRST, at] <= depth
            hits_second += world.page[RANK + SECOND, at] <= depth
    return (hits_first - hits_second) / max(1, hits_first + hits_second)


@kernel
def _depth(world, n_read):
    """Return the last rank that is compared; -1 without a click."""
    deepest_first, deepest_second = -1, -1
    for at in range(n_read):
        if world.page[CLICKED, at]:
            first, second = world.page[RANK + FIRST, at], world.page[RANK + SECOND, at]
            if world.rules[0].credit == Credit.JOACHIMS:  # the lowest click, which comes last, decides
                deepest_first, deepest_second = first, second
            else:
                deepest_first = max(deepest_first, first)
                deepest_second = max(deepest_second, second)
    return min(deepest_first, deepest_second)


METHOD = Method(
    "balanced",
    "alternates the tops of both rankings; compares clicks down to a common depth",
    "Joachims, KDD 2002",
    next_document,
    credit,
    Params,
    n_drafted=n_drafted,
)
