"""Documents with equal scores: how a tie may be broken, and how to break it for one impression.

Tie groups are held in one integer per rank: at a group's first rank the number of documents that
follow in it, at every later rank minus the distance to the first, 0 where a document is alone. From
any rank the whole group is thus found without a search.
"""

from __future__ import annotations

import numpy as np

from rankduel.base.compiling import entry
from rankduel.base.errors import DataError
from rankduel.base.settings import find

TIE_MODES = {
    "random_impression": "new random order for every impression, the same for page and credit",
    "random_impression_redraw": "new random order for every impression, and again for credit (Lerot)",
    "random_run": "one random order per run, query and ranker",
    "random_run_shared": "one random order per run and query, the same for all rankers",
    "stable": "the order of the file",
}
IMPRESSION_MODES = ("random_impression", "random_impression_redraw")


def check_tie_mode(mode: str) -> None:
    find(mode, TIE_MODES, "tie mode", DataError)


def tied_pairs(ties: np.ndarray) -> int:
    """How many pairs of documents one ranker ties; `ties` is its row, (n_docs,)."""
    # A document d ranks below the first of its group is tied with the d documents above it.
    return -int(np.minimum(ties, 0).sum(dtype=np.int64))


def tie_share(ties: np.ndarray, offsets: np.ndarray) -> float:
    """The share of document pairs within queries that one ranker ties; 0 where there are no pairs."""
    sizes = np.diff(offsets)
    pairs = int((sizes * (sizes - 1) // 2).sum())
    return tied_pairs(ties) / pairs if pairs else 0.0


# Not cached on disk: these are parts of other packages' compiled loops (Numba would not notice an edit).
@entry
def shuffle_ties(order, ties, top, users, out):
    """One impression's ranking of a query: its first `top` ranks into `out`, tied documents in random order.

    `order` and `ties` are the query's part of a ranker's row, `top` at most their length. Draws one number
    for each rank that has a choice, none without ties. A group that reaches past `top` costs the square
    of its part above, so ask for a page or for everything (`top = len(order)`), not for half.
    """
    rank = 0
    while rank < top:
        size = ties[rank] + 1
        if size == 1:
            out[rank] = order[rank]
        elif rank + size <= top:
            _shuffle(order[rank : rank + size], users, out[rank : rank + size])
        else:
            _sample(order[rank : rank + size], users, out[rank:top])
        rank += size


@entry
def _shuffle(docs, users, out):
    """Fisher and Yates from the front: the draws of `_sample`, and then the rest."""
    n = len(docs)
    for i in range(n):  # 'out[:] = docs' takes three seconds to compile
        out[i] = docs[i]
    for i in range(n - 1):
        j = i + int(users.random() * (n - i))
        out[i], out[j] = out[j], out[i]


@entry
def _sample(docs, users, out):
    """What `_shuffle` would put at the first len(out) places, without room for the others.

    `out` first holds the place each step swapped with. Undoing the earlier swaps, newest first, leads
    from such a place to the document that stood there at that step.
    """
    n = len(docs)
    for i in range(len(out)):
        out[i] = i + int(users.random() * (n - i))
    for i in range(len(out) - 1, -1, -1):
        place = out[i]
        for step in range(i - 1, -1, -1):
            if out[step] == place:
                place = step
        out[i] = docs[place]
