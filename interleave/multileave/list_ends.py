"""Lists that end before the page does: the places that all rankers compete for, and the places below them.

Lists that end are treated as in `interleave.list_ends`. The rankers compete for the first places of the page,
the drafted ones. Their number depends on the lists alone, never on random draws. The places below are filled
from the lists by rank, belong to no ranker, and clicks there earn no credit.
"""

from interleave.multileave.world import NOBODY, block_of, document_at, n_listed
from interleave.world import DOC, TEAM, is_shown
from letor_data.blocks import DOCS, RANKS, entry_of
from rankduel.base.compiling import kernel


@kernel
def page_length(shared, panel):
    """Return the number of documents on the page, which shows no document that no seat lists."""
    world = shared.world
    longest, length = world.user.shape[1], 0
    if not world.rules[0].lists_end:
        return min(longest, panel.n_docs)
    for seat in range(panel.n):
        for number in range(n_listed(shared, panel, seat)):
            doc = listed_document(shared, panel, seat, number)
            length += not _is_listed_before(shared, panel, seat, doc)
            if length == longest:
                return length
    return length


@kernel
def _is_listed_before(shared, panel, seat, doc):
    for earlier in range(seat):
        if is_listed(shared, panel, earlier, doc):
            return True
    return False


@kernel
def is_listed(shared, panel, seat, doc):
    first = entry_of(shared.world.blocks, block_of(panel, seat), panel.n_docs, RANKS, doc)
    return first < n_listed(shared, panel, seat)


@kernel
def listed_document(shared, panel, seat, number):
    """Return one document of the list of `seat`. Numbers are ranks, but for the order of tied documents."""
    return entry_of(shared.world.blocks, block_of(panel, seat), panel.n_docs, DOCS, number)


@kernel
def shortest_list(shared, panel, length, users):
    """Return the number of places for which every seat has a document, whatever is shown above them."""
    shortest = length
    for seat in range(panel.n):
        shortest = min(shortest, n_listed(shared, panel, seat))
    return shortest


@kernel
def fill_place(shared, panel, at, users):
    """Show, without a team, the document that is highest on any list among those not shown yet."""
    page = shared.world.page
    for rank in range(panel.n_docs):
        for seat in range(panel.n):
            if rank < n_listed(shared, panel, seat):
                doc = document_at(shared, panel, seat, rank, users)
                if not is_shown(shared.world, at, doc):
                    page[DOC, at], page[TEAM, at] = doc, NOBODY
                    return
