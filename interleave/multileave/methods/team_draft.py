"""Team-draft multileaving: many captains take turns picking documents for one page.

Schuth, Sietsma, Whiteson, Lefortier and de Rijke, "Multileaved Comparisons for Fast Online Evaluation", CIKM
2014. Every round visits all rankers in a new random order; each picks its best document that is not on the
page yet, and the page may end in the middle of a round. A click counts for whoever picked the document, and
of two rankers the one with more clicks is preferred. With prefix="neutral" the documents on which all
rankings agree from the top down belong to nobody.

Lists that end: as many rounds are drafted as are certain to leave every captain a document, whatever their
orders: r rounds take from a list r documents for its own captain, at most r for each other captain that
lists some of them, and for the others together no more than those they list. The places below are filled from
the lists by rank and belong to nobody. Teams then follow from the orders alone, so users who ignore relevance
prefer no ranker.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from interleave.multileave.contract import Multileaver
from interleave.multileave.list_ends import is_listed, listed_document
from interleave.multileave.world import (
    NOBODY,
    clear_scores,
    document_at,
    n_listed,
    next_in_round,
    prefer_higher,
)
from interleave.world import CLICKED, DOC, TEAM, is_shown
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting


class Prefix(IntEnum):
    """Who owns the documents on which all rankings agree from the top down."""

    ASSIGN = 0
    NEUTRAL = 1


class Params(NamedTuple):
    prefix: Annotated[
        Prefix, Setting("documents on which all rankings agree from the top: picked, or nobody's")
    ] = Prefix.ASSIGN


@kernel
def make_page(shared, panel, length, users):
    draft(shared, panel, _show_neutral(shared, panel, length, users), length, users)


@kernel
def _show_neutral(shared, panel, length, users):
    """Show the documents that belong to no ranker, and return how many they are."""
    n_neutral = 0
    if shared.world.rules[0].prefix == Prefix.NEUTRAL:
        while n_neutral < length and _all_agree(shared, panel, n_neutral, users):
            n_neutral += 1
    return n_neutral


@kernel
def n_drafted(shared, panel, length, users):
    """Return how many places are drafted: complete rounds, and the round that the end of the page cuts."""
    n_neutral = _show_neutral(shared, panel, length, users)
    n_rounds = length
    for seat in range(panel.n):
        own = n_listed(shared, panel, seat) - n_neutral
        n_shared, n_sharing = _overlap(shared, panel, seat, n_neutral)
        n_rounds = min(n_rounds, max(own // (1 + n_sharing), own - n_shared))
    at = n_neutral + n_rounds * panel.n
    cut = length - at
    if cut <= 0:
        return length
    if cut >= panel.n:
        return at
    for seat in range(panel.n):
        own = n_listed(shared, panel, seat) - n_neutral
        n_shared, n_sharing = _overlap(shared, panel, seat, n_neutral)
        if n_rounds + min(n_sharing * n_rounds + min(n_sharing, cut - 1), n_shared) >= own:
            return at
    return length


@kernel
def _overlap(shared, panel, seat, n_neutral):
    """(documents of a seat that others list too, seats that list some of them), besides the neutral ones."""
    n_shared, n_sharing = -n_neutral, 0
    for rank in range(n_listed(shared, panel, seat)):
        for other in range(panel.n):
            if other != seat and is_listed(shared, panel, other, listed_document(shared, panel, seat, rank)):
                n_shared += 1
                break
    for other in range(panel.n):
        n_common = 0
        for rank in range(n_listed(shared, panel, seat)):
            n_common += is_listed(shared, panel, other, listed_document(shared, panel, seat, rank))
        n_sharing += other != seat and n_common > n_neutral
    return n_shared, n_sharing


@kernel
def _all_agree(shared, panel, at, users):
    """Do all rankers have the same document at this rank? Then it is shown there, for nobody."""
    page = shared.world.page
    page[TEAM, at] = NOBODY
    for seat in range(panel.n):
        if at >= n_listed(shared, panel, seat):
            return False
        doc = document_at(shared, panel, seat, at, users)
        if seat == 0:
            page[DOC, at] = doc
        elif page[DOC, at] != doc:
            return False
    return True


@kernel
def draft(shared, panel, n_neutral, length, users):
    """Fill the page in rounds, from rank `n_neutral` on."""
    page, heads = shared.world.page, shared.heads
    for seat in range(panel.n):
        heads[seat] = 0
    for at in range(n_neutral, length):
        seat = next_in_round(shared.round, panel.n, at - n_neutral, users)
        while True:
            doc = document_at(shared, panel, seat, heads[seat], users)
            if not is_shown(shared.world, at, doc):
                break
            heads[seat] += 1
        page[DOC, at], page[TEAM, at] = doc, seat


@kernel
def prefer(shared, panel, length, preferences, users):
    page = shared.world.page
    clear_scores(shared, panel.n)
    for at in range(length):
        if page[CLICKED, at] and page[TEAM, at] != NOBODY:
            shared.scores[page[TEAM, at]] += 1.0
    prefer_higher(shared.scores, panel.n, preferences)


METHOD = Multileaver(
    "team_draft",
    "captains pick in random turns; a click counts for who picked",
    "Schuth et al., CIKM 2014",
    make_page,
    prefer,
    Params,
    n_drafted=n_drafted,
)
