"""Test the distribution of the arm with the largest posterior sample, and the Beta distributions it uses."""

import numpy as np
import pytest
from numba import njit
from scipy import special, stats

from rankduel.bandits.parts.thompson.argmax import (
    COLUMNS,
    best_mean,
    draw_best,
    flat_posteriors,
    posteriors_room,
    record_outcome,
)
from rankduel.bandits.parts.thompson.beta_tails import draw_between, log_edge, probability_below

pytestmark = pytest.mark.kernel

ROOM = posteriors_room()


@njit
def record_outcomes(posteriors, room, arms, successes, failures):
    for k in range(len(arms)):
        record_outcome(posteriors, room, 0, arms[k], successes[k], failures[k])


@njit
def count_best(posteriors, room, sampler, n_draws, rng, moving=True):
    """Return how often each arm has the largest sample; the levels move only if `moving`."""
    counts = np.zeros(posteriors.counts.shape[1])
    for _ in range(n_draws):
        if not moving:
            posteriors.excess[sampler] = 0.0
        counts[draw_best(posteriors, room, sampler, rng)] += 1
    return counts


@njit
def draws_between(a, b, low, high, n_draws, rng):
    return np.array([draw_between(a, b, low, high, rng) for _ in range(n_draws)])


def probabilities_of_best(a, b, points_per_arm=400):
    """Return P(arm has the largest sample), by integrating over the value of its sample."""
    spread = np.sqrt(a * b / (a + b + 1)) / (a + b)
    grids = (a / (a + b))[:, None] + spread[:, None] * np.linspace(-9, 9, points_per_arm)
    x = np.unique(np.clip(np.append(grids, np.linspace(0, 1, points_per_arm)), 0, 1))
    below = np.array([special.betainc(*ab, x) for ab in zip(a, b)])
    middle = (below[:, 1:] + below[:, :-1]) / 2
    others = [np.delete(middle, arm, axis=0).prod(axis=0) for arm in range(len(a))]
    probabilities = (np.diff(below) * others).sum(axis=1)
    return probabilities / probabilities.sum()


def with_counts(a, b):
    """Return posteriors with these counts, each from one outcome of any size."""
    posteriors = flat_posteriors(1, len(a))
    record_outcomes(posteriors, ROOM, np.arange(len(a)), np.array(a) - 1.0, np.array(b) - 1.0)
    return posteriors


def assert_exact_distribution(posteriors, n_draws=40_000, seed=0, moving=True):
    """Assert that a chi-square test has p above 1e-6: detects a probability of 0.1 that is wrong by 5 %."""
    expected = n_draws * probabilities_of_best(*posteriors.counts[0].T)
    found = count_best(posteriors, ROOM, 0, n_draws, np.random.default_rng(seed), moving)
    rare = expected < 5
    assert found[rare].sum() <= 6 * expected[rare].sum() + 30
    expected, found = expected[~rare], found[~rare]
    if len(expected) > 1:
        assert stats.chisquare(found, found.sum() * expected / expected.sum()).pvalue > 1e-6


@pytest.mark.parametrize("n_arms", [2, 3, 16, 17, 40])
@pytest.mark.parametrize("n_steps", [0, 2000])
def test_arm_has_the_distribution_of_the_largest_sample(n_arms, n_steps):
    rng = np.random.default_rng(n_arms)
    skill = rng.uniform(0.45, 0.55, n_arms)
    posteriors = flat_posteriors(1, n_arms)
    arms = rng.integers(0, n_arms, n_steps)
    won = (rng.random(n_steps) < skill[arms]).astype(float)
    record_outcomes(posteriors, ROOM, arms, won, 1 - won)
    assert_exact_distribution(posteriors, moving=False)  # the levels stay where they are best without data
    posteriors.excess[0] = np.inf  # the levels move in the next draw, and later by the excess
    assert_exact_distribution(posteriors, seed=1)


FAR_APART = [
    ([1000, 990, 1], [1, 2, 1]),  # above all levels of flat posteriors
    ([1, 1, 2], [1000, 900, 1500]),  # below all levels of flat posteriors
    ([600, 1, 400, 30], [400, 1, 600, 20]),
    ([5e8 + 4e4, 300, 3000], [5e8, 290, 3000]),
    ([2.0**33, 2.0**33 + 9e4], [2.0**33, 2.0**33]),
    ([1.25, 2.5, 7.75], [3.5, 1.0, 9.125]),
]


@pytest.mark.parametrize("a, b", FAR_APART)
@pytest.mark.parametrize("moves", [0, 1, 12])
def test_distribution_does_not_depend_on_the_levels(a, b, moves):
    posteriors = with_counts(a, b)
    for k in range(moves):
        posteriors.excess[0] = np.inf
        count_best(posteriors, ROOM, 0, 1, np.random.default_rng(k))
    assert_exact_distribution(posteriors, 20_000, moving=False)


def test_levels_stop_moving_where_draws_are_cheap():
    """With 30 equal arms the levels move within 2000 draws to where few cells have several samples."""
    posteriors = with_counts(np.full(30, 400.0), np.full(30, 600.0))
    count_best(posteriors, ROOM, 0, 2000, np.random.default_rng(0))
    level = posteriors.level.copy()
    count_best(posteriors, ROOM, 0, 2000, np.random.default_rng(1))
    np.testing.assert_array_equal(posteriors.level, level)
    assert posteriors.excess[0] < 500
    assert posteriors.all_below[0, 1] > 0.5 and posteriors.all_below[0, COLUMNS - 2] < 0.01


@pytest.mark.parametrize("pattern", ["mixed", "runs", "pairs", "together"])
def test_stored_probabilities_are_incomplete_betas(pattern):
    """Also where an edge underflows and grows again, in long runs of failures and then successes, or where
    a product does, with outcomes of all arms in turn."""
    rng = np.random.default_rng(3)
    posteriors, n_arms = flat_posteriors(1, 20), 20
    posteriors.level[0, 1:-1] = [0.9, 0.7, 0.5, 0.3, 0.2, 0.1]
    arms = np.repeat([3, 3, 3, 17], 3000)
    won = (np.arange(len(arms)) // 3000 % 2 == 1).astype(float)
    if pattern == "mixed":
        arms, won = rng.integers(0, n_arms, len(arms)), (rng.random(len(arms)) < 0.4).astype(float)
    if pattern == "together":
        arms, won = np.arange(len(arms)) % n_arms, (np.arange(len(arms)) < 3000).astype(float)
    half = 0.5 * np.ones(n_arms)
    record_outcomes(posteriors, ROOM, np.arange(n_arms), half, half)  # probabilities of the new levels
    record_outcomes(posteriors, ROOM, np.arange(n_arms), half, half)
    record_outcomes(posteriors, ROOM, arms, won, np.ones(len(arms)) if pattern == "pairs" else 1 - won)
    a, b = posteriors.counts[0].T
    assert a.sum() + b.sum() == 4 * n_arms + len(arms) + (won.sum() if pattern == "pairs" else 0)
    exact = special.betainc(a[:, None], b[:, None], posteriors.level[0])
    below = posteriors.below[0]
    np.testing.assert_allclose(below[:n_arms], exact, atol=1e-11)
    assert (below[n_arms:] == 1).all()
    blocks = below.reshape(-1, 16, COLUMNS).prod(axis=1)
    np.testing.assert_allclose(posteriors.block_below[0], blocks, rtol=1e-9, atol=1e-180)
    np.testing.assert_allclose(posteriors.all_below[0], blocks.prod(axis=0), rtol=1e-9, atol=1e-180)


def test_samplers_are_independent():
    posteriors = flat_posteriors(2, 3)
    for arm, won in [(0, 1.0), (0, 1.0), (1, 0.0)]:
        record_outcome(posteriors, ROOM, 1, arm, won, 1.0 - won)
    untouched = flat_posteriors(2, 3)
    for field, fresh in zip(posteriors, untouched):
        np.testing.assert_array_equal(field[0], fresh[0])
    assert posteriors.counts[1].tolist() == [[3, 1], [1, 2], [1, 1]]
    assert best_mean(posteriors.counts[1]) == 0 and best_mean(posteriors.counts[0]) == 0
    shares = count_best(posteriors, ROOM, 1, 20_000, np.random.default_rng(0)) / 20_000
    # Beta(3, 1), Beta(1, 2), Beta(1, 1): integrals of polynomials.
    assert shares == pytest.approx([7 / 10, 1 / 15, 7 / 30], abs=4.5 * 0.5 / 20_000**0.5)


@pytest.mark.parametrize(
    "a, b, low, high",
    [
        (1, 1, 0.3, 0.4),
        (1, 5, 0, 0.3),
        (5, 1, 0.2, 1),
        (3, 2, 0, 1),
        (300, 200, 0, 1),
        (300, 200, 0.6, 0.61),
        (300, 200, 0.598, 1),  # just below and just above the mode
        (300, 200, 0.603, 1),
        (300, 200, 0.7, 1),
        (300, 200, 0, 0.5),
        (2.5, 7.25, 0.1, 0.8),
        (5e7, 5e7, 0.5, 1),
        (5e7, 5e7, 0.50005, 0.6),
    ],
)
def test_draws_between_two_levels(a, b, low, high):
    """Kolmogorov-Smirnov with 20,000 draws: detects a distribution function that is wrong by 0.02."""
    a, b, low, high = float(a), float(b), float(low), float(high)
    draws = draws_between(a, b, low, high, 20_000, np.random.default_rng(1))
    assert (draws >= low).all() and (draws <= high).all()
    start, end = special.betainc(a, b, [low, high])
    quantiles = (special.betainc(a, b, draws) - start) / (end - start)
    assert stats.kstest(quantiles, "uniform").pvalue > 1e-6


def test_draws_near_the_ends_with_large_counts():
    n = 2.0**40
    for a, b, mean in [(1.0, n, 1 / n), (n, 1.0, 1 - 1 / n), (n, n, 0.5)]:
        draws = draws_between(a, b, 0.0, 1.0, 4000, np.random.default_rng(2))
        spread = np.sqrt(a * b / (a + b)) / (a + b)
        assert abs(draws.mean() - mean) < 4.5 * max(spread, 1 / n) / 4000**0.5


def test_chance_below_is_the_incomplete_beta():
    rng = np.random.default_rng(4)
    for _ in range(500):
        a, b = 1 + 10 ** rng.uniform(-1, 5, 2)
        x = float(np.clip(rng.beta(a, b) + 0.01 * rng.normal(), 1e-6, 1 - 1e-6))
        below = probability_below(a, b, x, np.exp(log_edge(a, b, x)))
        assert below == pytest.approx(special.betainc(a, b, x), abs=1e-12)


@pytest.mark.parametrize("n", [2.0**24, 2.0**33])
def test_chance_below_with_large_counts(n):
    for z in (-3, -0.5, 0, 1, 40):
        x = 0.51 + z * 0.5 / n**0.5
        below = probability_below(0.51 * n, 0.49 * n, x, np.exp(log_edge(0.51 * n, 0.49 * n, x)))
        assert below == pytest.approx(special.betainc(0.51 * n, 0.49 * n, x), abs=1e-11)


def test_chance_below_without_failures_is_a_power():
    for n in (1.0, 30.0, 1e6, 2.0**40):
        x = float(np.exp(-0.7 / n))
        below = probability_below(n, 1.0, x, np.exp(log_edge(n, 1.0, x)))
        assert below == pytest.approx(x**n, rel=1e-9)


def test_draws_with_fractional_counts():
    """If a is a sum of steps of 0.4, a + b - 2 may round to less than a - 1; the mode must stay in [0, 1]."""
    rng, a = np.random.default_rng(0), 1.0
    for _ in range(2000):
        a += 0.4
        for counts in ((a, 1.0), (1.0, a)):
            assert 0.4 < draw_between(*counts, 0.4, 0.7, rng) <= 0.7
