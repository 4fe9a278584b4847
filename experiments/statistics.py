"""Intervals for means: of runs, by Student's t; and of values in [0, 1], to be looked at any time.

Confidence sequences hold at all times at once, so that one may stop any time. Two kinds, both by Ville's
inequality:

    normal mixture       Robbins 1970; Howard, Ramdas, McAuliffe and Sekhon 2021. Knows the number of
                         values alone; best where they are 0 or 1.
    empirical Bernstein  Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
                         betting", JRSS B 2023. Pays for the spread seen; best for averages and ties.

A `Sequence` runs both at half the error each and intersects them, for many means at once. Values come in
rounds. A round's stake (the lambda of the paper) and the centres its spread is measured from must follow
from what came before, and then anything goes: with rounds of one value this is the paper's sequence. With
rounds that go through all strata equally often, looked at when a round ends, it bounds the mean over the
strata, although no single value has that mean: the values' own means add up to it within a round.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import scipy

RHO = 25.0  # makes the normal mixture narrow at 10^3 to 10^5 values
_BOLDEST = 0.5  # stake


class Sequence(NamedTuple):
    """What is known of many means; every array has one entry for each."""

    rounds: np.ndarray  # int64
    n: np.ndarray  # int64, values seen
    total: np.ndarray  # their sum
    spread: np.ndarray  # sum of (value - centre)^2
    stakes: np.ndarray  # sum of each value's stake
    staked: np.ndarray  # sum of stake * value
    price: np.ndarray  # what the spread costs at these stakes
    lo: np.ndarray  # the intersection of all intervals so far
    hi: np.ndarray


def start_sequence(means: int) -> Sequence:
    rounds, n = np.zeros((2, means), np.int64)
    total, spread, stakes, staked, price, lo = np.zeros((6, means))
    return Sequence(rounds, n, total, spread, stakes, staked, price, lo, np.ones(means))


def guess(n: np.ndarray, total: np.ndarray) -> np.ndarray:
    """The mean as far as it is known: what the next values are centred on."""
    return (0.5 + total) / (n + 1.0)


def stake(sequence: Sequence, more: np.ndarray | int, alpha: float, rows=slice(None)) -> np.ndarray:
    """How boldly to bet on the next `more` values: the smaller the spread so far, the bolder."""
    n, spread = sequence.n[rows], sequence.spread[rows]
    variance = (0.25 + spread) / (n + 1.0)
    patience = (n + more) * np.log(2.0 + sequence.rounds[rows])
    return np.minimum(np.sqrt(2.0 * np.log(2.0 / alpha) / (variance * patience)), _BOLDEST)


def extend(
    sequence: Sequence,
    more: np.ndarray | int,
    total: np.ndarray,
    spread: np.ndarray,
    alpha: float,
    rows: np.ndarray | slice = slice(None),
) -> None:
    """Add a round of `more` values each to the means at `rows`: their sum, their spread about the centres.

    `alpha` must be the same in every round.
    """
    bold = stake(sequence, more, alpha / 2, rows)
    sequence.price[rows] += spread * (-np.log1p(-bold) - bold)
    sequence.stakes[rows] += bold * more
    sequence.staked[rows] += bold * total
    sequence.rounds[rows] += 1
    sequence.n[rows] += more
    sequence.total[rows] += total
    sequence.spread[rows] += spread
    n, mean = sequence.n[rows], sequence.total[rows] / sequence.n[rows]
    reach = normal_mixture(n, alpha / 2)
    low, high = empirical_bernstein(sequence, alpha / 2, rows)
    sequence.lo[rows] = np.maximum(sequence.lo[rows], np.maximum(low, mean - reach))
    sequence.hi[rows] = np.minimum(sequence.hi[rows], np.minimum(high, mean + reach))


def normal_mixture(n: np.ndarray, alpha: float) -> np.ndarray:
    """The half-width about the mean of n values."""
    size = n / 4.0 + RHO
    return np.sqrt(size * np.log(size / (RHO * alpha**2))) / n


def empirical_bernstein(
    sequence: Sequence, alpha: float, rows: np.ndarray | slice = slice(None)
) -> tuple[np.ndarray, np.ndarray]:
    """(lo, hi) by the stakes so far, which were made for this alpha."""
    stakes = sequence.stakes[rows]
    middle = sequence.staked[rows] / stakes
    reach = (np.log(2.0 / alpha) + sequence.price[rows]) / stakes
    return middle - reach, middle + reach


def standard_error(values: np.ndarray) -> np.ndarray:
    """Of the mean over the first axis; unknown for a single run."""
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    return values.std(axis=0, ddof=1) / np.sqrt(len(values))


class Estimate(NamedTuple):
    """A mean and its 95 % interval by Student's t; the interval is unknown (NaN) for a single run."""

    mean: float
    low: float
    high: float

    def overlaps(self, other: Estimate) -> bool:
        return self.low <= other.high and other.low <= self.high


def estimate(values: Iterable[float]) -> Estimate:
    values = np.asarray(list(values), float)
    mean = values.mean()
    error = standard_error(values)
    margin = scipy.stats.t.ppf(0.975, max(1, len(values) - 1)) * error
    return Estimate(float(mean), float(mean - margin), float(mean + margin))


def wilson(successes: np.ndarray, n: np.ndarray | int, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) of a share by Wilson's score interval, which has a width where all or none of n succeed."""
    z = scipy.stats.norm.ppf(0.5 + level / 2)
    share = np.asarray(successes) / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)
