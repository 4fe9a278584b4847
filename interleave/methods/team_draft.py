"""Team-draft interleaving: two rankers take turns picking documents for one page.

Radlinski, Kurup and Joachims, "How Does Clickthrough Data Reflect Retrieval Quality?", CIKM 2008. In each
round both rankers pick once, in random order. A ranker picks its best document that is not on the page yet,
and a click on the document is credited to it. With prefix="neutral" (as in Lerot) the documents on which both
rankings agree from the top down belong to no team.

Lists that end: the drafted rounds are those that both rankers can complete in every order of picks. If the
page ends in the middle of the next round, its first place is drafted if both rankers have a document left for
it. The team of a place then depends on the random orders alone, and reversing all orders exchanges the teams:
users who ignore relevance prefer neither ranker.
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
    NO_TEAM,
    SECOND,
    STATE,
    TEAM,
    document_at,
    is_shown,
    n_listed,
)


class Prefix(IntEnum):
    """The team of documents on which both rankings agree from the top down."""

    ASSIGN = 0
    NEUTRAL = 1


_PREFIX = 2  # page[STATE, side] is a ranker's next rank; page[STATE, _PREFIX] counts neutral documents


class Params(NamedTuple):
    prefix: Annotated[
        Prefix, Setting("documents on which both rankings agree from the top: picked, or without a team")
    ] = Prefix.ASSIGN


@kernel
def n_drafted(world, pair, length, users):
    """Return the number of drafted places.

    After any number of rounds at most two sets of documents can be on the page
    (rankduel.interleave.exact.team_draft): those that result if the same ranker picks first in every round.
    """
    if min(pair.n_first, pair.n_second) >= length:
        return length
    first = _drafted_if_opened_by(world, pair, length, FIRST, users)
    second = _drafted_if_opened_by(world, pair, length, SECOND, users)
    return min(first, second)


@kernel
def _drafted_if_opened_by(world, pair, length, opener, users):
    """Return the places before the first incomplete round if `opener` picks first in every round."""
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
    """Return whether `opener` would have a document left if the other ranker had picked first."""
    opening = world.page[DOC, at]
    world.page[DOC, at] = _best_left(world, pair, 1 - opener, at, users)
    reply = _best_left(world, pair, opener, at + 1, users)
    world.page[DOC, at] = opening
    return reply >= 0


@kernel
def _best_left(world, pair, side, at, users):
    """Return the best document of a side that is not among the first `at` of the page, or -1."""
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
            page[DOC, at], page[TEAM, at] = doc, NO_TEAM
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
    """Return the first ranker's share of the clicks on picked documents minus the second's."""
    lead, clicks = 0, 0
    for rank in range(n_read):
        if world.page[CLICKED, rank] and world.page[TEAM, rank] != NO_TEAM:
            lead += 1 if world.page[TEAM, rank] == FIRST else -1
            clicks += 1
    return lead / max(1, clicks)


METHOD = Method(
    "team_draft",
    "two rankers pick documents in turn; a click counts for the ranker that picked",
    "Radlinski, Kurup and Joachims, CIKM 2008",
    next_document,
    credit,
    Params,
    reads_ranks=False,
    n_drafted=n_drafted,
)
