"""Team-draft multileaving: many rankers take turns picking documents for one page.

Schuth, Sietsma, Whiteson, Lefortier and de Rijke, "Multileaved Comparisons for Fast Online Evaluation", CIKM
2014. In every round all rankers pick once, in a new random order. Each picks its best document that is not on
the page yet, and the page may end in the middle of a round. A click is credited to the ranker that picked the
document, and of two rankers the one with more clicks is preferred. With prefix="neutral" the documents on
which all rankings agree from the top down belong to no team.

Lists that end: a round is drafted if every ranker is certain to have a document left, in all orders of picks.
In r rounds a list loses r documents to its own ranker, at most r to each other ranker that lists some of
them, and to the others together at most the documents that they list. Teams then depend on the random orders
alone, so users who ignore relevance prefer no ranker.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting
from rankduel.interleave.multileave.contract import Multileaver
from rankduel.interleave.multileave.list_ends import is_listed, listed_document
from rankduel.interleave.multileave.world import (
    NO_TEAM,
    clear_scores,
    document_at,
    n_listed,
    next_in_round,
    prefer_higher,
)
from rankduel.interleave.world import CLICKED, DOC, TEAM, is_shown


class Prefix(IntEnum):
    """The team of documents on which all rankings agree from the top down."""

    ASSIGN = 0
    NEUTRAL = 1


class Params(NamedTuple):
    prefix: Annotated[
        Prefix, Setting("documents on which all rankings agree from the top: picked, or without a team")
    ] = Prefix.ASSIGN


@kernel
def make_page(shared, group, length, users):
    draft(shared, group, _show_neutral(shared, group, length, users), length, users)


@kernel
def _show_neutral(shared, group, length, users):
    """Show the documents that belong to no team, and return their number."""
    n_neutral = 0
    if shared.world.rules[0].prefix == Prefix.NEUTRAL:
        while n_neutral < length and _all_agree(shared, group, n_neutral, users):
            n_neutral += 1
    return n_neutral


@kernel
def n_drafted(shared, group, length, users):
    """Return the number of drafted places: complete rounds, and the round that the end of the page cuts."""
    n_neutral = _show_neutral(shared, group, length, users)
    n_rounds = length
    for side in range(group.n):
        own = n_listed(shared, group, side) - n_neutral
        n_shared, n_sharing = _overlap(shared, group, side, n_neutral)
        n_rounds = min(n_rounds, max(own // (1 + n_sharing), own - n_shared))
    at = n_neutral + n_rounds * group.n
    cut = length - at
    if cut <= 0:
        return length
    if cut >= group.n:
        return at
    for side in range(group.n):
        own = n_listed(shared, group, side) - n_neutral
        n_shared, n_sharing = _overlap(shared, group, side, n_neutral)
        if n_rounds + min(n_sharing * n_rounds + min(n_sharing, cut - 1), n_shared) >= own:
            return at
    return length


@kernel
def _overlap(shared, group, side, n_neutral):
    """Return (documents of a side that others list too, sides that list some), without neutral ones."""
    n_shared, n_sharing = -n_neutral, 0
    for rank in range(n_listed(shared, group, side)):
        for other in range(group.n):
            if other != side and is_listed(shared, group, other, listed_document(shared, group, side, rank)):
                n_shared += 1
                break
    for other in range(group.n):
        n_common = 0
        for rank in range(n_listed(shared, group, side)):
            n_common += is_listed(shared, group, other, listed_document(shared, group, side, rank))
        n_sharing += other != side and n_common > n_neutral
    return n_shared, n_sharing


@kernel
def _all_agree(shared, group, at, users):
    """Return whether all rankers have the same document at rank `at`, and show it there without a team."""
    page = shared.world.page
    page[TEAM, at] = NO_TEAM
    for side in range(group.n):
        if at >= n_listed(shared, group, side):
            return False
        doc = document_at(shared, group, side, at, users)
        if side == 0:
            page[DOC, at] = doc
        elif page[DOC, at] != doc:
            return False
    return True


@kernel
def draft(shared, group, n_neutral, length, users):
    """Fill the page in rounds, starting at place `n_neutral`."""
    page, heads = shared.world.page, shared.heads
    for side in range(group.n):
        heads[side] = 0
    for at in range(n_neutral, length):
        side = next_in_round(shared.round, group.n, at - n_neutral, users)
        while True:
            doc = document_at(shared, group, side, heads[side], users)
            if not is_shown(shared.world, at, doc):
                break
            heads[side] += 1
        page[DOC, at], page[TEAM, at] = doc, side


@kernel
def prefer(shared, group, length, preferences, users):
    page = shared.world.page
    clear_scores(shared, group.n)
    for at in range(length):
        if page[CLICKED, at] and page[TEAM, at] != NO_TEAM:
            shared.scores[page[TEAM, at]] += 1.0
    prefer_higher(shared.scores, group.n, preferences)


METHOD = Multileaver(
    "team_draft",
    "rankers pick documents in random order; a click counts for the ranker that picked",
    "Schuth et al., CIKM 2014",
    make_page,
    prefer,
    Params,
    n_drafted=n_drafted,
)
