"""Test that self-sparring has the distribution of its literal twin, tests/naive/policies/self_sparring.py."""

import numpy as np
import pytest
from naive.policies.self_sparring import SelfSparring
from support.policies import CYCLIC, assert_same_law, assert_same_pairs, fast, ladder, with_horizon

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.condorcet.self_sparring import POLICY
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

STEPS = [3, 30, 300]
HISTORY = [(0, 1, True), (0, 2, True), (2, 1, False), (3, 3, True), (1, 0, True), (2, 3, False), (0, 4, True)]
SETTINGS = [{}, {"self_feedback": "none"}, {"eta": 0.4}, {"eta": 3}]


@pytest.mark.parametrize("prefs", [ladder(2), ladder(3, 0.2), CYCLIC, ladder(20, 0.025)], ids=len)
def test_distribution_equals_that_of_the_twin(prefs):
    """Detects mean regrets that differ by 4.5 standard errors, about 15 % at the last step."""
    assert_same_law(SelfSparring, configure(POLICY), prefs, STEPS, runs=200, slow_runs=100)


@pytest.mark.parametrize("settings", SETTINGS[1:])
def test_distribution_equals_that_of_the_twin_with_settings(settings):
    assert_same_law(SelfSparring, configure(POLICY, **settings), CYCLIC, STEPS, runs=200, slow_runs=100)


@pytest.mark.slow
@pytest.mark.parametrize(
    "prefs, settings",
    [(ladder(3, 0.2), {}), (ladder(8), {}), (ladder(40, 0.01), {}), *[(CYCLIC, each) for each in SETTINGS]],
)
def test_distribution_equals_that_of_the_twin_in_many_runs(prefs, settings):
    """With 1000 runs each, detects a difference of 5 % at the last step."""
    assert_same_law(SelfSparring, configure(POLICY, **settings), prefs, STEPS, runs=1000)


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("rounds", [1, 12])
def test_pair_has_the_distribution_of_the_twin_after_some_duels(settings, rounds):
    """Chi-square over 25 pairs: detects a probability of 0.1 that is wrong by a tenth."""
    configured, rng = configure(POLICY, **settings), np.random.default_rng(rounds)
    params = kernel_params(configured, 100)
    state, twin = POLICY.init(5, params, rng), SelfSparring(5, with_horizon(configured, 100), rng)
    for first, second, first_won in HISTORY * rounds:
        POLICY.update(state, params, first, second, first_won)
        twin.update(first, second, first_won)
    np.testing.assert_allclose(state.posteriors.counts[0].T, [twin.s + 1, twin.f + 1])
    pairs = np.zeros((2, 5, 5))
    for _ in range(10_000):
        pairs[0][POLICY.select(state, params, rng)] += 1
        pairs[1][twin.select()] += 1
    assert_same_pairs(*pairs)


def test_winner_counts_a_success_and_loser_a_failure():
    for self_feedback, expected in [("coin", [[2, 1], [2, 4], [2, 1]]), ("none", [[2, 1], [1, 3], [2, 1]])]:
        params = kernel_params(configure(POLICY, self_feedback=self_feedback), 10)
        state = POLICY.init(3, params, None)
        for step in [(0, 1, True), (1, 1, True), (1, 2, False)]:
            POLICY.update(state, params, *step)
        assert state.posteriors.counts[0].tolist() == expected
        assert POLICY.recommend(state, params) == 0


def test_arm_that_always_wins_soon_duels_only_itself():
    certain = np.array([[0.5, 1.0], [0.0, 0.5]])
    trace = fast(configure(POLICY, self_feedback="none"), certain, [1, 20_000], 0, 0)
    assert trace.duels[0].sum() + 2 * trace.selves[0].sum() == 2
    assert trace.selves[1, 0] > 19_900 and trace.recommended[1] == 0


def test_equal_arms_are_chosen_equally_often():
    """The mean share of each of four arms over 60 runs is 1/4, within five standard errors."""
    even = np.full((4, 4), 0.5)
    shares = [
        (trace.duels[-1] + 2 * trace.selves[-1]) / 20_000
        for trace in (fast(configure(POLICY), even, [10_000], 0, run) for run in range(60))
    ]
    spread = np.std(shares, axis=0) / len(shares) ** 0.5
    assert (np.abs(np.mean(shares, axis=0) - 0.25) < 5 * spread).all()


def test_large_counts_stay_exact():
    """With counts beyond 2^31, the clearly best arm duels itself, and its counts grow by exactly 1."""
    params = kernel_params(configure(POLICY), 10**12)
    state, rng = POLICY.init(3, params, None), np.random.default_rng(0)
    n = 2.0**39
    for arm, won, lost in [(0, 0.51 * n, 0.49 * n), (1, 1000.0, 3000.0), (2, n, 1.1 * n)]:
        state.posteriors.counts[0, arm] = np.floor(won), np.floor(lost)
    state.posteriors.excess[0] = np.inf  # the levels move in the next draw
    before = state.posteriors.counts.copy()
    for _ in range(200):
        pair = POLICY.select(state, params, rng)
        assert pair == (0, 0)
        POLICY.update(state, params, *pair, True)
    assert (state.posteriors.counts - before)[0].tolist() == [[200, 200], [0, 0], [0, 0]]
