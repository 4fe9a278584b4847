"""How good a ranking is: NDCG of rankers, with ties.

Jarvelin and Kekalainen, "Cumulated Gain-Based Evaluation of IR Techniques", TOIS 2002, with gains
2^grade - 1 (Burges et al. 2005). The ideal is taken over all documents of the query. A ranker that ties
documents gets the expectation over all ways to break its ties (McSherry and Najork, ECIR 2008).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from letor_data.sorting import read_only
from rankduel.base.compiling import entry
from rankduel.base.errors import DataError

# Divisors at places 1, 2, ...; "letor" is the LETOR 4.0 tool's. Never compare numbers across the two.
DISCOUNTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "log2": lambda place: np.log2(place + 1),
    "letor": lambda place: np.maximum(1.0, np.log2(place)),
}
# NDCG of a query without a relevant document: LETOR's tools say 0, Yahoo's 0.5; "skip" leaves it out.
NO_RELEVANT = {"zero": 0.0, "half": 0.5, "one": 1.0, "skip": np.nan}

_GAINS = 2.0 ** np.arange(128) - 1  # by grade; grades are int8


def ideal_dcg(labels: np.ndarray, offsets: np.ndarray, k: int, discount: str = "log2") -> np.ndarray:
    """(n_queries,) the highest DCG@k each query allows."""
    weights = _weights(k, _longest(offsets), discount)
    return _ideal_dcg(read_only(labels), read_only(offsets), weights, _GAINS)


def expected_ndcg(
    labels: np.ndarray,
    offsets: np.ndarray,
    order: np.ndarray,
    ties: np.ndarray,
    k: int,
    discount: str = "log2",
    no_relevant: str = "zero",
) -> np.ndarray:
    """NDCG@k per query, averaged over all ways to break ties: exact, no sampling.

    `order` and `ties` are those of one ranker, (n_docs,), or of K, (K, n_docs); the result is (n_queries,)
    or (K, n_queries).
    """
    if len(labels) != offsets[-1] or order.shape[-1] != offsets[-1]:
        raise DataError(f"{len(labels)} labels and {order.shape[-1]} ranks for {offsets[-1]} documents")
    weights = _weights(k, _longest(offsets), discount)
    ideal = ideal_dcg(labels, offsets, k, discount)
    fixed = read_only(labels), read_only(offsets)
    values = [
        _expected_dcg(*fixed, read_only(docs), read_only(groups), weights, _GAINS)
        for docs, groups in zip(np.atleast_2d(order), np.atleast_2d(ties))
    ]
    return _ratio(np.array(values).reshape(*order.shape[:-1], -1), ideal, no_relevant)


def mean_over_queries(values: np.ndarray) -> np.ndarray:
    """Mean over the last axis without the queries that "skip" left out; NaN where none is left."""
    kept = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(kept, values, 0.0).sum(axis=-1) / kept.sum(axis=-1)


def _weights(k: int, length: int, discount: str) -> np.ndarray:
    """1 / divisor for the first min(k, length) places."""
    if discount not in DISCOUNTS:
        raise DataError(f"no discount named '{discount}'; known: {', '.join(DISCOUNTS)}")
    if k < 1:
        raise DataError(f"the cut-off k must be at least 1, not {k}")
    return 1.0 / DISCOUNTS[discount](np.arange(1.0, min(k, length) + 1))


def _longest(offsets: np.ndarray) -> int:
    return int(np.diff(offsets).max(initial=0))


def _ratio(values: np.ndarray, ideal: np.ndarray, no_relevant: str) -> np.ndarray:
    if no_relevant not in NO_RELEVANT:
        raise DataError(f"no_relevant must be one of {', '.join(NO_RELEVANT)}, not '{no_relevant}'")
    return np.where(ideal > 0, values / np.where(ideal > 0, ideal, 1.0), NO_RELEVANT[no_relevant])


@entry
def _ideal_dcg(labels, offsets, weights, gains):
    best = np.zeros(len(offsets) - 1)
    counts = np.zeros(len(gains), np.int64)
    for query in range(len(best)):
        counts[:] = 0
        for label in labels[offsets[query] : offsets[query + 1]]:
            counts[label] += 1
        place, grade = 0, len(gains) - 1
        while grade > 0 and place < len(weights):
            if counts[grade] == 0:
                grade -= 1
                continue
            best[query] += gains[grade] * weights[place]
            counts[grade] -= 1
            place += 1
    return best


@entry
def _expected_dcg(labels, offsets, order, ties, weights, gains):
    expected = np.zeros(len(offsets) - 1)
    for query in range(len(expected)):
        start, stop = offsets[query], offsets[query + 1]
        end = min(stop, start + len(weights))
        rank = start
        while rank < end:
            size = ties[rank] + 1
            gain = 0.0  # every document of the group is equally likely at each of its ranks
            for i in range(rank, rank + size):
                gain += gains[labels[start + order[i]]]
            weight = 0.0
            for i in range(rank, min(rank + size, end)):
                weight += weights[i - start]
            expected[query] += gain / size * weight
            rank += size
    return expected
