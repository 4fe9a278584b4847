"""Confidence sequences: formulas, probability of a miss, and time to a decision.

A sequence misses the mean at some time with probability at most alpha = 0.05. Among 400 runs the expected
number of misses is at most 20, with a standard deviation of 4.4: 38 misses are 4 standard deviations more.
"""

import naive.matrix
import numpy as np
import pytest
from scipy import stats

from rankduel.experiments.statistics import (
    empirical_bernstein,
    extend,
    next_bet,
    normal_mixture,
    predicted_mean,
    start_sequence,
    wilson,
)

ALPHA, RUNS, MOST_MISSES = 0.05, 400, 38


def bernoulli(p):
    return lambda rng, shape: (rng.random(shape) < p).astype(float)


def tie_heavy(p, ties=0.6):
    return lambda rng, shape: rng.choice([0.0, 0.5, 1.0], shape, p=[1 - p - ties / 2, ties, p - ties / 2])


def page_odds(p, variance):
    """Return values with a uniform distribution around p."""
    half_width = (3 * variance) ** 0.5
    return lambda rng, shape: rng.uniform(p - half_width, p + half_width, shape)


def by_values(values, alpha):
    """Return the bounds of `extend` with one value per round, and of Bernstein alone: (values, 2, runs)."""
    combined, sequence, alone = [], start_sequence(values.shape[1]), []
    for value in values:
        extend(sequence, 1, value, (value - predicted_mean(sequence.n, sequence.total)) ** 2, alpha)
        combined.append((sequence.lo.copy(), sequence.hi.copy()))
        alone.append(empirical_bernstein(sequence, alpha / 2))
    return np.array(combined), np.array(alone)


def test_the_formulas_match_the_twin():
    values = np.random.default_rng(0).choice([0.0, 0.25, 0.5, 1.0], (60, 3))
    combined, alone = by_values(values, ALPHA)
    for run in range(3):
        twin = np.array(list(naive.matrix.bernstein(values[:, run].tolist(), ALPHA / 2)))
        np.testing.assert_allclose(alone[:, :, run], twin, atol=1e-12)
        mixture = np.array(list(naive.matrix.normal_mixture(values[:, run].tolist(), ALPHA / 2)))
        lo = np.maximum.accumulate(np.maximum(np.maximum(twin[:, 0], mixture[:, 0]), 0))
        hi = np.minimum.accumulate(np.minimum(np.minimum(twin[:, 1], mixture[:, 1]), 1))
        np.testing.assert_allclose(combined[:, :, run], np.stack([lo, hi], axis=1), atol=1e-12)


@pytest.mark.parametrize(
    ("draw", "p"),
    [
        (bernoulli(0.5), 0.5),
        (bernoulli(0.9), 0.9),
        (tie_heavy(0.52), 0.52),
        (page_odds(0.52, 0.03), 0.52),
        (page_odds(0.51, 0.0075), 0.51),
    ],
    ids=["fair", "clear", "ties", "pages", "close pages"],
)
def test_intervals_at_all_times_miss_rarely(draw, p):
    values = draw(np.random.default_rng(1), (3000, RUNS))
    combined, alone = by_values(values, ALPHA)
    for intervals in (combined, alone):
        missed = ((intervals[:, 0] > p) | (intervals[:, 1] < p)).any(axis=0)
        assert missed.sum() <= MOST_MISSES


def test_the_normal_mixture_misses_with_probability_near_alpha():
    """For 20,000 values of Bernoulli(1/2); an independent measurement gave 0.043 to 0.048."""
    rng, n = np.random.default_rng(2), np.arange(1, 20_001)
    missed = 0
    for _ in range(RUNS):
        mean = np.cumsum(rng.random(20_000) < 0.5) / n
        missed += bool((np.abs(mean - 0.5) > normal_mixture(n, ALPHA)).any())
    assert 2 <= missed <= MOST_MISSES


@pytest.mark.parametrize(
    ("draw", "values", "runs", "measured"),
    [
        (tie_heavy(0.52), 18_000, 150, 4564),
        (page_odds(0.52, 0.03), 4000, RUNS, 982),
        (page_odds(0.51, 0.0075), 4000, RUNS, 1110),
    ],
    ids=["ties", "pages", "close pages"],
)
def test_bernstein_takes_the_measured_time_to_a_decision(draw, values, runs, measured):
    """Mean times at alpha = 0.05, as `alone` uses alpha / 2; 20 % are 4 standard errors of the slowest."""
    _, alone = by_values(draw(np.random.default_rng(3), (values, runs)), 2 * ALPHA)
    above = alone[:, 0] > 0.5
    assert np.where(above.any(axis=0), above.argmax(axis=0), values).mean() == pytest.approx(
        measured, rel=0.2
    )


def test_the_normal_mixture_takes_the_measured_time_to_a_decision():
    rng, n = np.random.default_rng(4), np.arange(1, 40_001)
    decided = []
    for _ in range(RUNS):
        above = np.cumsum(rng.random(len(n)) < 0.52) / n - normal_mixture(n, ALPHA) > 0.5
        decided.append(above.argmax() if above.any() else len(n))
    assert np.mean(decided) == pytest.approx(5594, rel=0.15)


def stratified(queries, within, rng, sizes):
    """Return (lo, hi) after each round of passes over queries with means from 0.2 to 0.84: p = 0.52."""
    means = np.linspace(0.2, 0.84, queries)[:, None]
    sequence, found = start_sequence(RUNS), []
    for size in sizes:
        values = means + rng.uniform(-within, within, (size, queries, RUNS))
        centre, seen, spread = predicted_mean(sequence.n, sequence.total), np.zeros((queries, RUNS)), 0.0
        for turn in range(size):
            spread = spread + ((values[turn] - (centre + seen) / (turn + 1)) ** 2).sum(axis=0)
            seen += values[turn]
        extend(sequence, size * queries, values.sum(axis=(0, 1)), spread, ALPHA)
        found.append((sequence.lo.copy(), sequence.hi.copy()))
    return np.array(found)


def test_stratified_queries_are_covered_by_narrower_intervals():
    """The mean over queries is covered, with narrower intervals than for random queries."""
    sizes = [1, 1, 1, 1, 2, 3, 4, 6, 9, 14]
    found = stratified(40, 0.1, np.random.default_rng(5), sizes)
    missed = ((found[:, 0] > 0.52) | (found[:, 1] < 0.52)).any(axis=0)
    assert missed.sum() <= MOST_MISSES
    rng, n = np.random.default_rng(6), sum(sizes) * 40
    values = np.linspace(0.2, 0.84, 40)[rng.integers(40, size=(n, 20))] + rng.uniform(-0.1, 0.1, (n, 20))
    at_random, _ = by_values(values, ALPHA)
    assert (found[-1, 1] - found[-1, 0]).mean() < 0.7 * (at_random[-1, 1] - at_random[-1, 0]).mean()


def test_bets_are_predictable():
    """The bet of a round depends on earlier rounds only."""
    sequence = start_sequence(2)
    extend(sequence, 1000, np.array([500.0, 500.0]), np.array([200.0, 50.0]), ALPHA)
    variable, constant = next_bet(sequence, 1000, ALPHA)
    assert variable < constant < 0.5
    assert next_bet(sequence, 5000, ALPHA)[1] < constant


def test_only_the_given_rows_are_extended():
    sequence = start_sequence(3)
    extend(sequence, 50, np.array([30.0, 20.0]), np.array([1.0, 2.0]), ALPHA, np.array([0, 2]))
    assert sequence.n.tolist() == [50, 0, 50] and sequence.rounds.tolist() == [1, 0, 1]
    assert (sequence.lo[1], sequence.hi[1]) == (0, 1) and sequence.lo[0] > sequence.lo[2]


@pytest.mark.parametrize("n", [1, 7, 1000])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_wilson_interval_matches_scipy(n, level):
    for successes in {0, 1, n // 2, n}:
        expected = stats.binomtest(successes, n).proportion_ci(level, "wilson")
        assert wilson(np.array(successes), n, level) == pytest.approx((expected.low, expected.high))
