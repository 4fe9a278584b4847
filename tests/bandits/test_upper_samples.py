"""Beta samples above one half, and above a larger limit, against the law of SciPy's."""

import math

import numpy as np
import pytest
from numba import njit
from scipy import special, stats

from bandits.parts.thompson.extreme_samples import sample_above_half, sample_beyond

pytestmark = pytest.mark.kernel

RUNS = 50_000
RECORDS = [(0, 0), (0, 1), (1, 0), (3, 3), (2, 9), (9, 2), (0, 30), (40, 60), (300, 420), (5, 6)]  # won, lost


@njit
def above_half(won, lost, chance, n, rng):
    return np.array([sample_above_half(won, lost, chance, rng) for _ in range(n)])


@njit
def beyond_limit(won, lost, chance, log_g, limit, n, rng):
    return np.array([sample_beyond(won, lost, chance, log_g, limit, rng) for _ in range(n)])


def upper_cdf(won, lost):
    """The law of Beta(won + 1, lost + 1) above one half."""
    beta = stats.beta(won + 1, lost + 1)
    return lambda x: np.clip(1 - beta.sf(x) / beta.sf(0.5), 0, 1)


@pytest.mark.parametrize(("won", "lost"), RECORDS)
def test_samples_above_half(won, lost):
    rng, chance = np.random.default_rng(1), stats.beta.sf(0.5, won + 1, lost + 1)
    samples = above_half(float(won), float(lost), chance, RUNS, rng)
    assert 0.5 < samples.min()
    assert samples.max() < 1.0
    assert stats.kstest(samples, upper_cdf(won, lost)).pvalue > 1e-5


@pytest.mark.parametrize("limit", [0.52, 0.7, 0.95])
@pytest.mark.parametrize(("won", "lost"), RECORDS)
def test_samples_beyond_a_limit(won, lost, limit):
    """As often beyond as a sample above one half is; and then with its law."""
    rng, beta = np.random.default_rng(2), stats.beta(won + 1, lost + 1)
    log_g = -(won + lost + 2) * math.log(2) - special.betaln(won + 1, lost + 1)
    draws = beyond_limit(float(won), float(lost), float(beta.sf(0.5)), log_g, limit, RUNS, rng)
    beyond = draws[draws > limit]
    expected = RUNS * beta.sf(limit) / beta.sf(0.5)
    spread = np.sqrt(expected * (1 - expected / RUNS))
    assert abs(len(beyond) - expected) <= 4.5 * spread + 1e-3  # rarer than one in 10^7: none at all
    if len(beyond) > 20:
        law = stats.kstest(beyond, lambda x: np.clip(1 - beta.sf(x) / beta.sf(limit), 0, 1))
        assert law.pvalue > 1e-5


def test_counts_beyond_32_bits():
    """Far from one half, and near it: 1e11 duels."""
    rng, n = np.random.default_rng(3), 2.0**36
    assert above_half(3 * n, n, 1.0, 5, rng) == pytest.approx(0.75, abs=1e-4)
    lead = math.sqrt(2 * n)  # one standard deviation: above one half with chance .1587, by 1.5 sd and less
    draws = above_half(n - lead / 2, n + lead / 2, 0.1587, 200, rng)
    assert 0.5 < draws.min()
    assert draws.max() < 0.5 + 6 / math.sqrt(8 * n)
