"""Test that MergeDTS has the batches of its literal twin, and pairs with its distribution.

The twin is tests/naive/policies/merge_dts.py.
"""

import copy
import math

import numpy as np
import pytest
from naive.policies.merge_dts import MergeDts
from support.policies import (
    CYCLIC,
    assert_same_law,
    assert_same_pairs,
    fast,
    ladder,
    state_after,
    with_horizon,
)

from rankduel.bandits import configure
from rankduel.bandits.parts.merging_batches import EVERY_PAIR
from rankduel.bandits.policies.condorcet.merge_dts import POLICY, init, select, survivors, update
from rankduel.base.errors import PolicyError
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

QUICK = {"alpha": 0.1, "c": 10, "batch": 4}  # removes arms soon
SETTINGS = [
    {},
    {"batch": 2, "alpha": 0.03},
    {"w0": 1},
    {"partition": "floor"},
    {"reset_t": True},
    {"stage_plus_one": True, "batch": 2},
    {"one_at_a_time": True, "alpha": 0.02, "reset_t": True},
    {"independent_theta": True},
    {"purge_until_stable": True, "batch": 2, "alpha": 0.03},
    {"variant": "chang-li", **QUICK},
    {"variant": "chang-li", "alpha": 0.02, "c": 1, "batch": 2},
]


def chosen(settings):
    return configure(POLICY, **(settings if "variant" in settings else {**QUICK, **settings}))


def assert_same_batches(configured, prefs, n_steps, seed):
    """Assert that the batches equal those of a twin with the same duels, in every step and in order."""
    n_arms, (rng, users) = len(prefs), map(np.random.default_rng, (seed, seed + 1000))
    params = kernel_params(configured, n_steps)
    state, twin_rng = init(n_arms, params, rng), np.random.default_rng(0)
    twin = MergeDts(n_arms, with_horizon(configured, n_steps), twin_rng)
    for _ in range(n_steps):
        twin_rng.bit_generator.state = rng.bit_generator.state  # merging at the end of a stage comes first
        batch = twin.visit()
        first, second = select(state, params, rng)
        batches = state.batches
        rows = batches.turn[: batches.now[0].n_batches]
        assert [batches.arms[row, : batches.size[row]].tolist() for row in rows] == twin.batches
        assert batches.now[0].n_remaining == twin.n_left() == batches.remaining.sum()
        assert first in batch and second in batch and (first != second or len(batch) == 1)
        won = users.random() < prefs[first, second]
        update(state, params, first, second, won)
        twin.update(first, second, won)
        np.testing.assert_array_equal(state.wins, twin.w)
    return twin


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_batches_equal_the_twin(settings):
    left = [assert_same_batches(chosen(settings), ladder(21, 0.1), 500, seed).n_left() for seed in range(2)]
    assert min(left) < 10  # or nothing was tested


@pytest.mark.parametrize("prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8)], ids=len)
def test_batches_of_few_arms_equal_the_twin(prefs):
    for batch in (2, 4):
        assert_same_batches(configure(POLICY, alpha=0.05, c=10, batch=batch), prefs, 300, 5)


def test_batches_with_a_head_start_beyond_all_numbers_equal_the_twin():
    configured = configure(POLICY, alpha=0.51, c=0, epsilon=1e-4, batch=2)
    assert assert_same_batches(configured, ladder(4, 0.5), 7000, 0).n_left() < 4


def random_duels(n_arms, n_duels, seed):
    """Return duels of one batch, in which arms with lower numbers tend to win."""
    rng = np.random.default_rng(seed)
    pairs = [rng.choice(n_arms, 2, replace=False) for _ in range(n_duels)]
    return [(int(i), int(j), bool(rng.random() < 0.5 + 0.08 * (j - i))) for i, j in pairs]


def count_pairs(choose, n_arms, n):
    table = np.zeros((n_arms, n_arms), np.int64)
    for _ in range(n):
        table[choose()] += 1
    return table


@pytest.mark.parametrize(
    "n_arms, n_duels, independent",
    [
        (2, 5, False),
        (3, 0, False),
        (3, 20, True),
        (5, 60, False),
        (5, 1000, False),
        (7, 30, False),
        (7, 90, True),
    ],
)
def test_pairs_have_the_distribution_of_the_twin(n_arms, n_duels, independent):
    # 5,000 choices each: of a pair chosen half of the time, an error of 0.05 is found.
    configured = configure(POLICY, alpha=10, batch=8, c=1e6, independent_theta=independent)
    params, rng = kernel_params(configured, 10), np.random.default_rng(3)
    state = init(n_arms, params, rng)
    twin = MergeDts(n_arms, with_horizon(configured, 10), np.random.default_rng(4))
    for duel in random_duels(n_arms, n_duels, n_arms):
        update(state, params, *duel)
        twin.update(*duel)
    table = count_pairs(lambda: select(state, params, rng), n_arms, 5000)
    assert_same_pairs(table, count_pairs(twin.select, n_arms, 5000))
    assert not np.diag(table).any()


def test_stored_probabilities_of_undefeated_arms_equal_those_computed_anew():
    params, (rng, users) = kernel_params(chosen({"batch": 8}), 400), map(np.random.default_rng, (1, 2))
    prefs = ladder(12, 0.05)
    state = init(12, params, rng)
    for _ in range(400):
        before = copy.deepcopy(state)
        before.batches.compared[:] = EVERY_PAIR
        same = copy.deepcopy(rng)
        first, second = select(state, params, rng)
        select(before, params, same)
        row = state.batches.now[0].visited
        batch = state.batches.arms[row, : state.batches.size[row]]
        np.testing.assert_array_equal(state.undefeated[batch], before.undefeated[batch])
        update(state, params, first, second, users.random() < prefs[first, second])


@pytest.mark.parametrize("prefs", [ladder(3), CYCLIC, ladder(8)], ids=len)
def test_runs_have_the_distribution_of_the_twin(prefs):
    # 100 runs each: a shift of the mean by two thirds of a standard deviation is found.
    assert_same_law(MergeDts, configure(POLICY, alpha=0.2, c=10, batch=4), prefs, [20, 100, 250], runs=100)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [{}, {"independent_theta": True}, {"partition": "floor"}, {"variant": "chang-li", **QUICK}],
    ids=str,
)
def test_many_runs_have_the_distribution_of_the_twin(settings):
    # A shift of the mean by a sixth of a standard deviation is found.
    assert_same_law(MergeDts, chosen(settings), ladder(13, 0.03), [10, 100, 300], runs=3000, slow_runs=1000)


@pytest.mark.slow
def test_the_best_of_many_arms_remains():
    prefs = ladder(136, 0.006)
    traces = [fast(configure(POLICY), prefs, [10**6, 10**8], 0, run) for run in range(20)]
    assert all(trace.survivors[-1] == 1 and trace.recommended[-1] == 0 for trace in traces)


def test_last_arm_duels_itself():
    prefs = np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.5]])
    trace = fast(configure(POLICY, **QUICK), prefs, [1, 500, 501, 10**12], 0, 0)
    assert trace.survivors[1:].tolist() == [1, 1, 1]
    assert trace.recommended[1:].tolist() == [0, 0, 0]
    assert (trace.selves[3] - trace.selves[1]).tolist() == [10**12 - 500, 0, 0]


def test_head_start_of_theory():
    nothing = np.zeros((136, 136), int)
    state, _ = state_after(configure(POLICY, variant="paper"), nothing, horizon=10**6)
    assert state.batches.now[0].head_start == pytest.approx((3.04 * 136**2 / 1.02e-6) ** (1 / 1.02))
    state, _ = state_after(configure(POLICY, variant="paper", epsilon=0.01), nothing, horizon=10**6)
    assert state.batches.now[0].head_start == pytest.approx(4066005, abs=1)
    with pytest.raises(PolicyError, match="alpha is 0.262144; expected more than 1/2"):
        fast(configure(POLICY, c=0), ladder(3), [10], 0, 0)


def test_head_start_beyond_all_numbers():
    """Li et al. 2020, section 6.6: alpha = .51, 136 rankers and 2 10^6 pages: ln C = 1414."""
    state, _ = state_after(configure(POLICY, alpha=0.51, c=0), np.zeros((136, 136), int), horizon=2 * 10**6)
    now = state.batches.now[0]
    assert now.head_start == np.inf
    assert now.log_head_start == pytest.approx(50 * math.log(1.04 * 136**2 / 0.02 * 2e6), rel=1e-12)
    assert round(now.log_head_start) == 1414


def test_number_of_duels_to_remove_an_arm_with_a_head_start_beyond_all_numbers():
    """The arm that always loses is removed when n^2 > 4 * .51 n ln C, where C = (1.04 * 4 / .02e-4) ^ 50."""
    configured = configure(POLICY, alpha=0.51, c=0, epsilon=1e-4)
    n = math.floor(2.04 * 50 * math.log(1.04 * 4 / 0.02e-4)) + 1
    trace = fast(configured, ladder(2, 0.5), [n, n + 1, 10**6], 0, 0)
    assert trace.survivors.tolist() == [2, 1, 1]
    assert trace.duels[:, 0].tolist() == [n, n, n]


def test_counts_and_time_beyond_32_bits():
    state, params = state_after(configure(POLICY), np.zeros((4, 4), int))
    rng = np.random.default_rng(0)
    state.batches.now[0].clock = 10**12
    state.wins[:] = 1 << 40
    state.above_half.log_g[:] = np.log(2**19 / np.pi**0.5)  # 2^-(2n + 2) / B(n + 1, n + 1), by Stirling
    pairs = count_pairs(lambda: select(state, params, rng), 4, 2000)
    assert (pairs + np.eye(4) * 1000 > 100).all()  # equal arms: 2000 / 12 of each pair
    assert survivors(state, params) == 4
    state.wins[0, 1:] += 1 << 24  # 4 alpha N ln(t + C) is 6.4e13, a lead of 8e6 squared
    update(state, params, 0, 1, True)
    update(state, params, 0, 2, True)
    assert select(state, params, rng) == (0, 0)
