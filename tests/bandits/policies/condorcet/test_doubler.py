"""Doubler: choice by choice its naive twin's."""

import numpy as np
import pytest
from naive.policies.doubler import Doubler
from support.policies import CYCLIC, assert_same_choices, ladder

from bandits.contract import configure
from bandits.policies.condorcet.doubler import POLICY
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 6, 7, 14, 100, 700]
CERTAIN = np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.5]])


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02), CERTAIN], ids=len
)
def test_choices_are_the_twins(prefs):
    assert_same_choices(Doubler, configure(POLICY), prefs, STEPS, runs=20)


@pytest.mark.parametrize("settings", [{"sbm_clock": "global"}, {"variant": "ucb1"}, {"alpha": 0.0}])
def test_switches_are_the_twins(settings):
    assert_same_choices(Doubler, configure(POLICY, **settings), CYCLIC, STEPS, runs=20)


def test_epochs_of_2_4_and_8_steps():
    """First arms come from the epoch before; the bandit forgets at steps 2, 6 and 14."""
    params, rng = kernel_params(configure(POLICY), 14), np.random.default_rng(3)
    state = POLICY.init(4, params, rng)
    opponents, played, ends = np.flatnonzero(state.before).tolist(), [], [2, 6, 14]
    assert len(opponents) == 1
    for t in range(1, 15):
        first, second = POLICY.select(state, params, rng)
        assert first in opponents
        POLICY.update(state, first, second, True)
        played.append(second)
        if t in ends:
            opponents, played = played, []
            assert state.before.tolist() == np.bincount(opponents, minlength=4).tolist()
            assert state.ucb.plays.sum() == 0
            assert POLICY.recommend(state) == np.bincount(opponents, minlength=4).argmax()
        else:
            assert state.ucb.plays.sum() == len(played)


def test_first_arms_in_proportion():
    """Counts of a long epoch, beyond 2^31: shares within 4.5 standard errors."""
    params, rng = kernel_params(configure(POLICY), 10**12), np.random.default_rng(0)
    state = POLICY.init(3, params, rng)
    state.before[:] = [1 << 38, 1 << 37, 1 << 37]
    state.now[:] = [10**12, 40, 5, 0]
    firsts = [POLICY.select(state, params, rng)[0] for _ in range(4000)]
    shares = np.bincount(firsts) / 4000
    assert shares == pytest.approx([0.5, 0.25, 0.25], abs=4.5 * 0.5 / 4000**0.5)


def test_second_arm_is_rewarded_for_winning():
    params = kernel_params(configure(POLICY), 10)
    state = POLICY.init(3, params, np.random.default_rng(0))
    state.now[1] = 5
    for first, second, first_won in [(0, 1, True), (0, 1, False), (2, 0, False)]:
        POLICY.update(state, first, second, first_won)
    state.now[3] = 1
    POLICY.update(state, 2, 2, True)
    state.now[3] = 0
    POLICY.update(state, 2, 2, True)
    assert state.ucb.plays.tolist() == [[1, 2, 2]] and state.ucb.gains.tolist() == [[1, 1, 1]]
