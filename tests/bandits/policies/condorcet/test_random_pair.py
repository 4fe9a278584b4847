"""Test that random pairs equal those of the literal twin, tests/naive/policies/random_pair.py.

Their regret is compared with its expectation, which needs no simulation.
"""

import numpy as np
import pytest
from naive.policies.random_pair import RandomPair
from support.policies import CYCLIC, assert_same_choices, fast, ladder, state_after

from rankduel.bandits.contract import configure
from rankduel.bandits.matrix_duels import gaps
from rankduel.bandits.policies.condorcet.random_pair import POLICY
from rankduel.bandits.regret import strong_regret
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)], ids=len
)
def test_choices_equal_the_twin(prefs, distinct):
    assert_same_choices(RandomPair, configure(POLICY, distinct=distinct), prefs, [1, 2, 3, 50, 200], runs=9)


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("prefs", [CYCLIC, ladder(8), ladder(20, 0.02)], ids=len)
def test_regret_of_a_step_is_the_mean_gap_of_all_arms(prefs, distinct):
    """Within 4.5 standard errors, both exact: detects a bias of 0.5 % per step."""
    loss, horizon = gaps(prefs), 200_000
    trace = fast(configure(POLICY, distinct=distinct), prefs, [horizon], seed=1, run=0)
    n_arms = len(loss)
    covariance = -loss.var() / (n_arms - 1) if distinct else 0.0  # of the losses of both arms
    deviation = np.sqrt(horizon * (loss.var() + covariance) / 2)
    assert abs(strong_regret(trace, loss)[0] - horizon * loss.mean()) < 4.5 * deviation
    if distinct:
        assert trace.selves.sum() == 0
    else:
        spread = np.sqrt(horizon * (n_arms - 1)) / n_arms
        assert abs(trace.selves.sum() - horizon / n_arms) < 4.5 * spread


def test_all_pairs_of_different_arms_are_equally_likely():
    configured = configure(POLICY, distinct=True)
    params, rng = kernel_params(configured, 1), np.random.default_rng(5)
    state, n, count = POLICY.init(4, params, rng), 6_000, np.zeros((4, 4))
    for _ in range(n):
        count[POLICY.select.py_func(state, params, rng)] += 1
    assert (np.diag(count) == 0).all()
    off = count[~np.eye(4, dtype=bool)]
    assert (np.abs(off - n / 12) < 5 * np.sqrt(n / 12)).all()


def test_recommends_the_arm_that_beats_most_others():
    state, params = state_after(configure(POLICY), np.zeros((3, 3), int))
    assert POLICY.recommend(state, params) == 0
    for _ in range(2):
        POLICY.update(state, params, 2, 0, True)
        POLICY.update(state, params, 1, 2, False)
    POLICY.update(state, params, 0, 2, True)
    POLICY.update(state, params, 1, 1, True)
    np.testing.assert_array_equal(state.wins, [[0, 0, 1], [0, 0, 0], [2, 2, 0]])
    assert POLICY.recommend(state, params) == 2
    state.wins[1, 2] = 2**40
    POLICY.update(state, params, 1, 2, True)
    assert state.wins[1, 2] == 2**40 + 1
