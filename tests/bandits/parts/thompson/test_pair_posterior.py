"""Test the probabilities of samples above 1/2 against exact binomial tails, in whole numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special, stats

from rankduel.bandits.parts.thompson.pair_posterior import even_above_half, update_above_half

pytestmark = pytest.mark.kernel


def exact_probability(won, lost):
    """Return P(Beta(won + 1, lost + 1) > 1/2) = P(Binomial(won + lost + 1, 1/2) <= won), a fraction."""
    n = won + lost + 1
    return Fraction(sum(math.comb(n, k) for k in range(won + 1)), 2**n)


def log_of(fraction):
    """Return ln of a fraction of any size, near 1 without cancellation."""
    if fraction > Fraction(1, 2):
        return math.log1p(-float(1 - fraction))
    return math.log(fraction.numerator) - math.log(fraction.denominator)


def played(outcomes):
    """Return the state and the wins after arm 2 beat arm 0 (true) or lost to it (false), of three arms."""
    above_half, wins = even_above_half(3), np.zeros((3, 3), np.int64)
    for won in outcomes:
        winner, loser = (2, 0) if won else (0, 2)
        update_above_half(above_half, wins, winner, loser)
        wins[winner, loser] += 1
    return above_half, wins


def assert_exact(above_half, wins, precision=1e-10):
    for one, other in ((2, 0), (0, 2)):
        exact = exact_probability(int(wins[one, other]), int(wins[other, one]))
        assert above_half.probability[one, other] == pytest.approx(float(exact), rel=precision)
        assert above_half.neg_log[one, other] == pytest.approx(-log_of(exact), rel=precision)
    a, b = int(wins[2, 0]) + 1, int(wins[0, 2]) + 1
    g = Fraction(math.factorial(a + b - 1), math.factorial(a - 1) * math.factorial(b - 1) * 2 ** (a + b))
    assert above_half.log_g[0, 2] == pytest.approx(log_of(g), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("strength", [0.5, 0.45, 0.52, 0.6, 0.3, 0.9, 0.02])
def test_probabilities_are_binomial_tails(strength):
    outcomes = np.random.default_rng(3).random(1500) < strength
    for n in (1, 2, 3, 7, 20, 100, 500, 1500):
        assert_exact(*played(outcomes[:n]))


def test_probabilities_stay_precise_if_the_lead_changes():
    """Far into one tail, back, and into the other: no precision is lost."""
    outcomes = [True] * 60 + [False] * 200 + [True] * 140 + [True] * 80
    for n in (60, 90, 119, 120, 121, 150, 260, 330, 400, 401, 480):
        assert_exact(*played(outcomes[:n]))


def test_every_win_without_loss_halves_the_smaller_probability():
    above_half, _ = played([True] * 900)
    assert above_half.neg_log[0, 2] == pytest.approx(901 * math.log(2))
    assert above_half.probability[0, 2] == pytest.approx(2.0**-901)
    assert above_half.neg_log[2, 0] == pytest.approx(2.0**-901)


def test_other_pairs_stay_even():
    above_half, _ = played([True, False, True])
    for pair in ((0, 1), (1, 0), (1, 2), (2, 1)):
        assert above_half.probability[pair] == 0.5
        assert above_half.neg_log[pair] == pytest.approx(math.log(2))
    assert (np.diag(above_half.neg_log) == 0).all()


@pytest.mark.parametrize("lead", [0, 100_000, -200_000, 500_000])  # up to 5.4 standard deviations
def test_counts_beyond_32_bits(lead):
    won, lost = 2**32 + lead // 2, 2**32 - lead // 2
    a, b = won + 1.0, lost + 1.0
    above_half, wins = even_above_half(2), np.array([[0, won], [lost, 0]])
    above_half.probability[0, 1] = special.betainc(b, a, 0.5)
    above_half.probability[1, 0] = special.betainc(a, b, 0.5)
    # ln g from the normal distribution: differences of lgamma would have lost it.
    above_half.log_g[0, 1] = stats.norm.logpdf(lead / math.sqrt(a + b)) + math.log(math.sqrt(a + b) / 2)
    update_above_half(above_half, wins, 0, 1)
    assert above_half.probability[0, 1] == pytest.approx(special.betainc(b, a + 1, 0.5), rel=1e-4)
    assert above_half.probability[1, 0] == pytest.approx(special.betainc(a + 1, b, 0.5), rel=1e-4)
