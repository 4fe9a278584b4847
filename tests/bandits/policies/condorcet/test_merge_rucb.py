"""Test that mergeRUCB chooses the pairs of its literal twin, tests/naive/policies/merge_rucb.py."""

import numpy as np
import pytest
from naive.policies.merge_rucb import MergeRucb
from support.policies import CYCLIC, assert_same_choices, fast, ladder, state_after

from rankduel.bandits import configure
from rankduel.bandits.policies.condorcet import merge_rucb
from rankduel.bandits.policies.condorcet.merge_rucb import POLICY
from rankduel.base.errors import PolicyError

pytestmark = pytest.mark.kernel

STEPS = [1, 2, 3, 10, 100, 400, 1000]
QUICK = {"alpha": 0.1, "c": 10}  # removes arms soon


# Equality with the twin


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)], ids=len
)
@pytest.mark.parametrize("batch", [2, 4, 8])
def test_choices_equal_the_twin(prefs, batch):
    assert_same_choices(MergeRucb, configure(POLICY, batch=batch, **QUICK), prefs, STEPS, runs=6)


SETTINGS = [
    {"unvisited_u": 1},
    {"unvisited_u": np.inf},
    {"w0": 1},
    {"single_batch": "merge"},
    {"single_batch": "merge", "batch": 2, "alpha": 0.03},
    {"single_batch": "skip"},
    {"single_batch": "skip", "batch": 2, "alpha": 0.03},
    {"reset_t": True},
    {"stage_plus_one": True},
    {"stage_plus_one": True, "batch": 2},
    {"one_at_a_time": True, "reset_t": True, "c": 1, "alpha": 0.02},
    {"one_at_a_time": True, "single_batch": "merge", "batch": 2, "alpha": 0.02},
    {"partition": "ceil"},
    {"variant": "chang-li", "alpha": 0.1, "batch": 4, "c": 10},
    {"variant": "paper", "alpha": 0.9, "epsilon": 1},
    {"alpha": 0.9, "c": 0},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_choices_equal_the_twin_with_settings(settings):
    settings = settings if "variant" in settings else {"batch": 4, **QUICK, **settings}
    assert_same_choices(MergeRucb, configure(POLICY, **settings), ladder(21, 0.1), STEPS, runs=6)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"variant": "chang-li"}], ids=str)
def test_choices_equal_the_twin_with_many_arms(settings):
    configured = configure(POLICY, c=1000, **settings)
    assert_same_choices(MergeRucb, configured, ladder(136, 0.01), [1000, 10_000, 40_000], runs=4)


@pytest.mark.slow
def test_the_best_of_many_arms_remains():
    prefs = ladder(136, 0.006)
    traces = [fast(configure(POLICY), prefs, [10**6, 10**8], 0, run) for run in range(20)]
    assert all(trace.survivors[-1] == 1 and trace.recommended[-1] == 0 for trace in traces)


# Batches of one arm, line 9


def test_batches_of_one_arm_duel_themselves_in_turn():
    """Three batches of two lose an arm each. Three is half of six: two of them are merged, and lose an arm.

    Two batches of one arm remain: more than a quarter of six arms, so the stage does not end.
    """
    prefs = np.full((6, 6), 0.5)
    prefs[np.triu_indices(6, 1)], prefs[np.tril_indices(6, -1)] = 1.0, 0.0
    configured = configure(POLICY, batch=2, **QUICK)
    for run in range(5):
        stepping, idling = (fast(configured, prefs, [5000, 5001, 8000], 0, run, ff) for ff in (False, True))
        np.testing.assert_array_equal(stepping.selves, idling.selves)
        assert stepping.survivors.tolist() == [2, 2, 2]
        assert sorted((stepping.selves[2] - stepping.selves[0]).tolist())[-2:] == [1500, 1500]
        far = fast(configured, prefs, [5000, 10**12], 0, run)
        assert far.selves[1].sum() + far.duels[1].sum() // 2 == 10**12
        merging = configure(POLICY, batch=2, single_batch="merge", **QUICK)
        assert fast(merging, prefs, [5000], 0, run).survivors[-1] == 1


# The constant C, line 3


def test_head_start_of_theory_is_rounded_up():
    """((4 * 1.01 - 1) * 136^2 / (1.02 * 0.01)) ^ (1 / 1.02) = 4066004.x"""
    state, _ = state_after(configure(POLICY, variant="paper"), np.zeros((136, 136), int))
    assert state.batches.now[0].head_start == 4066005


def test_head_start_that_theory_does_not_define_is_refused():
    with pytest.raises(PolicyError, match="alpha is 0.5; expected more than 1/2"):
        fast(configure(POLICY, c=0, alpha=0.5), ladder(3), [10], 0, 0)


def test_head_start_beyond_all_numbers():
    """As for MergeDTS: 1484 wins in a row remove the other arm."""
    settings = {"alpha": 0.51, "c": 0, "epsilon": 1e-4}
    trace = fast(configure(POLICY, **settings), ladder(2, 0.5), [1484, 1485, 10**6], 0, 0)
    assert trace.survivors.tolist() == [2, 1, 1]


def test_counts_and_time_beyond_32_bits():
    """With N = 2^41, 4 alpha N ln(1e12 + 4e5) is 6.3708e13: beaten from a deficit of 7982045 on."""
    state, params = state_after(configure(POLICY), np.zeros((3, 3), int))
    rng, n = np.random.default_rng(0), 1 << 40
    state.batches.now[0].clock = 10**12
    state.wins[:] = n
    for deficit, n_remaining in ((7_982_000, 3), (7_982_100, 2)):
        state.wins[0, 1], state.wins[1, 0] = n + deficit, n
        merge_rucb.update(state, params, 0, 2, True)
        merge_rucb.update(state, params, 0, 2, False)
        first, second = merge_rucb.select(state, params, rng)
        assert first != second
        assert merge_rucb.survivors(state, params) == n_remaining
    assert not state.batches.remaining[1]
