"""MRR: reciprocal rank of the first relevant document, averaged over queries.

Only the first tie group with a relevant document matters. In a group of n documents with r relevant ones, the
first relevant document is at rank j of the group with probability C(n - j, r - 1) / C(n, r). The kernel
computes these by the ratio of successive probabilities, (n - j - r + 1) / (n - j).
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
    return _expected_reciprocal_rank(*ranked, params.rel, ranked.depth(params.k))


@entry
def _expected_reciprocal_rank(grades, offsets, ends, ties, rel, depth):
    expected = np.zeros(len(offsets) - 1)
    for query in range(len(expected)):
        start = offsets[query]
        end = min(ends[query], start + depth)
        rank = start
        while rank < end:
            size = ties[rank] + 1
            relevant = n_relevant(grades, rank, rank + size, rel)
            if relevant > 0:
                expected[query] = _in_group(relevant, size, rank - start, end - start)
                break
            rank += size
    return expected


@entry
def _in_group(relevant, size, above, depth):
    """Return the expected reciprocal rank in a group of `size` documents with `above` others above it."""
    expected = 0.0
    probability = relevant / size  # that the first relevant document is at this place
    for place in range(min(size, depth - above)):
        expected += probability / (above + place + 1)
        n_below = size - place - 1
        if n_below < relevant:  # the first relevant document cannot be further down
            break
        probability *= (n_below - relevant + 1) / n_below
    return expected


MEASURE = Measure(
    "mrr",
    "reciprocal rank of the first relevant document",
    'Voorhees, "The TREC-8 Question Answering Track Report", TREC 1999',
    values,
    Params,
)
