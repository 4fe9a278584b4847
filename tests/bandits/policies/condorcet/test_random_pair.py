"""Random pairs: the twin's choices, and the expected regret that needs no simulation."""

import numpy as np
import pytest
from naive.policies.random_pair import RandomPair
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from bandits.contract import configure
from bandits.matrix_duels import gaps
from bandits.policies.condorcet.random_pair import POLICY
from bandits.regret import strong_regret
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)], ids=len
)
def test_choices_are_the_twins(prefs, distinct):
    assert_same_choices(RandomPair, configure(POLICY, distinct=distinct), prefs, [1, 2, 3, 50, 200], runs=9)


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("prefs", [CYCLIC, ladder(8), ladder(20, 0.02)], ids=len)
def test_regret_is_the_mean_gap_of_all_arms_in_every_step(prefs, distinct):
    """Within 4.5 standard errors of T * mean, exact both: detects a bias of half a per cent per step."""
    loss, horizon = gaps(prefs), 200_000
    trace = fast(configure(POLICY, distinct=distinct), prefs, [horizon], seed=1, run=0)
    n_arms = len(loss)
    together = -loss.var() / (n_arms - 1) if distinct else 0.0  # covariance of the two arms' losses
    deviation = np.sqrt(horizon * (loss.var() + together) / 2)
    assert abs(strong_regret(trace, loss)[0] - horizon * loss.mean()) < 4.5 * deviation
    if distinct:
        assert trace.selves.sum() == 0
    else:
        spread = np.sqrt(horizon * (n_arms - 1)) / n_arms
        assert abs(trace.selves.sum() - horizon / n_arms) < 4.5 * spread


def test_every_pair_is_as_likely_as_any_other():
    configured = configure(POLICY, distinct=True)
    params, rng = kernel_params(configured, 1), np.random.default_rng(5)
    state, n, count = POLICY.init(4, params, rng), 6_000, np.zeros((4, 4))
    for _ in range(n):
        count[POLICY.select.py_func(state, params, rng)] += 1
    assert (np.diag(count) == 0).all()
    off = count[~np.eye(4, dtype=bool)]
    assert (np.abs(off - n / 12) < 5 * np.sqrt(n / 12)).all()


def test_the_answer_is_the_arm_that_leads_most_others():
    state = POLICY.init(3, POLICY.params(), None)
    assert POLICY.recommend(state) == 0
    for _ in range(2):
        POLICY.update(state, 2, 0, True)
        POLICY.update(state, 1, 2, False)
    POLICY.update(state, 0, 2, True)
    POLICY.update(state, 1, 1, True)
    np.testing.assert_array_equal(state.wins, [[0, 0, 1], [0, 0, 0], [2, 2, 0]])
    assert POLICY.recommend(state) == 2
    state.wins[1, 2] = 2**40
    POLICY.update(state, 1, 2, True)
    assert state.wins[1, 2] == 2**40 + 1
