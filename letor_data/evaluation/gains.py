"""Sums of gains over ranks, weighted by rank: the common part of DCG, NDCG, P and RBP.

The sum is linear in the gains. Every document of a tie group is equally likely at each rank of the group, so
the expected contribution of a group is its mean gain times the sum of its weights (McSherry and Najork,
"Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied Scores", ECIR 2008).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np

from rankduel.base.compiling import entry
from rankduel.base.settings import Setting
from rankduel.letor_data.evaluation.contract import Ranked
from rankduel.letor_data.sorting import read_only

_GRADES = np.arange(128)  # grades are int8
GAINS = {"exponential": 2.0**_GRADES - 1, "linear": 1.0 * _GRADES}  # by grade
# Divisors at ranks 1, 2, ...; "letor" is that of the LETOR 4.0 tool. Their values are not comparable.
DISCOUNTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "log2": lambda rank: np.log2(rank + 1),
    "letor": lambda rank: np.maximum(1.0, np.log2(rank)),
}
Gain = Annotated[str, Setting("gain of a grade g: 2^g - 1, or g", choices=tuple(GAINS))]
Discount = Annotated[
    str,
    Setting("divisor at rank t: log2(t + 1), or 1, 1, log2(3), ... of LETOR 4.0", choices=tuple(DISCOUNTS)),
]


def relevance(rel: int) -> np.ndarray:
    """Return gains by grade: 1 for grades of at least `rel`, 0 for others."""
    return (rel <= _GRADES).astype(np.float64)


def discounts(depth: int, discount: str) -> np.ndarray:
    """Return 1 / divisor for the first `depth` ranks."""
    return 1.0 / DISCOUNTS[discount](np.arange(1.0, depth + 1))


def expected_sums(ranked: Ranked, weights: np.ndarray, gains: np.ndarray) -> np.ndarray:
    """Return the expected sum of ``gains[grade] * weights[rank]`` of each query; `weights` is the cut-off."""
    return _expected_sums(*ranked, weights, gains)


def ideal_sums(grades: np.ndarray, offsets: np.ndarray, weights: np.ndarray, gains: np.ndarray) -> np.ndarray:
    """Return the highest sum of each query over all orders of its documents; `gains` increase with grade."""
    return _ideal_sums(read_only(grades), read_only(offsets), weights, gains)


def ideal_dcg(labels: np.ndarray, offsets: np.ndarray, k: int) -> np.ndarray:
    """Return the ideal DCG@k of each query with exponential gains, by which DCG of pages is normalised."""
    longest = int(np.diff(offsets).max(initial=0))
    return ideal_sums(labels, offsets, discounts(min(k, longest), "log2"), GAINS["exponential"])


@entry
def _ideal_sums(grades, offsets, weights, gains):
    best = np.zeros(len(offsets) - 1)
    counts = np.zeros(len(gains), np.int64)
    for query in range(len(best)):
        counts[:] = 0
        for grade in grades[offsets[query] : offsets[query + 1]]:
            counts[grade] += 1
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
def _expected_sums(grades, offsets, ends, ties, weights, gains):
    expected = np.zeros(len(offsets) - 1)
    for query in range(len(expected)):
        start = offsets[query]
        end = min(ends[query], start + len(weights))
        rank = start
        while rank < end:
            size = ties[rank] + 1
            gain = 0.0
            for i in range(rank, rank + size):
                gain += gains[grades[i]]
            weight = 0.0
            for i in range(rank, min(rank + size, end)):
                weight += weights[i - start]
            expected[query] += gain / size * weight
            rank += size
    return expected
