"""MAP: precision at the rank of each relevant document, averaged over relevant documents and then queries.

Relevant documents that are not listed or are below the cut-off contribute precision 0. In a tie group of n
documents with r relevant ones, the document at rank j of the group is relevant with probability r / n. Given
that it is relevant, the expected number of relevant documents before it in the group is
(j - 1) (r - 1) / (n - 1) (McSherry and Najork, ECIR 2008).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import entry
from rankduel.letor_data.evaluation.contract import Cutoff, Measure, NoRelevant, Ranked, Rel
from rankduel.letor_data.evaluation.relevant import n_relevant


class Params(NamedTuple):
    rel: Rel = 1
    k: Cutoff = 0
    no_relevant: NoRelevant = "zero"


def values(ranked: Ranked, params: Params) -> np.ndarray:
    return _expected_average_precision(*ranked, params.rel, ranked.depth(params.k))


@entry
def _expected_average_precision(grades, offsets, ends, ties, rel, depth):
    expected = np.zeros(len(offsets) - 1)
    for query in range(len(expected)):
        start = offsets[query]
        end = min(ends[query], start + depth)
        total = 0.0
        found = 0  # relevant documents above the group
        rank = start
        while rank < end:
            size = ties[rank] + 1
            relevant = n_relevant(grades, rank, rank + size, rel)
            if relevant > 0:
                total += _in_group(relevant, size, found, rank - start, end - start)
            found += relevant
            rank += size
        n_all = n_relevant(grades, start, offsets[query + 1], rel)
        expected[query] = total / n_all if n_all > 0 else 0.0
    return expected


@entry
def _in_group(relevant, size, found, above, depth):
    """Return the expected sum of precisions in a group with `above` documents above it, `found` relevant."""
    expected = 0.0
    slope = (relevant - 1) / (size - 1) if size > 1 else 0.0
    for place in range(min(size, depth - above)):
        expected += (found + 1 + place * slope) / (above + place + 1)
    return expected * relevant / size


MEASURE = Measure(
    "map",
    "average precision: mean over the relevant documents of the precision at their ranks",
    "as trec_eval computes it (Buckley and Voorhees)",
    values,
    Params,
)
