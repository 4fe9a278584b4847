"""The relative entropy (Kullback-Leibler divergence) d of two Bernoulli distributions, in nats.

All functions compute d(p, q) = p ln(p / q) + (1 - p) ln((1 - p) / (1 - q)). They differ in their arguments,
and in where rounding errors would matter.
"""

from __future__ import annotations

import math

import numpy as np

from rankduel.base.compiling import kernel


@kernel
def entropy(p, q):
    """Return d(p, q) for 0 < q < 1; 0 ln 0 is 0."""
    nats = 0.0
    if p > 0.0:
        nats += p * math.log(p / q)
    if p < 1.0:
        nats += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return nats


@kernel
def entropy_of_edge(edge):
    """Return d((1 + edge) / 2, 1/2), which equals d((1 - edge) / 2, 1/2), for -1 < edge < 1."""
    return 0.5 * ((1.0 + edge) * math.log1p(edge) + (1.0 - edge) * math.log1p(-edge))


@kernel
def divergence(won, lost):
    """Return N d(won / N, 1/2) of N = won + lost duels; 0 if won >= lost.

    With x = (lost - won) / N, it is N / 2 times (1 + x) ln(1 + x) + (1 - x) ln(1 - x), whose terms nearly
    cancel for small x. In the form below they do not, so that the result is never negative.
    """
    if won >= lost:
        return 0.0
    n = float(won + lost)
    if won == 0:
        return n * math.log(2.0)
    x = float(lost - won) / n
    return 0.5 * n * (x * (math.log1p(x) - math.log1p(-x)) + math.log1p(-x * x))


def entropy_to_even(p: np.ndarray) -> np.ndarray:
    """Return d(p, 1/2) of each entry; 0 ln 0 is 0."""
    q = 1 - p
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(2) + np.where(p > 0, p * np.log(p), 0.0) + np.where(q > 0, q * np.log(q), 0.0)
