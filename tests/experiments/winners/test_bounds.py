"""Test bounds on the regret by hand, and by the formulas of the theorems with a loop for every sum."""

import math

import numpy as np
import pytest

from rankduel.base.errors import UsageError
from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.winners.bounds import bounds_table
from rankduel.experiments.winners.copeland_gaps import copeland_gaps, gap_ratios

THREE = np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]])
ALL = ["4.4", "4.5", "6.1", "4.1", "7.1"]


def by_theorem(matrix, horizon, **settings):
    table = bounds_table(np.asarray(matrix), horizon, **settings)
    return dict(zip(ALL, table["bound"])), table


def test_bounds_of_six_arms_by_hand():
    """Leads .05, .05, .04, .11, .11; the smallest gap of a pair is .01; arms 3 and 5 tie.

    D = 4.04 (5 / .04^2 + (4 + 3) / .05^2 + (2 + 1) / .11^2) = 24,939 and C(1/2) = 214.59^(1 / 1.02) = 193.15.
    Theorem 4.5: (8 + 193.15 * 102) .11 + .22 D ln(2 D) + 1581.5 ln 10^6 = 2168 + 59,349 + 21,849.
    Theorem 6.1: C(10^-6) = 1.0729e8^(1 / 1.02) = 7.46e7; 8 * 1.01 * 4 * 6 ln(10^6 + C) / .01^2 = 3.518e7.
    Theorem 4.4: C(10^-6 / 2) = 1.472e8; .22 C + .44 ln(2e6) + 59,349 + 21,849 = 3.247e7.
    """
    bounds, table = by_theorem(MATRICES["arxiv6"].make(), 1e6)
    assert bounds["4.5"] == pytest.approx(83_366, abs=3)
    assert bounds["6.1"] == bounds["4.1"] == pytest.approx(3.518e7, rel=1e-3)
    assert bounds["4.4"] == pytest.approx(3.247e7, rel=2e-3)
    assert math.isnan(bounds["7.1"]) and table["why"].tolist() == ["", "", "", "", "two rankers tie"]


def head_start(alpha, n, delta):
    return ((4 * alpha - 1) * n**2 / ((2 * alpha - 1) * delta)) ** (1 / (2 * alpha - 1))


def bound_of_ccb(p, horizon, alpha, delta):
    """Theorem 7.1 with the constants of Definitions 7.2, 7.4 and 7.9, pair by pair."""
    n = len(p)
    arms = range(n)
    score = [sum(p[i][j] > 0.5 for j in arms) for i in arms]
    winners = [i for i in arms if score[i] == max(score)]
    others = [i for i in arms if i not in winners]
    gap = [[abs(p[i][j] - 0.5) for j in arms] for i in arms]
    lost = max(sum(p[i][j] < 0.5 for j in arms) for i in winners)
    star = {
        i: sorted((gap[i][j] for j in arms if p[i][j] < 0.5), reverse=True)[lost] if i in others else 0.0
        for i in arms
    }
    pairs = [(i, j) for i in arms for j in arms if i != j]
    star_of = {(i, j): star[i] + gap[i][j] if p[i][j] >= 0.5 else max(star[i], gap[i][j]) for i, j in pairs}
    smallest = min(gap[i][j] for i, j in pairs)
    delta_gap = min([gap[i][j] for i in winners for j in others] + [star[i] for i in others])

    def n_hat(t, of=arms):
        return sum(4 * alpha * math.log(t) / star_of[i, j] ** 2 for i, j in pairs if i in of)

    def right_side(t, d):
        return (
            head_start(alpha, n, d / 2)
            + 8 * n**2 * (lost + 1) ** 2 * math.log(6 * n**2 / d)
            + n**2 * math.log(6 * n / d)
            + 32 * alpha * n * (lost + 1) / smallest**2 * math.log(t)
            + n_hat(t)
            + 1
            + 4 * n * max(n_hat(t, [i]) for i in others)
        )

    t = 10.0
    for _ in range(200):
        t = right_side(t, delta / 2)
    a1 = head_start(alpha, n, delta / 4) + n_hat(t) + 1
    a2 = sum(math.sqrt(lost + 1) / star[i] for i in others) * math.log(2 * n / delta)
    slope = 2 * n * (len(winners) + lost + 1) / delta_gap**2
    return a1 + a2 * math.sqrt(math.log(horizon)) + slope * math.log(horizon)


@pytest.mark.parametrize("name", ["mslr5", "mslr5-cycle", "multisol", "gap", "cyclic"])
def test_bound_of_ccb_equals_the_formula(name):
    matrix = MATRICES[name].make()
    for alpha, delta in ((1.01, 1e-3), (2.0, 0.1)):
        bounds, _ = by_theorem(matrix, 1e5, alpha=alpha, delta=delta)
        assert bounds["7.1"] == pytest.approx(bound_of_ccb(matrix.tolist(), 1e5, alpha, delta), rel=1e-9)


def test_gaps_of_three_arms_by_hand():
    """One winner without losses: Delta*_1 = .1 and Delta*_2 = .3, and the least gap to the winner is .1."""
    found = copeland_gaps(THREE)
    assert found.is_winner.tolist() == [True, False, False] and found.losses == 0
    np.testing.assert_allclose(found.star, [0, 0.1, 0.3])
    assert (found.gap, found.smallest) == pytest.approx((0.1, 0.1))


def test_gap_exceeds_the_smallest_gap_if_losers_are_close_to_each_other():
    """Arms 1 and 2 differ by .01 only; both lose to arm 0 by .2 or more: the ratio is (.2 / .01)^2."""
    prefs = np.array([[0.5, 0.7, 0.8], [0.3, 0.5, 0.51], [0.2, 0.49, 0.5]])
    found = copeland_gaps(prefs)
    assert (found.gap / found.smallest) ** 2 == pytest.approx(400)
    np.testing.assert_allclose(gap_ratios(prefs, [2, 3], 50)[3], np.full(50, 400.0))
    np.testing.assert_allclose(gap_ratios(prefs, [2, 3], 50)[2], np.ones(50))


def test_ratios_of_subsets_equal_those_of_their_matrices():
    """All subsets of four of five arms occur; each ratio is one of these five matrices."""
    prefs = MATRICES["mslr5-cycle"].make()
    drawn = set(gap_ratios(prefs, [4], 200)[4].round(6))
    every = []
    for left_out in range(5):
        found = copeland_gaps(np.delete(np.delete(prefs, left_out, 0), left_out, 1))
        every.append((found.gap / found.smallest) ** 2)
    assert drawn == {value for value in np.round(every, 6) if np.isfinite(value)}


def test_subsets_without_a_gap_are_left_out():
    cycle = np.array([[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]])
    assert len(gap_ratios(cycle, [3], 10)[3]) == 0 and copeland_gaps(cycle).gap == np.inf
    bounds, _ = by_theorem(cycle, 1e5)
    assert bounds["7.1"] == 0


def test_bounds_beyond_all_numbers_have_a_logarithm():
    """With alpha = .51 the head start of 100 arms is (1.04e4 / .02 * 1e6)^50 = 10^585.8."""
    place = np.arange(100)
    prefs = 0.5 + 0.004 * (place[None, :] - place[:, None])
    bounds, table = by_theorem(prefs, 1e6, alpha=0.51)
    assert bounds["4.4"] == np.inf and np.isfinite(bounds["6.1"])
    assert table["why"].tolist() == ["", "alpha is not above 1", "", "", ""]
    log10 = 50 * math.log10(1.04e4 / 0.02 * 2e6) + math.log10(2 * 0.396)
    assert table["log10_bound"][0] == pytest.approx(log10, rel=1e-9)


def test_reasons_and_errors():
    _, table = by_theorem(MATRICES["mslr5-cycle"].make(), 1e6)
    assert table["why"].tolist() == ["no Condorcet winner"] * 4 + [""]
    assert by_theorem(THREE, 1e6, batch=2)[1]["why"][3] == "batches are below 4"
    for settings, message in (
        ({"horizon": 1}, "horizon is 1; expected a number of duels from 2"),
        ({"alpha": 0.5}, "alpha is 0.5; expected more than 1/2"),
        ({"delta": 1.0}, "delta is 1; expected a probability of failure between 0 and 1"),
        ({"batch": 1}, "batch is 1; expected a size of batches from 2"),
    ):
        with pytest.raises(UsageError, match=message):
            bounds_table(THREE, **{"horizon": 1e6, **settings})
