"""Odds of simulated duels, against exact binomial tails in whole numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special, stats

from bandits.parts.thompson.pair_posterior import even_odds, note_win

pytestmark = pytest.mark.kernel


def exact_chance(won, lost):
    """P(Beta(won + 1, lost + 1) > 1/2) = P(Binomial(won + lost + 1, 1/2) <= won), a fraction."""
    n = won + lost + 1
    return Fraction(sum(math.comb(n, k) for k in range(won + 1)), 2**n)


def log_of(fraction):
    """ln of a fraction of any size; of those near 1 without cancellation."""
    if fraction > Fraction(1, 2):
        return math.log1p(-float(1 - fraction))
    return math.log(fraction.numerator) - math.log(fraction.denominator)


def played(outcomes):
    """Odds and wins after arm 2 beat arm 0 (true) or lost to it (false), of three arms."""
    odds, wins = even_odds(3), np.zeros((3, 3), np.int64)
    for won in outcomes:
        winner, loser = (2, 0) if won else (0, 2)
        note_win(odds, wins, winner, loser)
        wins[winner, loser] += 1
    return odds, wins


def assert_exact(odds, wins, precision=1e-10):
    for one, other in ((2, 0), (0, 2)):
        exact = exact_chance(int(wins[one, other]), int(wins[other, one]))
        assert odds.chance[one, other] == pytest.approx(float(exact), rel=precision)
        assert odds.minus_log[one, other] == pytest.approx(-log_of(exact), rel=precision)
    a, b = int(wins[2, 0]) + 1, int(wins[0, 2]) + 1
    g = Fraction(math.factorial(a + b - 1), math.factorial(a - 1) * math.factorial(b - 1) * 2 ** (a + b))
    assert odds.log_g[0, 2] == pytest.approx(log_of(g), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("strength", [0.5, 0.45, 0.52, 0.6, 0.3, 0.9, 0.02])
def test_chances_are_binomial_tails(strength):
    outcomes = np.random.default_rng(3).random(1500) < strength
    for n in (1, 2, 3, 7, 20, 100, 500, 1500):
        assert_exact(*played(outcomes[:n]))


def test_chances_survive_a_turn_of_fortune():
    """Far into a tail and back again, and through the other one: no precision is lost on the way."""
    outcomes = [True] * 60 + [False] * 200 + [True] * 140 + [True] * 80
    for n in (60, 90, 119, 120, 121, 150, 260, 330, 400, 401, 480):
        assert_exact(*played(outcomes[:n]))


def test_straight_wins_halve_the_rest():
    odds, _ = played([True] * 900)
    assert odds.minus_log[0, 2] == pytest.approx(901 * math.log(2))
    assert odds.chance[0, 2] == pytest.approx(2.0**-901)
    assert odds.minus_log[2, 0] == pytest.approx(2.0**-901)


def test_other_pairs_stay_even():
    odds, _ = played([True, False, True])
    for pair in ((0, 1), (1, 0), (1, 2), (2, 1)):
        assert odds.chance[pair] == 0.5
        assert odds.minus_log[pair] == pytest.approx(math.log(2))
    assert (np.diag(odds.minus_log) == 0).all()


@pytest.mark.parametrize("lead", [0, 100_000, -200_000, 500_000])  # up to 5.4 standard deviations
def test_counts_beyond_32_bits(lead):
    won, lost = 2**32 + lead // 2, 2**32 - lead // 2
    a, b = won + 1.0, lost + 1.0
    odds, wins = even_odds(2), np.array([[0, won], [lost, 0]])
    odds.chance[0, 1], odds.chance[1, 0] = special.betainc(b, a, 0.5), special.betainc(a, b, 0.5)
    # ln g from the normal law: differences of lgamma would have lost it.
    odds.log_g[0, 1] = stats.norm.logpdf(lead / math.sqrt(a + b)) + math.log(math.sqrt(a + b) / 2)
    note_win(odds, wins, 0, 1)
    assert odds.chance[0, 1] == pytest.approx(special.betainc(b, a + 1, 0.5), rel=1e-4)
    assert odds.chance[1, 0] == pytest.approx(special.betainc(a + 1, b, 0.5), rel=1e-4)
