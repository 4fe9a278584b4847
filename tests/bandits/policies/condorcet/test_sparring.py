"""Test that Sparring chooses the pairs of its literal twin, tests/naive/policies/sparring.py.

With Thompson sampling the distribution of the pairs is compared, with UCB and EXP3 the pairs themselves.
"""

import numpy as np
import pytest
from naive.policies.sparring import Sparring
from support.policies import (
    CYCLIC,
    assert_same_choices,
    assert_same_law,
    assert_same_pairs,
    fast,
    ladder,
    state_after,
    with_horizon,
)

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.condorcet.sparring import POLICY
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 100, 700]
MATRICES = [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)]
HISTORY = [(0, 1, True), (0, 2, True), (2, 1, False), (3, 0, True), (1, 0, True), (2, 3, False), (0, 4, True)]


@pytest.mark.parametrize("prefs", MATRICES, ids=len)
def test_choices_with_ucb_equal_the_twin(prefs):
    assert_same_choices(Sparring, configure(POLICY), prefs, STEPS, runs=20)


@pytest.mark.parametrize("prefs", MATRICES, ids=len)
def test_choices_with_exp3_equal_the_twin(prefs):
    assert_same_choices(Sparring, configure(POLICY, variant="exp3"), prefs, STEPS, runs=15)


@pytest.mark.parametrize(
    "settings",
    [
        {"variant": "ucb1"},
        {"alpha": 0.5},
        {"inner": "exp3", "schedule": "anytime"},
        {"inner": "exp3", "horizon": 200},
        {"inner": "exp3", "horizon": 10**6},
    ],
)
def test_choices_equal_the_twin_with_settings(settings):
    assert_same_choices(Sparring, configure(POLICY, **settings), CYCLIC, STEPS, runs=20)


def test_exp3_weights_do_not_overflow():
    """gamma is 0.8 in all steps: without division by the largest weight, log-weights would exceed 1000."""
    certain = np.array([[0.5, 0.0, 0.0], [1.0, 0.5, 0.0], [1.0, 1.0, 0.5]])
    configured = configure(POLICY, inner="exp3", horizon=3)
    assert_same_choices(Sparring, configured, certain, [1000, 5000], runs=2)


@pytest.mark.parametrize("prefs", [ladder(3, 0.2), CYCLIC], ids=len)
def test_distribution_with_thompson_equals_that_of_the_twin(prefs):
    """Detects mean regrets that differ by 4.5 standard errors, about 15 % at the last step."""
    configured = configure(POLICY, variant="ts")
    assert_same_law(Sparring, configured, prefs, [3, 30, 300], runs=200, slow_runs=100)


@pytest.mark.slow
@pytest.mark.parametrize("prefs", [ladder(2), CYCLIC, ladder(8), ladder(40, 0.01)], ids=len)
def test_distribution_with_thompson_equals_that_of_the_twin_in_many_runs(prefs):
    """With 1000 runs, detects a difference of 5 % at the last step."""
    assert_same_law(Sparring, configure(POLICY, variant="ts"), prefs, [3, 30, 300], runs=1000)


@pytest.mark.parametrize("rounds", [1, 12])
def test_pair_with_thompson_has_the_distribution_of_the_twin_after_some_duels(rounds):
    """Chi-square over 25 pairs: detects a probability of 0.1 that is wrong by a tenth."""
    configured, rng = configure(POLICY, variant="ts"), np.random.default_rng(rounds)
    params = kernel_params(configured, 100)
    state, twin = POLICY.init(5, params, rng), Sparring(5, with_horizon(configured, 100), rng)
    twin.coin = None
    for first, second, first_won in HISTORY * rounds:
        POLICY.update(state, params, first, second, first_won)
        twin.update(first, second, first_won)
    pairs = np.zeros((2, 5, 5))
    for _ in range(10_000):
        pairs[0][POLICY.select(state, params, rng)] += 1
        pairs[1][twin.select()] += 1
    assert_same_pairs(*pairs)


@pytest.mark.parametrize("inner", ["ucb", "thompson", "exp3"])
def test_every_step_gives_one_reward(inner):
    params, rng = kernel_params(configure(POLICY, inner=inner), 300), np.random.default_rng(0)
    state, n_self_duels, n_rewards_left = POLICY.init(3, params, rng), 0, 0
    for t in range(1, 301):
        first, second = POLICY.select(state, params, rng)
        POLICY.update(state, params, first, second, first < second)
        n_self_duels += first == second
        n_rewards_left += state.now[0].self_duel_reward if first == second else 0
        assert state.gains.sum() == t and state.plays.sum() == 2 * t
    assert 0 < n_rewards_left < n_self_duels
    assert POLICY.recommend(state, params) == 0


def test_recommends_the_largest_mean_reward_of_both_bandits():
    state, params = state_after(configure(POLICY), np.zeros((3, 3), int))
    assert POLICY.recommend(state, params) == 0
    POLICY.update(state, params, 1, 2, False)  # only arm 2 has a reward; arm 0 was never played
    assert POLICY.recommend(state, params) == 2
    POLICY.update(state, params, 2, 1, False)
    POLICY.update(state, params, 1, 0, True)
    assert POLICY.recommend(state, params) == 1  # mean 2/3; the others have 1/2 and 0


@pytest.mark.parametrize("inner", ["ucb", "thompson", "exp3"])
def test_clearly_best_arm_is_chosen_late_in_a_long_run(inner):
    """Step 10^12, with counts of 2^38."""
    params, rng = kernel_params(configure(POLICY, inner=inner), 10**12), np.random.default_rng(0)
    state, n = POLICY.init(2, params, None), 2.0**38
    state.now[0].clock = 10**12 - 1
    state.ucb.plays[:], state.ucb.gains[:] = [n, n], [0.6 * n, 0.4 * n]
    state.ucb.mean[:], state.ucb.width[:] = [0.6, 0.4], n**-0.5
    state.thompson.counts[:] = [[0.6 * n, 0.4 * n], [0.4 * n, 0.6 * n]]
    state.thompson.excess[:] = np.inf  # the levels move in the next draw
    state.exp3.log_weight[:], state.exp3.tree[:] = [0, -1e4], [0, 1, 1, 0]
    for _ in range(50):
        assert POLICY.select(state, params, rng) == (0, 0)
        POLICY.update(state, params, 0, 0, True)
    assert state.plays.tolist() == [100, 0]
    if inner == "ucb":
        assert state.ucb.plays.tolist() == [[n + 50, n]] * 2


def test_run_of_one_step():
    for inner in ("ucb", "thompson", "exp3"):
        trace = fast(configure(POLICY, inner=inner), ladder(3), [1], 0, 0)
        assert trace.duels.sum() + 2 * trace.selves.sum() == 2
