"""Team-draft interleaving: two captains take turns picking documents for one page.

Radlinski, Kurup and Joachims, "How Does Clickthrough Data Reflect Retrieval Quality?", CIKM 2008. A coin
says who opens each round of two picks; a captain picks the best document that is not on the page yet, and
a click counts for whoever picked the document. With prefix="neutral" (as in Lerot) the documents on which
both rankings agree from the top down belong to nobody.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from interleave.contract import Method
from interleave.world import CLICKED, DOC, FIRST, NOBODY, SECOND, STATE, TEAM, document_at, is_shown
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
)
