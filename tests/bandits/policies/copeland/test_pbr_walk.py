"""Test that PBR-RW chooses the pairs of its literal twin, tests/naive/policies/pbr_walk.py, and the walk."""

import numpy as np
import pytest
from naive.policies.pbr_walk import PbrWalk
from support.final_answers import assert_same_answers
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.copeland.pbr_walk import POLICY, solve_walk

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

SOON = {"delta": 1.0, "n_max": 20}


# Equality with the twin


@pytest.mark.parametrize("settings", [{}, {"ordered": True}, {"kappa": 2}], ids=str)
@pytest.mark.parametrize("prefs", [ladder(3, 0.3), CYCLIC, ladder(6, 0.1)], ids=len)
def test_choices_equal_the_twin(prefs, settings):
    assert_same_choices(PbrWalk, configure(POLICY, **SOON, **settings), prefs, [1, 2, 3, 10, 50, 300], runs=3)


@pytest.mark.parametrize(
    ("prefs", "horizon"), [(ladder(2, 0.4), 100), (ladder(3, 0.5), 1600)], ids=["2", "3"]
)
def test_race_ends_when_that_of_the_twin_ends(prefs, horizon):
    """Well before any pair has been sampled n_max times."""
    configured = configure(POLICY, delta=1.0, n_max=5000)
    assert_same_choices(PbrWalk, configured, prefs, [horizon // 2, horizon], runs=2)
    assert assert_same_answers(PbrWalk, configured, prefs, [1, 5, horizon], runs=2) == 2


@pytest.mark.slow
@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("n_arms", [2, 3, 4])
def test_many_choices_equal_the_twin(n_arms, ordered):
    for kappa in range(1, n_arms):
        configured = configure(POLICY, delta=1.0, n_max=2000, kappa=kappa, ordered=ordered)
        prefs = ladder(n_arms, 0.3)
        assert_same_choices(PbrWalk, configured, prefs, [100, 1000, 5000], runs=2)
        # Sooner, shares may be equal but for rounding.
        assert_same_answers(PbrWalk, configured, prefs, [333, 5000], runs=2)


# The random walk


def by_numpy(prefs):
    """Return the shares of time, by eigenvectors, and the largest entry of the group inverse, by a
    pseudo-inverse."""
    n_arms = len(prefs)
    step = 0.98 * prefs.T / prefs.sum(axis=0)[:, None] + 0.02 / n_arms
    values, vectors = np.linalg.eig(step.T)
    share = np.real(vectors[:, np.argmax(np.real(values))])
    share /= share.sum()
    keep = np.eye(n_arms) - np.outer(
        np.ones(n_arms), share
    )  # I - 1v', which leaves the group inverse unchanged
    return share, np.abs(keep @ np.linalg.pinv(np.eye(n_arms) - step) @ keep).max()


def test_shares_and_group_inverse_equal_those_of_numpy():
    rng = np.random.default_rng(1)
    for n_arms in (2, 3, 5, 12):
        for extreme in (False, True):
            upper = np.triu(rng.random((n_arms, n_arms)), 1)
            upper = np.round(upper) if extreme else upper
            prefs = upper + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2
            shares = np.zeros(n_arms)
            largest = solve_walk(prefs, prefs.sum(axis=0), shares, np.zeros((n_arms, 2 * n_arms)))
            expected, expected_largest = by_numpy(prefs)
            np.testing.assert_allclose(shares, expected, rtol=1e-9)
            assert largest == pytest.approx(expected_largest, rel=1e-9)
            assert largest >= (1 - 1 / n_arms) / 2  # assumed where no matrix is inverted


def test_shares_of_two_arms():
    """Arm 0 wins .75: it stays with .5 / .75 and arm 1 with .5 / 1.25; so v0 / v1 = (.6 * .98 + .01) /
    (.98 / 3 + .01)."""
    prefs, shares = np.array([[0.5, 0.75], [0.25, 0.5]]), np.zeros(2)
    solve_walk(prefs, prefs.sum(axis=0), shares, np.zeros((2, 4)))
    assert shares[0] / shares[1] == pytest.approx((0.6 * 0.98 + 0.01) / (0.98 / 3 + 0.01), rel=1e-12)


# The pair with the largest error


def test_every_pair_is_sampled_once_before_any_twice():
    for run in range(5):
        trace = fast(configure(POLICY), ladder(5), [10, 11], seed=1, run=run)
        assert trace.most.tolist() == [1, 2] and trace.duels[0].tolist() == [4] * 5


def test_pairs_of_a_loser_are_sampled_more_often():
    """Errors stay equal; with certain wins, the rates at which arms 2, 1 and 0 are beaten sum to 2.5, 1.5
    and 0.5."""
    trace = fast(configure(POLICY, delta=0.1, n_max=10**6), ladder(3, 0.5), [1000], seed=1, run=0)
    n_12 = trace.duels[-1].sum() // 2 - trace.duels[-1][0]
    n_02, n_01 = trace.duels[-1][2] - n_12, trace.duels[-1][1] - n_12
    assert abs(n_12 - n_02) <= 2
    assert n_01 / n_12 == pytest.approx((1.5 / 2.5) ** 2, abs=0.02)
