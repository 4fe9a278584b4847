"""Lists that end before the page does: the places that both rankers compete for, and the places below them.

A ranker owns only the documents it lists. Two rankers compete for the first places of a page, the drafted
ones. The places below are filled from both lists by rank and belong to no ranker, and clicks there earn no
credit. The number of drafted places must depend on the two lists alone. Letting the longer list fill the page
with credit, or drafting until a random draw leaves a ranker without documents, would make users who ignore
relevance prefer one of the rankers.
"""

from rankduel.base.compiling import kernel
from rankduel.interleave.world import DOC, FIRST, NO_TEAM, SECOND, TEAM, document_at, is_shown, n_listed
from rankduel.letor_data.blocks import DOCS, RANKS, entry_of


@kernel
def page_length(world, pair):
    """Return the number of documents on the page, which shows no document that neither ranker lists."""
    longest = world.user.shape[1]
    if not world.rules[0].lists_end or max(pair.n_first, pair.n_second) >= longest:
        return min(longest, pair.n_docs)
    length = pair.n_first
    for rank in range(pair.n_second):
        doc = entry_of(world.blocks, pair.second, pair.n_docs, DOCS, rank)
        length += entry_of(world.blocks, pair.first, pair.n_docs, RANKS, doc) >= pair.n_first
    return min(longest, length)


@kernel
def shorter_list(world, pair, length, users):
    """Return the number of places for which both rankers have a document, whatever is shown above them."""
    return min(length, min(pair.n_first, pair.n_second))


@kernel
def fill_place(world, pair, at, users):
    """Show, without a team, the document that is highest on either list among those not shown yet."""
    for rank in range(max(pair.n_first, pair.n_second)):
        for side in (FIRST, SECOND):
            if rank < n_listed(pair, side):
                doc = document_at(world, pair, side, rank, users)
                if not is_shown(world, at, doc):
                    world.page[DOC, at], world.page[TEAM, at] = doc, NO_TEAM
                    return doc
    return -1  # not reached if at < page_length
