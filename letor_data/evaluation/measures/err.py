"""ERR: expected reciprocal rank at which a user who reads from the top is satisfied.

A document of grade g satisfies the user with probability R = (2^g - 1) / 2^top. In a tie group of n
documents, the user reads past the first j documents with mean probability m_j: the mean over all subsets of j
documents of the product of their 1 - R, which is an elementary symmetric polynomial divided by C(n, j).
Adding document t updates m_j = ((t - j) m_j + j (1 - R) m_{j-1}) / t. The user is satisfied at rank j of the
group with probability m_{j-1} - m_j. A group costs n times the number of its ranks up to the cut-off.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.base.compiling import entry
from rankduel.base.errors import DataError
from rankduel.base.settings import Setting
from rankduel.letor_data.evaluation.contract import Cutoff, Measure, NoRelevant, Ranked


class Params(NamedTuple):
    top: Annotated[int, Setting("highest grade of the scale", at_least=1, at_most=127)] = 4
    k: Cutoff = 0
    no_relevant: NoRelevant = "zero"


def values(ranked: Ranked, params: Params) -> np.ndarray:
    highest = int(ranked.grades.max(initial=0))
    if highest > params.top:
        raise DataError(
            f"err: a document has grade {highest}, but the highest of the scale is {params.top}; "
            f"write err(top={highest})"
        )
    passes = 1.0 - (2.0 ** np.arange(params.top + 1) - 1) / 2.0**params.top
    return _expected_err(*ranked, passes, ranked.depth(params.k))


@entry
def _expected_err(grades, offsets, ends, ties, passes, depth):
    expected = np.zeros(len(offsets) - 1)
    means = np.empty(depth + 1)
    for query in range(len(expected)):
        start = offsets[query]
        end = min(ends[query], start + depth)
        reads_on = 1.0
        rank = start
        while rank < end:
            size = ties[rank] + 1
            n_places = min(size, end - rank)
            _pass_first_documents(grades, rank, size, passes, n_places, means)
            for place in range(n_places):
                satisfied = means[place] - means[place + 1]
                expected[query] += reads_on * satisfied / (rank - start + place + 1)
            reads_on *= means[n_places]  # not used again if the cut-off is inside the group
            rank += size
    return expected


@entry
def _pass_first_documents(grades, rank, size, passes, n_places, means):
    """Write to `means` the probabilities of reading past the first 0, 1, ..., `n_places` documents."""
    means[0] = 1.0
    for place in range(1, n_places + 1):
        means[place] = 0.0
    for n in range(1, size + 1):
        goes_on = passes[grades[rank + n - 1]]
        for place in range(min(n, n_places), 0, -1):
            means[place] = ((n - place) * means[place] + place * goes_on * means[place - 1]) / n


MEASURE = Measure(
    "err",
    "expected reciprocal rank at which a user who reads from the top is satisfied",
    'Chapelle, Metzler, Zhang and Grinspan, "Expected Reciprocal Rank for Graded Relevance", CIKM 2009',
    values,
    Params,
)
