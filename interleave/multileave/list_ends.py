"""Lists that end before the page does: the places that all rankers compete for, and the places below them.

Lists that end are treated as in `rankduel.interleave.list_ends`. The rankers compete for the first places of
the page, the drafted ones. Their number depends on the lists alone, never on random draws. The places below
are filled from the lists by rank, belong to no ranker, and clicks there earn no credit.
"""

from rankduel.base.compiling import kernel
from rankduel.interleave.multileave.world import NO_TEAM, block_of, document_at, n_listed
from rankduel.interleave.world import DOC, TEAM, is_shown
from rankduel.letor_data.blocks import DOCS, RANKS, entry_of


@kernel
def page_length(shared, group):
    """Return the number of documents on the page, which shows no document that no side lists."""
    world = shared.world
    longest, length = world.user.shape[1], 0
    if not world.rules[0].lists_end:
        return min(longest, group.n_docs)
    for side in range(group.n):
        for number in range(n_listed(shared, group, side)):
            doc = listed_document(shared, group, side, number)
            length += not _is_listed_before(shared, group, side, doc)
            if length == longest:
                return length
    return length


@kernel
def _is_listed_before(shared, group, side, doc):
    for earlier in range(side):
        if is_listed(shared, group, earlier, doc):
            return True
    return False


@kernel
def is_listed(shared, group, side, doc):
    first = entry_of(shared.world.blocks, block_of(group, side), group.n_docs, RANKS, doc)
    return first < n_listed(shared, group, side)


@kernel
def listed_document(shared, group, side, number):
    """Return one document of the list of `side`. Numbers are ranks, but for the order of tied documents."""
    return entry_of(shared.world.blocks, block_of(group, side), group.n_docs, DOCS, number)


@kernel
def shortest_list(shared, group, length, users):
    """Return the number of places for which every side has a document, whatever is shown above them."""
    shortest = length
    for side in range(group.n):
        shortest = min(shortest, n_listed(shared, group, side))
    return shortest


@kernel
def fill_place(shared, group, at, users):
    """Show, without a team, the document that is highest on any list among those not shown yet."""
    page = shared.world.page
    for rank in range(group.n_docs):
        for side in range(group.n):
            if rank < n_listed(shared, group, side):
                doc = document_at(shared, group, side, rank, users)
                if not is_shown(shared.world, at, doc):
                    page[DOC, at], page[TEAM, at] = doc, NO_TEAM
                    return
