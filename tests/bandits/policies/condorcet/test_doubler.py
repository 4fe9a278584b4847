"""Test that Doubler chooses the pairs of its literal twin, tests/naive/policies/doubler.py."""

import numpy as np
import pytest
from naive.policies.doubler import Doubler
from support.policies import CYCLIC, assert_same_choices, ladder, state_after

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.condorcet.doubler import POLICY
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 6, 7, 14, 100, 700]
CERTAIN = np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.5]])


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02), CERTAIN], ids=len
)
def test_choices_equal_the_twin(prefs):
    assert_same_choices(Doubler, configure(POLICY), prefs, STEPS, runs=20)


@pytest.mark.parametrize("settings", [{"sbm_clock": "global"}, {"variant": "ucb1"}, {"alpha": 0.0}])
def test_choices_equal_the_twin_with_settings(settings):
    assert_same_choices(Doubler, configure(POLICY, **settings), CYCLIC, STEPS, runs=20)


def test_epochs_have_2_4_and_8_steps():
    """First arms are those of the epoch before; the bandit is reset after steps 2, 6 and 14."""
    params, rng = kernel_params(configure(POLICY), 14), np.random.default_rng(3)
    state = POLICY.init(4, params, rng)
    opponents, played, ends = np.flatnonzero(state.opponents).tolist(), [], [2, 6, 14]
    assert len(opponents) == 1
    for t in range(1, 15):
        first, second = POLICY.select(state, params, rng)
        assert first in opponents
        POLICY.update(state, params, first, second, True)
        played.append(second)
        if t in ends:
            opponents, played = played, []
            assert state.opponents.tolist() == np.bincount(opponents, minlength=4).tolist()
            assert state.ucb.plays.sum() == 0
            assert POLICY.recommend(state, params) == np.bincount(opponents, minlength=4).argmax()
        else:
            assert state.ucb.plays.sum() == len(played)


def test_first_arms_are_drawn_in_proportion_to_their_counts():
    """Counts of a long epoch, beyond 2^31: shares within 4.5 standard errors."""
    params, rng = kernel_params(configure(POLICY), 10**12), np.random.default_rng(0)
    state = POLICY.init(3, params, rng)
    now, state.opponents[:] = state.now[0], [1 << 38, 1 << 37, 1 << 37]
    now.clock, now.epoch, now.n_played = 10**12, 40, 5
    firsts = [POLICY.select(state, params, rng)[0] for _ in range(4000)]
    shares = np.bincount(firsts) / 4000
    assert shares == pytest.approx([0.5, 0.25, 0.25], abs=4.5 * 0.5 / 4000**0.5)


def test_second_arm_has_a_reward_if_it_wins():
    state, params = state_after(configure(POLICY), [[0, 14, 0], [0, 0, 0], [0, 0, 0]])  # three epochs
    assert state.now[0].epoch == 4 and not state.ucb.plays.any()
    for first, second, first_won in [(0, 1, True), (0, 1, False), (2, 0, False)]:
        POLICY.update(state, params, first, second, first_won)
    for reward in (1, 0):
        state.now[0].self_duel_reward = reward
        POLICY.update(state, params, 2, 2, True)
    assert state.ucb.plays.tolist() == [[1, 2, 2]] and state.ucb.gains.tolist() == [[1, 1, 1]]
