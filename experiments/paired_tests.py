"""Paired significance tests between rankers that are measured on the same queries.

    sign flips  Fisher's randomisation test. Under the null hypothesis, the difference on a query has either
                sign with equal probability. A pair that differs on at most FEW queries is tested with all
                sign vectors. Other pairs are tested with random ones: p = (b + 1) / (n + 1) if b of n means
                are at least as far from 0 as the observed mean (Phipson and Smyth 2010).
    bootstrap   percentile interval of the mean difference over queries drawn with replacement.
    Holm        step-down adjustment of the p-values of all pairs (Holm 1979), which controls the family-wise
                error rate.

Smucker, Allan and Carterette, "A Comparison of Statistical Significance Tests for Information Retrieval
Evaluation", CIKM 2007. All pairs share each draw of signs or queries: the sums of the K rankers are computed,
and the differences of pairs follow from them. Adding a ranker therefore changes no number of the other pairs
except the adjusted p-values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import entry
from rankduel.base.streams import stream

FEW = 20  # largest number of differing queries for which all sign vectors are enumerated
_BATCH_SIZE = 1 << 20  # signs or queries drawn at a time; the random numbers depend on it
_ROUNDING = 1e-12  # relative tolerance, in parts of the sum of absolute values, for equal sums


class PairedTests(NamedTuple):
    """Results of all pairs of K rankers, K (K - 1) / 2 entries each; the better ranker is the first."""

    first: np.ndarray  # ranker numbers
    second: np.ndarray
    difference: np.ndarray  # mean of the first minus mean of the second, at least 0
    lo: np.ndarray  # bootstrap interval of the difference
    hi: np.ndarray
    p: np.ndarray  # two-sided p-values of the sign-flip test
    p_holm: np.ndarray  # p-values adjusted by Holm's method


def paired_tests(
    values: np.ndarray, samples: int, confidence: float, seed: int, *purpose: object
) -> PairedTests:
    """Test all pairs of rankers; `values` has shape (K, n_queries), `purpose` names the random streams."""
    best_first = np.argsort(-values.mean(axis=1), kind="stable")
    columns = np.ascontiguousarray(values[best_first].T)
    first, second = np.triu_indices(len(values), 1)
    means = columns.mean(axis=0)
    lo, hi = _bootstrap_intervals(columns, samples, confidence, stream(seed, *purpose, "bootstrap"))
    p = _sign_flip_p(columns, samples, stream(seed, *purpose, "signs"))
    difference = means[first] - means[second]
    return PairedTests(best_first[first], best_first[second], difference, lo, hi, p, holm(p))


def holm(p: np.ndarray) -> np.ndarray:
    """Return the p-values `p` adjusted by Holm's step-down method."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


def _sign_flip_p(columns: np.ndarray, samples: int, rng: np.random.Generator) -> np.ndarray:
    """Return the p-values of all pairs; `columns` has shape (n_queries, K)."""
    first, second = np.triu_indices(columns.shape[1], 1)
    n_differing = np.array([np.count_nonzero(columns[:, i] != columns[:, j]) for i, j in zip(first, second)])
    few = n_differing <= FEW
    p = np.ones(len(first))
    for pair in np.flatnonzero(few):
        p[pair] = exact_sign_flip_p(columns[:, first[pair]] - columns[:, second[pair]])
    if not few.all():
        p[~few] = _sampled_sign_flip_p(columns, samples, rng)[~few]
    return p


def exact_sign_flip_p(differences: np.ndarray) -> float:
    """Return the share of sign vectors for which the sum is at least as far from 0 as observed.

    The signed sums of each half of `differences` are listed, one list is sorted, and the pairs of sums that
    reach the observed value are counted by binary search.
    """
    nonzero = differences[differences != 0]
    target = abs(nonzero.sum()) - _ROUNDING * np.abs(nonzero).sum()
    if target <= 0:
        return 1.0
    middle = len(nonzero) // 2
    left, right = (_all_signed_sums(part) for part in (nonzero[:middle], nonzero[middle:]))
    n_reaching = len(right) * len(left) - np.searchsorted(np.sort(right), target - left).sum()
    return float(2 * n_reaching / 2 ** len(nonzero))


def _all_signed_sums(values: np.ndarray) -> np.ndarray:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _sampled_sign_flip_p(columns: np.ndarray, samples: int, rng: np.random.Generator) -> np.ndarray:
    n_queries, n_rankers = columns.shape
    pairs = [slice(i + 1, n_rankers) for i in range(n_rankers)]
    sizes = np.abs(columns).sum(axis=0)
    totals = weighted_sums(np.ones((1, n_queries), np.int32), columns)[0]
    targets = [
        np.abs(totals[i] - totals[others]) - _ROUNDING * (sizes[i] + sizes[others])
        for i, others in enumerate(pairs)
    ]
    n_reaching = [np.zeros(len(target), np.int64) for target in targets]
    for n in _batches(samples, n_queries):
        sums = weighted_sums(rng.integers(0, 2, (n, n_queries), np.int32) * 2 - 1, columns)
        for i, others in enumerate(pairs):
            n_reaching[i] += (np.abs(sums[:, i : i + 1] - sums[:, others]) >= targets[i]).sum(axis=0)
    return (np.concatenate(n_reaching) + 1) / (samples + 1)


def _bootstrap_intervals(
    columns: np.ndarray, samples: int, confidence: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    n_queries, n_rankers = columns.shape
    sums = [weighted_sums(_drawn_counts(rng, n, n_queries), columns) for n in _batches(samples, n_queries)]
    means = np.concatenate(sums) / n_queries
    levels = [(1 - confidence) / 2, (1 + confidence) / 2]
    found = [
        np.quantile(means[:, i : i + 1] - means[:, i + 1 :], levels, axis=0) for i in range(n_rankers - 1)
    ]
    lo, hi = np.concatenate(found, axis=1)
    return lo, hi


def _drawn_counts(rng: np.random.Generator, n: int, n_queries: int) -> np.ndarray:
    """Return (n, n_queries) int32: how often each query occurs in n samples drawn with replacement."""
    drawn = rng.integers(0, n_queries, (n, n_queries)) + n_queries * np.arange(n)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=n * n_queries)
    return counts.reshape(n, n_queries).astype(np.int32)


def _batches(samples: int, n_queries: int) -> Iterator[int]:
    """Yield batch sizes that add up to `samples`. The rankers do not affect them, nor the random draws."""
    most = max(1, _BATCH_SIZE // n_queries)
    for done in range(0, samples, most):
        yield min(most, samples - done)


@entry
def weighted_sums(weights, columns):
    """Return weights @ columns for integer weights, summed in the same order on every machine."""
    sums = np.zeros((len(weights), columns.shape[1]))
    for row in range(len(weights)):
        for query in range(len(columns)):
            weight = weights[row, query]
            for ranker in range(columns.shape[1]):
                sums[row, ranker] += weight * columns[query, ranker]
    return sums
