"""Test that C2B plays the duels of its literal twin, tests/naive/policies/c2b.py, and its batches."""

import numpy as np
import pytest
from naive.policies.c2b import C2b
from naive.policies.pcomp import assert_same_duel_by_duel
from support.policies import CYCLIC, assert_same_law, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.batched.c2b import POLICY
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

HURRIED = {"horizon": 50}  # errors are allowed: arms are eliminated after a few batches
EVEN = np.full((3, 3), 0.5)


def cycle(n_losers):
    """Return certain wins of three arms in a cycle, over each other and over `n_losers` equal arms."""
    prefs = np.full((3 + n_losers, 3 + n_losers), 0.5)
    prefs[:3, :3] = [[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]]
    prefs[:3, 3:], prefs[3:, :3] = 1.0, 0.0
    return prefs


# Equality with the twin


@pytest.mark.parametrize("elim", ["kl", "hoeffding"])
@pytest.mark.parametrize(
    "prefs", [ladder(2, 0.3), ladder(3, 0.2), CYCLIC, cycle(0), cycle(2), EVEN, ladder(7)], ids=len
)
def test_single_duels_equal_the_twin(prefs, elim):
    assert_same_duel_by_duel(C2b, configure(POLICY, elim=elim, **HURRIED), prefs, 400, runs=5)


@pytest.mark.parametrize(
    ("settings", "n_steps"),
    [
        ({}, 1000),
        ({"extra": 6}, 1000),
        ({"c_scale": 0.1}, 1000),
        ({"c_scale": 0, "elim": "hoeffding"}, 1000),
        ({}, 1),
        ({}, 2),
        ({}, 7),
        ({"batches": 40}, 7),  # more batches than duels
        ({"batches": 40, "horizon": 7}, 300),
        ({"horizon": 1}, 100),
    ],
)
def test_single_duels_equal_the_twin_with_settings(settings, n_steps):
    assert_same_duel_by_duel(C2b, configure(POLICY, **settings), ladder(4, 0.15), n_steps, runs=3)


def test_single_duels_equal_the_twin_whatever_the_order_of_eliminations():
    """Random preferences, so that candidates are defeated by others and eliminated."""
    rng = np.random.default_rng(3)
    for n_arms in (3, 4, 6, 9):
        upper = np.triu(rng.random((n_arms, n_arms)), 1)
        prefs = upper + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2
        settings = {"c_scale": 0.3, "elim": ("kl", "hoeffding")[n_arms % 2]}
        assert_same_duel_by_duel(C2b, configure(POLICY, **settings, **HURRIED), prefs, 400, runs=8)


def test_whole_batches_have_the_distribution_of_the_twin():
    """A lax radius, so that candidates differ from run to run."""
    configured = configure(POLICY, c_scale=0.2, **HURRIED)
    assert_same_law(C2b, configured, ladder(4, 0.1), [5, 60, 150, 300], runs=400, slow_runs=300)


# Comparisons, lines 5-11


@pytest.mark.parametrize("fast_forward", [True, False])
@pytest.mark.parametrize(("c_scale", "n_batches"), [(0.0, 1), (0.5, 3)])
def test_candidate_that_defeats_all_arms_is_their_only_opponent(c_scale, n_batches, fast_forward):
    """Certain wins in a total order: all 6 pairs are compared until the best defeats all, then its own 3.

    With c = 0 that is after one batch. With half the published c, n duels defeat if n > 2 ln(32 q), q those
    of the last batch: 2 and 6 duels do not (8.3, 9.7), 14 do (11.1). Arms are eliminated after more than 34.
    """
    sizes = np.array([2, 4, 8, 17])
    n_pairs = np.where(np.arange(4) < n_batches, 6, 3)
    configured = configure(POLICY, c_scale=c_scale, elim="hoeffding", horizon=10**5)
    trace = fast(configured, ladder(4, 0.5), np.cumsum(sizes * n_pairs), 1, 0, fast_forward)
    np.testing.assert_array_equal(trace.duels[:, 0], 3 * np.cumsum(sizes))
    for loser in (1, 2, 3):
        np.testing.assert_array_equal(trace.duels[:, loser], np.cumsum(np.where(n_pairs == 6, 3, 1) * sizes))
    assert trace.rounds.tolist() == [1, 2, 3, 4] and (trace.survivors == 4).all()


def test_pair_that_lines_7_to_11_yield_twice_is_compared_once():
    """Batch after batch of 6 pairs, 2, 4 and 8 times each; no arm is defeated."""
    trace = fast(configure(POLICY, c_scale=1e9), ladder(4), [12, 36, 84, 10**5], 1, 0)
    assert trace.rounds.tolist()[:3] == [1, 2, 3] and (trace.duels[:3] == [[6] * 4, [18] * 4, [42] * 4]).all()
    assert trace.rounds[-1] <= 16


# Eliminations, lines 13 and 14


def test_threshold_of_eliminations():
    """ln T + .3 K^1.01 of RMED in the experiments, ln(K^2 B T) in the analysis."""
    for variant, log_odds in (("published", 12.729677), ("theory", np.log(16 * 16 * 1e5))):
        params = kernel_params(configure(POLICY, variant=variant), 10**5)
        assert POLICY.init(4, params, None).rounds.now[0].log_odds == pytest.approx(log_odds, abs=1e-6)


def test_one_arm_remains_if_all_exceed_the_threshold():
    """T = 50: ln 50 + .3 4^1.01 = 5.13. Arm 3 loses all its duels, each other arm those with one opponent.

    After 6 duels of each pair I_3 = 3 x 6 ln 2 = 12.5 and the others are 4.2, so 3 is eliminated. I_3 stays,
    and the others grow: 26.3 after 38 duels, which all exceed 12.5 by too much; they are equal, so the lowest
    arm remains. By Hoeffding's bound all four are beaten at the same time, and none is eliminated.
    """
    trace = fast(configure(POLICY, **HURRIED), cycle(1), [35, 36, 36 + 3 * 31, 36 + 3 * 32, 400], 1, 0)
    assert trace.survivors.tolist() == [4, 3, 3, 1, 1] and trace.recommended[-1] == 0
    trace = fast(configure(POLICY, elim="hoeffding", **HURRIED), cycle(1), [1000, 10**5], 1, 0)
    assert trace.survivors.tolist() == [4, 4] and not trace.finished.any()


@pytest.mark.slow
@pytest.mark.parametrize("elim", ["kl", "hoeffding"])
@pytest.mark.parametrize("n_arms", [2, 3, 5, 8, 20])
def test_many_single_duels_equal_the_twin(n_arms, elim):
    prefs = ladder(n_arms, 0.8 / n_arms)
    assert_same_duel_by_duel(C2b, configure(POLICY, elim=elim), prefs, 10_000, runs=2)
    assert_same_duel_by_duel(C2b, configure(POLICY, elim=elim, **HURRIED), prefs, 3000, runs=20)
