"""MultiSBM: choice by choice its naive twin's."""

import numpy as np
import pytest
from naive.policies.multi_sbm import MultiSbm
from support.policies import CYCLIC, assert_same_choices, ladder

from bandits.contract import configure
from bandits.policies.condorcet.multi_sbm import POLICY
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 100, 700]
CERTAIN = np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.5]])


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02), CERTAIN], ids=len
)
def test_choices_are_the_twins(prefs):
    assert_same_choices(MultiSbm, configure(POLICY), prefs, STEPS, runs=20)


@pytest.mark.parametrize("settings", [{"sbm_clock": "global"}, {"variant": "ucb1"}, {"alpha": 0.0}])
def test_switches_are_the_twins(settings):
    assert_same_choices(MultiSbm, configure(POLICY, **settings), CYCLIC, STEPS, runs=20)


def test_second_arm_comes_first_next():
    """And a duel passed over in silence changes nothing: the same first arm, once more."""
    params, rng = kernel_params(configure(POLICY), 200), np.random.default_rng(1)
    state, last = POLICY.init(4, params, rng), None
    for t in range(200):
        first, second = POLICY.select(state, params, rng)
        assert last in (None, first)
        if t % 5 == 0:
            last = first
            continue
        POLICY.update(state, first, second, t % 3 == 0)
        last = second
    assert state.starts.sum() == state.answers.sum() == state.now[0] == 160
    assert (state.ucb.plays.sum(axis=1) == state.starts).all()
    assert (state.ucb.plays.sum(axis=0) == state.answers).all()
    assert POLICY.recommend(state) == state.answers.argmax()


def test_bandit_of_the_first_arm_is_rewarded():
    params = kernel_params(configure(POLICY), 10)
    state = POLICY.init(3, params, np.random.default_rng(0))
    for first, second, first_won in [(0, 1, True), (1, 0, False), (0, 1, False)]:
        POLICY.update(state, first, second, first_won)
    state.now[2] = 1
    POLICY.update(state, 2, 2, False)
    assert state.ucb.gains.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert state.ucb.plays.tolist() == [[0, 2, 0], [1, 0, 0], [0, 0, 1]]


def test_large_counts_and_late_times():
    """Index of the better answer at t = 10^12: 0.6 against 0.4, widths below 1e-4."""
    params, rng = kernel_params(configure(POLICY), 10**12), np.random.default_rng(0)
    state = POLICY.init(2, params, rng)
    n = 2**38
    state.ucb.plays[:], state.ucb.gains[:] = n, [int(0.4 * n), int(0.6 * n)]
    state.ucb.mean[:], state.ucb.width[:] = [0.4, 0.6], n**-0.5
    state.now[:], state.starts[:] = [10**12, 0, 0], 5 * 10**11
    assert POLICY.select(state, params, rng) == (0, 1)
    POLICY.update(state, 0, 1, False)
    assert state.ucb.plays[0, 1] == n + 1 and state.ucb.gains[0, 1] == int(0.6 * n) + 1
    assert state.ucb.mean[0, 1] == pytest.approx(0.6, abs=1e-9)
