"""Versatile-DB: Newton's chances are the bracketed ones, so its choices are the twin's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.policies.versatile_db import VersatileDb, tsallis
from support.policies import CYCLIC, assert_same_choices, assert_same_law, ladder

from bandits.contract import configure
from bandits.policies.condorcet.versatile_db import POLICY
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 100, 300]


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)], ids=len
)
def test_choices_are_the_twins(prefs):
    assert_same_choices(VersatileDb, configure(POLICY), prefs, STEPS, runs=10)


@pytest.mark.parametrize("mode", ["two_player", "shared"])
@pytest.mark.parametrize("estimator", ["iw", "rv"])
@pytest.mark.parametrize("prefs", [CYCLIC, ladder(5, 0.25)], ids=["cyclic", "sure"])
def test_choices_are_the_twins_with_every_switch(prefs, estimator, mode):
    assert_same_choices(VersatileDb, configure(POLICY, mode=mode, estimator=estimator), prefs, STEPS, runs=6)


@pytest.mark.parametrize(
    "settings", [{"kappa": 2}, {"kappa": 0.3}, {"kappa": 8}, {"kappa": 1, "estimator": "rv"}]
)
def test_choices_are_the_twins_at_other_rates(settings):
    assert_same_choices(VersatileDb, configure(POLICY, **settings), CYCLIC, STEPS, runs=6)
    assert_same_choices(VersatileDb, configure(POLICY, **settings), np.full((3, 3), 0.5), STEPS, runs=2)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"mode": "shared"}, {"estimator": "rv"}], ids=str)
def test_law_is_the_twins_in_many_runs(settings):
    """Choice by choice they part in time: a difference in the last digit of a loss grows like any other."""
    assert_same_law(VersatileDb, configure(POLICY, **settings), ladder(5), [30, 200], runs=1000)


@pytest.mark.parametrize("settings", [{}, {"mode": "shared"}, {"estimator": "rv"}], ids=str)
def test_chances_stay_right_over_a_long_run(settings):
    """Also when the losses were moved back, which happens a few times."""
    params, rng = kernel_params(configure(POLICY, **settings), 1), np.random.default_rng(7)
    state, prefs, moved = POLICY.init(8, params, rng), ladder(8), 0
    for t in range(1, 8001):
        before = state.losses.copy()
        first, second = POLICY.select(state, params, rng)
        moved += (state.losses != before).any()
        if t % 20 == 0:
            for losses, chance in zip(before, state.chance):
                np.testing.assert_allclose(chance, tsallis(losses, 4 / math.sqrt(t)), rtol=1e-10)
        POLICY.update(state, first, second, bool(rng.random() < prefs[first, second]))
    assert moved >= 1


def chances(losses, t, x=None, offset=0.0):
    """What `select` makes of these losses at step t, for a learner whose last x was below by `x`."""
    params = kernel_params(configure(POLICY, mode="shared"), 1)
    state = POLICY.init(len(losses), params, None)
    state.losses[0], state.now[0] = np.asarray(losses) + offset, t - 1
    state.x[0] = state.losses[0].min() - (math.sqrt(t * len(losses)) if x is None else x)
    POLICY.select(state, params, np.random.default_rng(0))
    return state.chance[0]


@given(
    st.lists(st.floats(0, 1e6), min_size=2, max_size=50),
    st.integers(1, 10**12),
    st.floats(1e-3, 1e3),
)
def test_chances_add_up_from_any_start(losses, t, start):
    """However far the last x is from the right one, on either side of it."""
    found = chances(losses, t, x=start * math.sqrt(t))
    np.testing.assert_allclose(found, tsallis(np.array(losses), 4 / math.sqrt(t)), rtol=1e-8)
    assert abs(found.sum() - 1) < 1e-14


def test_late_steps_lose_no_precision():
    """After 10^12 steps the totals are near 10^12 / 2, and their differences still count."""
    losses = np.array([0.0, 1e5, 3e6, 2e9])
    expected = tsallis(losses, 4e-6)
    np.testing.assert_allclose(chances(losses, 10**12), expected, rtol=1e-11)
    np.testing.assert_allclose(chances(losses, 10**12, offset=5e11), expected, rtol=1e-8)


def test_the_first_duels_by_hand():
    """Uniform at first; a loss costs 1 / p, an arm against itself half of that on either side."""
    params, rng = kernel_params(configure(POLICY), 1), np.random.default_rng(0)
    state = POLICY.init(4, params, rng)
    POLICY.select(state, params, rng)
    np.testing.assert_allclose(state.chance, 0.25, rtol=1e-14)
    POLICY.update(state, 1, 2, True)
    np.testing.assert_allclose(state.losses, [[0, 0, 0, 0], [0, 0, 4, 0]])
    POLICY.update(state, 1, 2, False)
    np.testing.assert_allclose(state.losses, [[0, 4, 0, 0], [0, 0, 4, 0]])
    POLICY.update(state, 3, 3, True)
    np.testing.assert_allclose(state.losses, [[0, 4, 0, 2], [0, 0, 4, 2]])
    assert state.now[0] == 3
    assert POLICY.recommend(state) == 0
    state.losses[1, 0] += 4.5
    assert POLICY.recommend(state) == 1


def test_one_learner_counts_half_of_either_side():
    params, rng = kernel_params(configure(POLICY, mode="shared"), 1), np.random.default_rng(0)
    state = POLICY.init(4, params, rng)
    POLICY.select(state, params, rng)
    POLICY.update(state, 1, 2, True)
    POLICY.update(state, 3, 3, False)
    np.testing.assert_allclose(state.losses, [[0, 0, 2, 2]])
    assert POLICY.recommend(state) == 0


def test_a_baseline_is_paid_by_every_likely_arm():
    """At step 100 the rate is .4: arms with p >= .16 are expected to lose 1/2."""
    params, rng = kernel_params(configure(POLICY, estimator="rv"), 1), np.random.default_rng(0)
    state = POLICY.init(3, params, rng)
    state.now[0] = 99
    POLICY.select(state, params, rng)
    state.chance[:] = [0.5, 0.16 * (1 + 1e-9), 0.16 * (1 - 1e-9)]
    POLICY.update(state, 0, 2, True)
    np.testing.assert_allclose(state.losses, [[0.5 - 1, 0.5, 0], [0.5, 0.5, 1 / 0.16]], rtol=1e-8)
