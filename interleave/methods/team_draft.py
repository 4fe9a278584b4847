"""Team-draft interleaving: two captains take turns picking documents for one page.

Radlinski, Kurup and Joachims, "How Does Clickthrough Data Reflect Retrieval Quality?", CIKM 2008. A coin
says who opens each round of two picks; a captain picks the best document that is not on the page yet, and
a click counts for whoever picked the document. With prefix="neutral" (as in Lerot) the documents on which
both rankings agree from the top down belong to nobody.

Lists that end: as many rounds are drafted as the captains can complete whatever the coins say, so that the
coins alone decide who owns a place, and the round that the end of the page cuts if both have a document left
for it. Exchanging the coins' sides then exchanges the teams: users who ignore relevance prefer neither
ranker.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from interleave.contract import Method
from interleave.world import (
    CLICKED,
    DOC,
    FIRST,
    NOBODY,
    SECOND,
    STATE,
    TEAM,
    document_at,
    is_shown,
    n_listed,
)
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting


class Prefix(IntEnum):
    """Who owns the documents on which both rankings agree from the top down."""

    ASSIGN = 0
    NEUTRAL = 1


_PREFIX = 2  # page[STATE, side] is a captain's next rank; page[STATE, _PREFIX] counts neutral documents


class Params(NamedTuple):
    prefix: Annotated[
        Prefix, Setting("documents on which both rankings agree from the top: picked, or nobody's")
    ] = Prefix.ASSIGN


@kernel
def n_drafted(world, pair, length, users):
    """How many places complete rounds fill, whoever opens them.

    After so many rounds at most two sets of documents can be on the page (interleave.exact.team_draft), those
    that result if one captain opens every round.
    """
    if min(pair.n_first, pair.n_second) >= length:
        return length
    first = _drafted_if_opened_by(world, pair, length, FIRST, users)
    second = _drafted_if_opened_by(world, pair, length, SECOND, users)
    return min(first, second)


@kernel
def _drafted_if_opened_by(world, pair, length, opener, users):
    """How many places are filled before a round that could not be completed, given who opens all rounds."""
    page, at = world.page, 0
    if world.rules[0].prefix == Prefix.NEUTRAL:
        while at < min(length, min(pair.n_first, pair.n_second)):
            page[DOC, at] = document_at(world, pair, FIRST, at, users)
            if page[DOC, at] != document_at(world, pair, SECOND, at, users):
                break
            at += 1
    while at < length:
        opening = _best_left(world, pair, opener, at, users)
        if opening < 0 or _best_left(world, pair, 1 - opener, at, users) < 0:
            return at
        if at + 1 == length:
            return length
        page[DOC, at] = opening
        page[DOC, at + 1] = _best_left(world, pair, 1 - opener, at + 1, users)
        if page[DOC, at + 1] < 0 or not _could_reply(world, pair, opener, at, users):
            return at
        at += 2
    return at


@kernel
def _could_reply(world, pair, opener, at, users):
    """Had the other captain opened this round, would the opener have a document left?"""
    opening = world.page[DOC, at]
    world.page[DOC, at] = _best_left(world, pair, 1 - opener, at, users)
    reply = _best_left(world, pair, opener, at + 1, users)
    world.page[DOC, at] = opening
    return reply >= 0


@kernel
def _best_left(world, pair, side, at, users):
    """The best document of a captain that is not among the first `at` of the page; -1 if there is none."""
    for rank in range(n_listed(pair, side)):
        doc = document_at(world, pair, side, rank, users)
        if not is_shown(world, at, doc):
            return doc
    return -1


@kernel
def next_document(world, pair, at, users):
    page = world.page
    if at == 0:
        page[STATE, FIRST] = page[STATE, SECOND] = page[STATE, _PREFIX] = 0
    if world.rules[0].prefix == Prefix.NEUTRAL and page[STATE, _PREFIX] == at:
        doc = document_at(world, pair, FIRST, at, users)
        if doc == document_at(world, pair, SECOND, at, users):
            page[STATE, _PREFIX] += 1
            page[DOC, at], page[TEAM, at] = doc, NOBODY
            return doc
    picks = at - page[STATE, _PREFIX]
    side = int(users.random() * 2.0) if picks % 2 == 0 else 1 - page[TEAM, at - 1]
    rank = page[STATE, side]
    doc = document_at(world, pair, side, rank, users)
    while is_shown(world, at, doc):
        rank += 1
        doc = document_at(world, pair, side, rank, users)
    page[STATE, side] = rank + 1
    page[DOC, at], page[TEAM, at] = doc, side
    return doc


@kernel
def credit(world, pair, n_read, users):
    """The first captain's share of the clicks on picked documents minus the second's."""
    lead, clicks = 0, 0
    for rank in range(n_read):
        if world.page[CLICKED, rank] and world.page[TEAM, rank] != NOBODY:
            lead += 1 if world.page[TEAM, rank] == FIRST else -1
            clicks += 1
    return lead / max(1, clicks)


METHOD = Method(
    "team_draft",
    "two captains pick in turn; a click counts for who picked",
    "Radlinski, Kurup and Joachims, CIKM 2008",
    next_document,
    credit,
    Params,
    reads_ranks=False,
    n_drafted=n_drafted,
)
