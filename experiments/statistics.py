"""Intervals of means: Student's t for runs, Wilson's for shares, confidence sequences for values in [0, 1].

A confidence sequence covers the mean at all times simultaneously, so sampling may stop at any time. Two
kinds are used, both by Ville's inequality:

    normal mixture       Robbins 1970; Howard, Ramdas, McAuliffe and Sekhon 2021. Depends on the number of
                         values only; narrower for values that are 0 or 1.
    empirical Bernstein  Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
                         betting", JRSS B 2023. Depends on the observed variance; narrower for averages and
                         ties.

A `Sequence` runs both, each at half the error probability, and intersects them, for many means at once.
Values arrive in rounds. The bet of a round (lambda in the paper) and the centres of its squared deviations
must be predictable, that is, computed from earlier rounds only. With one value per round this is the paper's
sequence. If every round visits all strata equally often and the interval is read at the end of a round, it
covers the mean over the strata: within a round, the means of the single values add up to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import scipy

RHO = 25.0  # makes the normal mixture narrow at 10^3 to 10^5 values
_LARGEST_BET = 0.5  # the truncation c of the paper


class Sequence(NamedTuple):
    """Confidence sequences of many means; every array has one entry per mean."""

    rounds: np.ndarray  # int64
    n: np.ndarray  # int64, number of values
    total: np.ndarray  # sum of the values
    spread: np.ndarray  # sum of (value - centre)^2
    bets: np.ndarray  # sum of lambda over the values
    bet_values: np.ndarray  # sum of lambda * value
    penalty: np.ndarray  # sum of psi(lambda) * (value - centre)^2
    lo: np.ndarray  # intersection of all intervals so far
    hi: np.ndarray


def start_sequence(means: int) -> Sequence:
    rounds, n = np.zeros((2, means), np.int64)
    total, spread, bets, bet_values, penalty, lo = np.zeros((6, means))
    return Sequence(rounds, n, total, spread, bets, bet_values, penalty, lo, np.ones(means))


def predicted_mean(n: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return the centre of the next values: the mean of `n` values with sum `total`, and of one value 1/2."""
    return (0.5 + total) / (n + 1.0)


def next_bet(
    sequence: Sequence, more: np.ndarray | int, alpha: float, rows: np.ndarray | slice = slice(None)
) -> np.ndarray:
    """Return lambda for the next `more` values; it is larger if the variance so far is smaller."""
    n, spread = sequence.n[rows], sequence.spread[rows]
    variance = (0.25 + spread) / (n + 1.0)
    n_discounted = (n + more) * np.log(2.0 + sequence.rounds[rows])
    return np.minimum(np.sqrt(2.0 * np.log(2.0 / alpha) / (variance * n_discounted)), _LARGEST_BET)


def extend(
    sequence: Sequence,
    more: np.ndarray | int,
    total: np.ndarray,
    spread: np.ndarray,
    alpha: float,
    rows: np.ndarray | slice = slice(None),
) -> None:
    """Add a round of `more` values to each of the means at `rows`.

    `total` is the sum of these values, and `spread` the sum of their squared deviations from the centres.
    `alpha` must be the same in every round.
    """
    bet = next_bet(sequence, more, alpha / 2, rows)
    sequence.penalty[rows] += spread * (-np.log1p(-bet) - bet)
    sequence.bets[rows] += bet * more
    sequence.bet_values[rows] += bet * total
    sequence.rounds[rows] += 1
    sequence.n[rows] += more
    sequence.total[rows] += total
    sequence.spread[rows] += spread
    n, mean = sequence.n[rows], sequence.total[rows] / sequence.n[rows]
    half_width = normal_mixture(n, alpha / 2)
    low, high = empirical_bernstein(sequence, alpha / 2, rows)
    sequence.lo[rows] = np.maximum(sequence.lo[rows], np.maximum(low, mean - half_width))
    sequence.hi[rows] = np.minimum(sequence.hi[rows], np.minimum(high, mean + half_width))


def normal_mixture(n: np.ndarray, alpha: float) -> np.ndarray:
    """Return the half-width of the normal-mixture interval around the mean of `n` values."""
    size = n / 4.0 + RHO
    return np.sqrt(size * np.log(size / (RHO * alpha**2))) / n


def empirical_bernstein(
    sequence: Sequence, alpha: float, rows: np.ndarray | slice = slice(None)
) -> tuple[np.ndarray, np.ndarray]:
    """Return (lo, hi) of the empirical Bernstein interval; the bets must have been made for `alpha`."""
    bets = sequence.bets[rows]
    middle = sequence.bet_values[rows] / bets
    half_width = (np.log(2.0 / alpha) + sequence.penalty[rows]) / bets
    return middle - half_width, middle + half_width


def standard_error(values: np.ndarray) -> np.ndarray:
    """Return the standard error of the mean over the first axis; NaN for a single run."""
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    return values.std(axis=0, ddof=1) / np.sqrt(len(values))


class Estimate(NamedTuple):
    """A mean with its 95 % interval by Student's t; the ends are NaN for a single run."""

    mean: float
    low: float
    high: float

    def overlaps(self, other: Estimate) -> bool:
        """Return whether the two intervals have a point in common."""
        return self.low <= other.high and other.low <= self.high


def estimate(values: Iterable[float]) -> Estimate:
    """Return the mean of `values` and its 95 % interval by Student's t."""
    values = np.asarray(list(values), float)
    mean = values.mean()
    error = standard_error(values)
    margin = scipy.stats.t.ppf(0.975, max(1, len(values) - 1)) * error
    return Estimate(float(mean), float(mean - margin), float(mean + margin))


def wilson(successes: np.ndarray, n: np.ndarray | int, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Return (low, high) of Wilson's score interval, which is not empty at 0 or n successes of `n`."""
    z = scipy.stats.norm.ppf(0.5 + level / 2)
    share = np.asarray(successes) / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half_width = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.maximum(middle - half_width, 0.0), np.minimum(middle + half_width, 1.0)
