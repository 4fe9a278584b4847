"""Test Beta samples above 1/2, and above a larger limit, against the distributions of SciPy.

And that the arm with the smallest of several samples has the distribution of drawing them all.
"""

import math

import numpy as np
import pytest
from numba import njit
from scipy import integrate, special, stats

from rankduel.bandits.parts.thompson.extreme_samples import sample_above_half, sample_beyond, weakest_sample
from rankduel.bandits.parts.thompson.pair_posterior import even_above_half, update_above_half

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
    """Return the distribution function of Beta(won + 1, lost + 1) above 1/2."""
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
    """Samples exceed the limit as often as samples above 1/2 do, and then with their distribution."""
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
    """With 1e11 duels, far from 1/2 and near it."""
    rng, n = np.random.default_rng(3), 2.0**36
    assert above_half(3 * n, n, 1.0, 5, rng) == pytest.approx(0.75, abs=1e-4)
    lead = math.sqrt(2 * n)  # one standard deviation: above 1/2 with probability .1587, by 1.5 sd and less
    draws = above_half(n - lead / 2, n + lead / 2, 0.1587, 200, rng)
    assert 0.5 < draws.min()
    assert draws.max() < 0.5 + 6 / math.sqrt(8 * n)


OPPONENTS = {  # (wins, losses) of each other arm of the batch against the champion
    "unvisited": [(0, 0)] * 3,
    "few": [(0, 1), (1, 0), (1, 2), (3, 1)],
    "never-won": [(0, 3), (0, 5), (0, 9)],
    "alike": [(40, 60), (41, 60), (45, 62), (90, 140)],
    "wide-and-narrow": [(2, 5), (300, 500), (20, 31), (5, 4)],
    "one-far-below": [(400, 600), (700, 300), (30, 20), (9, 1)],
}


@njit
def count_weakest(wins, log_g, batch, champion, start, n, rng, table):
    for _ in range(n):
        table[weakest_sample(wins, log_g, batch, champion, start, rng)] += 1


def against_champion(record):
    """Return wins, ln g, a batch with the champion as arm 2, and the places of its opponents, in `record`."""
    n_arms = len(record) + 1
    wins, above_half = np.zeros((n_arms, n_arms), np.int64), even_above_half(n_arms)
    opponents = [arm for arm in range(n_arms) if arm != 2]
    for arm, (won, lost) in zip(opponents, record):
        for winner, loser, n in ((arm, 2, won), (2, arm, lost)):
            for _ in range(n):
                update_above_half(above_half, wins, winner, loser)
                wins[winner, loser] += 1
    batch = np.arange(n_arms)[::-1].copy()
    return wins, above_half.log_g, batch, [int(np.flatnonzero(batch == arm)[0]) for arm in opponents]


def probability_of_smallest(record, k):
    beta = [stats.beta(won + 1, lost + 1) for won, lost in record]

    def density(x):
        return beta[k].pdf(x) * np.prod([b.sf(x) for j, b in enumerate(beta) if j != k])

    return integrate.quad(density, 0, 1, points=[b.mean() for b in beta], limit=500)[0]


@pytest.mark.parametrize("record", OPPONENTS.values(), ids=OPPONENTS)
def test_the_weakest_arm_has_the_distribution_of_the_smallest_sample(record):
    # 60,000 draws from either start: a probability wrong by 0.01 is found.
    wins, log_g, batch, places = against_champion(record)
    champion, expected = (
        int(np.flatnonzero(batch == 2)[0]),
        [probability_of_smallest(record, k) for k in range(len(record))],
    )
    assert sum(expected) == pytest.approx(1)
    for start in (places[0], places[-1]):
        table = np.zeros(len(batch), np.int64)
        count_weakest(wins, log_g, batch, champion, start, 60_000, np.random.default_rng(1), table)
        assert table[champion] == 0
        common = np.array(expected) * 60_000 > 5
        counts, wanted = table[places][common], np.array(expected)[common] * 60_000
        assert table[places][~common].sum() < 30
        assert stats.chisquare(counts, wanted * counts.sum() / wanted.sum()).pvalue > 1e-5


def test_counts_so_large_that_samples_round_to_0_or_1():
    n = 1 << 40
    wins = np.array([[0, n, 0], [0, 0, n], [n, 0, 0]])
    log_g = np.full((3, 3), -1e12 * np.log(2))  # about what it is: 2^-(n + 2) / B(n + 1, 1)
    for champion, weakest in ((0, 1), (1, 2), (2, 0)):
        other = 3 - champion - weakest
        for start in (weakest, other):
            table = np.zeros(3, np.int64)
            count_weakest(wins, log_g, np.arange(3), champion, start, 100, np.random.default_rng(2), table)
            assert table[weakest] == 100
