"""Test that MultiSBM chooses the pairs of its literal twin, tests/naive/policies/multi_sbm.py."""

import numpy as np
import pytest
from naive.policies.multi_sbm import MultiSbm
from support.policies import CYCLIC, assert_same_choices, ladder, state_after

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.condorcet.multi_sbm import POLICY
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 100, 700]
CERTAIN = np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.5]])


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02), CERTAIN], ids=len
)
def test_choices_equal_the_twin(prefs):
    assert_same_choices(MultiSbm, configure(POLICY), prefs, STEPS, runs=20)


@pytest.mark.parametrize("settings", [{"sbm_clock": "global"}, {"variant": "ucb1"}, {"alpha": 0.0}])
def test_choices_equal_the_twin_with_settings(settings):
    assert_same_choices(MultiSbm, configure(POLICY, **settings), CYCLIC, STEPS, runs=20)


def test_second_arm_is_first_in_the_next_step():
    """After a pair without an outcome, the first arm is the same again."""
    params, rng = kernel_params(configure(POLICY), 200), np.random.default_rng(1)
    state, last = POLICY.init(4, params, rng), None
    for t in range(200):
        first, second = POLICY.select(state, params, rng)
        assert last in (None, first)
        if t % 5 == 0:
            last = first
            continue
        POLICY.update(state, params, first, second, t % 3 == 0)
        last = second
    assert state.n_first.sum() == state.n_second.sum() == state.now[0].clock == 160
    assert (state.ucb.plays.sum(axis=1) == state.n_first).all()
    assert (state.ucb.plays.sum(axis=0) == state.n_second).all()
    assert POLICY.recommend(state, params) == state.n_second.argmax()


def test_bandit_of_the_first_arm_is_rewarded():
    state, params = state_after(configure(POLICY), np.zeros((3, 3), int))
    for first, second, first_won in [(0, 1, True), (1, 0, False), (0, 1, False)]:
        POLICY.update(state, params, first, second, first_won)
    state.now[0].self_duel_reward = 1
    POLICY.update(state, params, 2, 2, False)
    assert state.ucb.gains.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert state.ucb.plays.tolist() == [[0, 2, 0], [1, 0, 0], [0, 0, 1]]


def test_arm_that_wins_most_is_second_late_in_a_long_run():
    """At t = 10^12 the means are 0.4 and 0.6, and the widths below 1e-4."""
    params, rng = kernel_params(configure(POLICY), 10**12), np.random.default_rng(0)
    state = POLICY.init(2, params, rng)
    n = 2**38
    state.ucb.plays[:], state.ucb.gains[:] = n, [int(0.4 * n), int(0.6 * n)]
    state.ucb.mean[:], state.ucb.width[:] = [0.4, 0.6], n**-0.5
    state.now[0].clock, state.now[0].first, state.n_first[:] = 10**12, 0, 5 * 10**11
    assert POLICY.select(state, params, rng) == (0, 1)
    POLICY.update(state, params, 0, 1, False)
    assert state.ucb.plays[0, 1] == n + 1 and state.ucb.gains[0, 1] == int(0.6 * n) + 1
    assert state.ucb.mean[0, 1] == pytest.approx(0.6, abs=1e-9)
