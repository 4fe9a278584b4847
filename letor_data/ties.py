"""Ties between documents with equal scores: tie modes, and breaking ties for one impression.

Tie groups are encoded as one integer per rank: at the first rank of a group, the number of documents that
follow in the group; at every later rank, minus the distance to the first rank; 0 if a document is not tied.
The whole group is therefore found from any of its ranks without a search.
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
    """Return the number of tied pairs of documents; `ties` is the row of one ranker, (n_docs,)."""
    # A document at distance d from the first rank of its group is tied with the d documents above it.
    return -int(np.minimum(ties, 0).sum(dtype=np.int64))


def tie_share(ties: np.ndarray, offsets: np.ndarray) -> float:
    """Return the share of document pairs within queries that one ranker ties; 0 if there are no pairs."""
    sizes = np.diff(offsets)
    pairs = int((sizes * (sizes - 1) // 2).sum())
    return tied_pairs(ties) / pairs if pairs else 0.0


@entry
def shuffle_ties(order, ties, top, users, out):
    """Write the first `top` ranks of a query into `out`, with tied documents in random order.

    `order` and `ties` are the query's part of a ranker's row, and `top` is at most their length. One random
    number is drawn for each rank with more than one candidate, and none without ties. For a group that
    extends beyond `top`, the time is quadratic in the number of its ranks above `top`.
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
    """Write a random permutation of `docs` into `out`: Fisher-Yates, with the same draws as `_sample`."""
    n = len(docs)
    for i in range(n):  # compiling 'out[:] = docs' takes three seconds
        out[i] = docs[i]
    for i in range(n - 1):
        j = i + int(users.random() * (n - i))
        out[i], out[j] = out[j], out[i]


@entry
def _sample(docs, users, out):
    """Write the first ``len(out)`` documents of `_shuffle` into `out`, without memory for the others.

    `out` first holds the place that each step swaps with. Undoing the earlier swaps, latest first, leads from
    that place to the document that was there at this step.
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
