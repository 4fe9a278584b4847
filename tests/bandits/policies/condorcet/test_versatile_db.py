"""Test that Versatile-DB chooses the pairs of its literal twin, tests/naive/policies/versatile_db.py.

The twin finds the probabilities by bracketing, the policy by Newton's method.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.policies.versatile_db import VersatileDb, tsallis
from support.policies import CYCLIC, assert_same_choices, assert_same_law, ladder, state_after

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.condorcet.versatile_db import POLICY
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 100, 300]


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)], ids=len
)
def test_choices_equal_the_twin(prefs):
    assert_same_choices(VersatileDb, configure(POLICY), prefs, STEPS, runs=10)


@pytest.mark.parametrize("mode", ["two_player", "shared"])
@pytest.mark.parametrize("estimator", ["iw", "rv"])
@pytest.mark.parametrize("prefs", [CYCLIC, ladder(5, 0.25)], ids=["cyclic", "certain"])
def test_choices_equal_the_twin_with_settings(prefs, estimator, mode):
    assert_same_choices(VersatileDb, configure(POLICY, mode=mode, estimator=estimator), prefs, STEPS, runs=6)


@pytest.mark.parametrize(
    "settings", [{"kappa": 2}, {"kappa": 0.3}, {"kappa": 8}, {"kappa": 1, "estimator": "rv"}]
)
def test_choices_equal_the_twin_at_other_learning_rates(settings):
    assert_same_choices(VersatileDb, configure(POLICY, **settings), CYCLIC, STEPS, runs=6)
    assert_same_choices(VersatileDb, configure(POLICY, **settings), np.full((3, 3), 0.5), STEPS, runs=2)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"mode": "shared"}, {"estimator": "rv"}], ids=str)
def test_distribution_equals_that_of_the_twin_in_many_runs(settings):
    """In long runs the pairs differ, since a difference in the last digit of a loss grows."""
    assert_same_law(VersatileDb, configure(POLICY, **settings), ladder(5), [30, 200], runs=1000)


@pytest.mark.parametrize("settings", [{}, {"mode": "shared"}, {"estimator": "rv"}], ids=str)
def test_probabilities_stay_precise_in_a_long_run(settings):
    """All losses of a learner are moved by a constant now and then, at least once in this run."""
    params, rng = kernel_params(configure(POLICY, **settings), 1), np.random.default_rng(7)
    state, prefs, n_moved = POLICY.init(8, params, rng), ladder(8), 0
    for t in range(1, 8001):
        before = state.losses.copy()
        first, second = POLICY.select(state, params, rng)
        n_moved += (state.losses != before).any()
        if t % 20 == 0:
            for losses, probability in zip(before, state.probability):
                np.testing.assert_allclose(probability, tsallis(losses, 4 / math.sqrt(t)), rtol=1e-10)
        POLICY.update(state, params, first, second, bool(rng.random() < prefs[first, second]))
    assert n_moved >= 1


def probabilities(losses, t, distance=None, offset=0.0):
    """Return the probabilities of step t for these losses plus `offset`.

    The last x was below the least loss by `distance`.
    """
    params = kernel_params(configure(POLICY, mode="shared"), 1)
    state = POLICY.init(len(losses), params, None)
    state.losses[0], state.now[0].clock = np.asarray(losses) + offset, t - 1
    state.x[0] = state.losses[0].min() - (math.sqrt(t * len(losses)) if distance is None else distance)
    POLICY.select(state, params, np.random.default_rng(0))
    return state.probability[0]


@given(
    st.lists(st.floats(0, 1e6), min_size=2, max_size=50),
    st.integers(1, 10**12),
    st.floats(1e-3, 1e3),
)
def test_probabilities_equal_the_twin_from_any_last_x(losses, t, start):
    found = probabilities(losses, t, distance=start * math.sqrt(t))
    np.testing.assert_allclose(found, tsallis(np.array(losses), 4 / math.sqrt(t)), rtol=1e-8)
    assert abs(found.sum() - 1) < 1e-14


def test_late_steps_are_precise():
    """After 10^12 steps the losses are near 10^12 / 2, much larger than their differences."""
    losses = np.array([0.0, 1e5, 3e6, 2e9])
    expected = tsallis(losses, 4e-6)
    np.testing.assert_allclose(probabilities(losses, 10**12), expected, rtol=1e-11)
    np.testing.assert_allclose(probabilities(losses, 10**12, offset=5e11), expected, rtol=1e-8)


def test_loss_is_divided_by_the_probability():
    """At first p = 1/4: a lost duel adds 4, and a self-duel adds 2 on either side."""
    state, params = state_after(configure(POLICY), np.zeros((4, 4), int))
    POLICY.select(state, params, np.random.default_rng(0))
    np.testing.assert_allclose(state.probability, 0.25, rtol=1e-14)
    POLICY.update(state, params, 1, 2, True)
    np.testing.assert_allclose(state.losses, [[0, 0, 0, 0], [0, 0, 4, 0]])
    POLICY.update(state, params, 1, 2, False)
    np.testing.assert_allclose(state.losses, [[0, 4, 0, 0], [0, 0, 4, 0]])
    POLICY.update(state, params, 3, 3, True)
    np.testing.assert_allclose(state.losses, [[0, 4, 0, 2], [0, 0, 4, 2]])
    assert state.now[0].clock == 3
    assert POLICY.recommend(state, params) == 0
    state.losses[1, 0] += 4.5
    assert POLICY.recommend(state, params) == 1


def test_shared_learner_counts_half_of_either_loss():
    state, params = state_after(configure(POLICY, mode="shared"), np.zeros((4, 4), int))
    POLICY.select(state, params, np.random.default_rng(0))
    POLICY.update(state, params, 1, 2, True)
    POLICY.update(state, params, 3, 3, False)
    np.testing.assert_allclose(state.losses, [[0, 0, 2, 2]])
    assert POLICY.recommend(state, params) == 0


def test_reduced_variance_estimator_has_a_baseline_for_likely_arms():
    """At step 100 the learning rate is 0.4: arms with p >= 0.16 are expected to have loss 1/2."""
    params, rng = kernel_params(configure(POLICY, estimator="rv"), 1), np.random.default_rng(0)
    state = POLICY.init(3, params, rng)
    state.now[0].clock = 99
    POLICY.select(state, params, rng)
    state.probability[:] = [0.5, 0.16 * (1 + 1e-9), 0.16 * (1 - 1e-9)]
    POLICY.update(state, params, 0, 2, True)
    np.testing.assert_allclose(state.losses, [[0.5 - 1, 0.5, 0], [0.5, 0.5, 1 / 0.16]], rtol=1e-8)
