"""The smallest of several Beta samples: whose it is has the law of drawing them all."""

import numpy as np
import pytest
from numba import njit
from scipy import integrate, stats

from bandits.parts.thompson.extreme_samples import weakest_sample
from bandits.parts.thompson.pair_posterior import even_odds, note_win

pytestmark = pytest.mark.kernel

RECORDS = {  # (wins, losses) of each mate against the champion
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
    """(wins, ln g) with the champion as arm 2, and everybody's places in a batch; other pairs never met."""
    n_arms = len(record) + 1
    wins, odds = np.zeros((n_arms, n_arms), np.int64), even_odds(n_arms)
    mates = [arm for arm in range(n_arms) if arm != 2]
    for arm, (won, lost) in zip(mates, record):
        for winner, loser, n in ((arm, 2, won), (2, arm, lost)):
            for _ in range(n):
                note_win(odds, wins, winner, loser)
                wins[winner, loser] += 1
    batch = np.arange(n_arms)[::-1].copy()
    return wins, odds.log_g, batch, [int(np.flatnonzero(batch == arm)[0]) for arm in mates]


def chance_of_smallest(record, k):
    beta = [stats.beta(won + 1, lost + 1) for won, lost in record]

    def density(x):
        return beta[k].pdf(x) * np.prod([b.sf(x) for j, b in enumerate(beta) if j != k])

    return integrate.quad(density, 0, 1, points=[b.mean() for b in beta], limit=500)[0]


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_the_weakest_has_the_law_of_the_smallest_sample(record):
    # 60,000 draws from either start: a chance wrong by 0.01 is found.
    wins, log_g, batch, places = against_champion(record)
    champion, expected = (
        int(np.flatnonzero(batch == 2)[0]),
        [chance_of_smallest(record, k) for k in range(len(record))],
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


def test_certain_records():
    # Counts far beyond any run, and samples that round to 0 or 1.
    n = 1 << 40
    wins = np.array([[0, n, 0], [0, 0, n], [n, 0, 0]])
    log_g = np.full((3, 3), -1e12 * np.log(2))  # about what it is: 2^-(n + 2) / B(n + 1, 1)
    for champion, weakest in ((0, 1), (1, 2), (2, 0)):
        mate = 3 - champion - weakest
        for start in (weakest, mate):
            table = np.zeros(3, np.int64)
            count_weakest(wins, log_g, np.arange(3), champion, start, 100, np.random.default_rng(2), table)
            assert table[weakest] == 100
