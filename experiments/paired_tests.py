"""Paired tests between rankers measured on the same queries: is a difference of means more than chance?

    sign flips  Fisher's randomisation test. If two rankers are alike, the difference of a query is as likely
                with the other sign. Pairs that differ on few queries: all signs. Others: random signs, with
                (b + 1) / (n + 1) for b of n means at least as far from 0 (Phipson and Smyth 2010).
    bootstrap   an interval for the mean difference: quantiles over queries drawn with replacement.
    Holm        p-values of many pairs, such that the smallest can be believed among all of them (1979).

Smucker, Allan and Carterette, "A Comparison of Statistical Significance Tests for Information Retrieval
Evaluation", CIKM 2007. A draw of signs or of queries serves all pairs: the sums of K rankers are computed,
and the differences of pairs follow from them. So adding a ranker changes no number of the others but Holm's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import entry
from rankduel.base.streams import stream

FEW = 20  # a pair that differs on so many queries at most is tested with all signs
_AT_A_TIME = 1 << 20  # signs or queries drawn at a time; part of what the numbers depend on
_ROUNDING = 1e-12  # of the sum of all values: two sums that differ by less are equal


class PairedTests(NamedTuple):
    """All pairs of K rankers, K (K - 1) / 2 entries each; the better one of a pair is the first."""

    first: np.ndarray  # ranker numbers
    second: np.ndarray
    difference: np.ndarray  # of the means, 0 or more
    lo: np.ndarray  # bootstrap interval of the difference
    hi: np.ndarray
    p: np.ndarray  # two-sided, of sign flips
    p_holm: np.ndarray


def paired_tests(
    values: np.ndarray, samples: int, confidence: float, seed: int, *purpose: object
) -> PairedTests:
    """Test all pairs of rankers; `values` is (K, n_queries), `purpose` names the random streams."""
    best_first = np.argsort(-values.mean(axis=1), kind="stable")
    columns = np.ascontiguousarray(values[best_first].T)
    first, second = np.triu_indices(len(values), 1)
    means = columns.mean(axis=0)
    lo, hi = _bootstrap_intervals(columns, samples, confidence, stream(seed, *purpose, "bootstrap"))
    p = _sign_flip_p(columns, samples, stream(seed, *purpose, "signs"))
    difference = means[first] - means[second]
    return PairedTests(best_first[first], best_first[second], difference, lo, hi, p, holm(p))


def holm(p: np.ndarray) -> np.ndarray:
    """Return p-values that hold for all of these tests together."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


def _sign_flip_p(columns: np.ndarray, samples: int, rng: np.random.Generator) -> np.ndarray:
    """Return the p-values of all pairs; `columns` is (n_queries, K)."""
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
    """Return the share of all signs whose sum is at least as far from 0 as that of `differences`.

    The sums of each half of the differences are listed, one list is sorted, and sums of both are counted.
    """
    kept = differences[differences != 0]
    target = abs(kept.sum()) - _ROUNDING * np.abs(kept).sum()
    if target <= 0:
        return 1.0
    middle = len(kept) // 2
    some, others = (_all_signed_sums(part) for part in (kept[:middle], kept[middle:]))
    n_reaching = len(others) * len(some) - np.searchsorted(np.sort(others), target - some).sum()
    return float(2 * n_reaching / 2 ** len(kept))


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
    """(n, n_queries) int32: how often each query is among so many drawn with replacement."""
    drawn = rng.integers(0, n_queries, (n, n_queries)) + n_queries * np.arange(n)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=n * n_queries)
    return counts.reshape(n, n_queries).astype(np.int32)


def _batches(samples: int, n_queries: int) -> Iterator[int]:
    """Sizes of parts of the samples. They do not depend on the rankers, and so neither do the draws."""
    most = max(1, _AT_A_TIME // n_queries)
    for done in range(0, samples, most):
        yield min(most, samples - done)


@entry
def weighted_sums(weights, columns):
    """Return weights @ columns for whole-number weights, added up in the same order on every machine."""
    sums = np.zeros((len(weights), columns.shape[1]))
    for row in range(len(weights)):
        for query in range(len(columns)):
            weight = weights[row, query]
            for ranker in range(columns.shape[1]):
                sums[row, ranker] += weight * columns[query, ranker]
    return sums
