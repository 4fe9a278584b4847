"""Test that REX3 chooses the pairs of its literal twin, tests/naive/policies/rex3.py.

The pairs are equal without skipping; with skipping their distribution is.
"""

import math

import numpy as np
import pytest
from naive.policies.rex3 import Rex3, Rex3ByMixture
from scipy import stats
from support.policies import (
    CYCLIC,
    assert_same_law,
    assert_same_numbers,
    fast,
    ladder,
    regrets,
    slow,
    state_after,
    with_horizon,
)

from rankduel.bandits.contract import configure
from rankduel.bandits.matrix_duels import gaps
from rankduel.bandits.parts.sum_tree import add_up
from rankduel.bandits.policies.condorcet.rex3 import POLICY
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

STEPS = [1, 2, 3, 10, 100, 400]
WORLDS = [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02), np.full((4, 4), 0.5)]
SETTINGS = [
    {"schedule": "fixed"},
    {"schedule": "fixed", "horizon": 50_000},
    {"gamma": 0.2},
    {"gamma": 0.2, "schedule": "fixed"},
    {"tau_factor": 0.2},
    {"t_least": 150},
    {"half": False},
    {"variant": "published"},
    {"variant": "authors"},
    {"variant": "chang-li"},
]


def assert_same_steps(configured, prefs, runs):
    """Assert that every count of a run without skipping equals that of the twin."""
    for run in range(runs):
        duels, selves = slow(Rex3ByMixture, configured, prefs, STEPS, 0, run)
        trace = fast(configured, prefs, STEPS, 0, run, fast_forward=False)
        np.testing.assert_array_equal(trace.duels, duels, f"run {run}")
        np.testing.assert_array_equal(trace.selves, selves, f"run {run}")


@pytest.mark.parametrize("prefs", WORLDS, ids=len)
def test_choices_without_skipping_equal_the_twin(prefs):
    assert_same_steps(configure(POLICY), prefs, runs=8)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_choices_without_skipping_equal_the_twin_with_settings(settings):
    assert_same_steps(configure(POLICY, **settings), CYCLIC, runs=5)
    assert_same_steps(configure(POLICY, **settings), ladder(5, 0.25), runs=2)  # with probabilities 0 and 1


@pytest.mark.parametrize(
    "settings", [{}, {"variant": "authors"}, {"gamma": 0.02}, {"variant": "chang-li"}], ids=str
)
def test_skipping_does_not_change_the_distribution(settings):
    """With 500 runs each, detects regret or a number of self-duels that is wrong by a fifth to a third of the
    deviation between runs."""
    configured, prefs, steps = configure(POLICY, **settings), ladder(5, 0.1), [50, 300, 1000, 4000]
    samples = [
        [(t.duels, t.selves) for t in (fast(configured, prefs, steps, seed, run, skip) for run in range(500))]
        for seed, skip in ((1, True), (2, False))
    ]
    assert_same_numbers(*(regrets(sample, gaps(prefs)) for sample in samples))
    assert_same_numbers(*(np.array([selves[:, 0] for _, selves in sample]) for sample in samples))
    assert_same_numbers(*(np.array([selves[:, 1] for _, selves in sample]) for sample in samples))


def test_distribution_equals_that_of_the_twin():
    """With 80 runs each, against draws from the mixture itself, detects half a deviation between runs."""
    assert_same_law(Rex3, configure(POLICY, variant="authors"), ladder(3, 0.2), [30, 300], runs=80)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"variant": "authors"}], ids=str)
@pytest.mark.parametrize("prefs", [CYCLIC, ladder(8)], ids=len)
def test_distribution_equals_that_of_the_twin_in_many_runs(prefs, settings):
    assert_same_law(Rex3, configure(POLICY, **settings), prefs, [30, 300], runs=1000)


def state_of(params, log_weight, clock):
    """Return the state after `clock` steps with these weights."""
    state = POLICY.init(len(log_weight), params, None)
    now, tree = state.now[0], state.weights.tree
    state.weights.log_weight[:], leaves = log_weight, len(tree) // 2
    tree[leaves : leaves + len(log_weight)] = np.exp(log_weight)
    add_up(tree)
    now.clock, now.leader = clock, np.argmax(log_weight)
    return state


def mixtures(log_weight, gammas):
    """Return the probability of every arm, for each gamma."""
    share = np.exp(log_weight) / np.exp(log_weight).sum()
    return [(1 - gamma) * share + gamma / len(share) for gamma in gammas]


@pytest.mark.parametrize(
    "settings, log_weight",
    [
        ({}, [-3.0, 0.0, -2.0, -4.0]),
        ({"gamma": 0.3}, [-5.0, 0.0, -0.5, -6.0]),  # another arm has a large weight too
        ({}, [0.0, -800.0]),
        ({"gamma": 0.3}, [0.0, -800.0]),
    ],
)
def test_skip_and_the_pair_after_it_have_their_exact_distribution(settings, log_weight):
    """(n, pair) has probability (p_1 ... p_n)^2 p_a p_b with the leader's p of each step; `n` is 9 if the
    limit ended the skip. 15,000 draws at steps in which gamma falls from 0.49 to 0.40."""
    params, rng = kernel_params(configure(POLICY, **settings), 100), np.random.default_rng(11)
    n_arms, clock, limit, draws = len(log_weight), 16 if len(log_weight) == 4 else 3, 9, 15_000
    gammas = [
        settings.get("gamma") or min(0.5, math.sqrt(2 * n_arms * math.log(n_arms) / (math.e * (clock + k))))
        for k in range(1, limit + 1)
    ]
    state, leader = state_of(params, log_weight, clock), int(np.argmax(log_weight))
    count, self_duels = np.zeros((limit + 1, n_arms, n_arms)), np.zeros(n_arms, np.int64)
    now = state.now[0]
    for _ in range(draws):
        now.clock = clock
        n = POLICY.idle(state, params, limit, self_duels, rng)
        assert now.clock == clock + n
        pair = POLICY.select(state, params, rng) if n < limit else (0, 0)
        assert not now.not_idle and now.leader == leader
        count[n][pair] += 1
    expected, skipped = np.zeros_like(count), 1.0
    for n, p in enumerate(mixtures(log_weight, gammas)):
        expected[n] = skipped * np.outer(p, p)
        expected[n, leader, leader] = 0.0
        skipped *= p[leader] ** 2
    expected[limit, 0, 0] = skipped
    assert count[expected == 0].sum() == 0
    count, expected = count[expected > 0], draws * expected[expected > 0]
    rare = expected < 8
    if rare.any():
        count, expected = (np.append(x[~rare], x[rare].sum()) for x in (count, expected))
    assert stats.chisquare(count, expected).pvalue > 1e-5
    assert self_duels[leader] == self_duels.sum()


def test_pairs_without_skipping_have_their_exact_distribution():
    log_weight = np.array([-1.0, 0.0, -2.0, -0.5, -30.0])
    params, rng = kernel_params(configure(POLICY, gamma=0.3), 100), np.random.default_rng(12)
    state, count, draws = state_of(params, log_weight, 5), np.zeros((5, 5)), 15_000
    for _ in range(draws):
        count[POLICY.select(state, params, rng)] += 1
    (p,) = mixtures(log_weight, [0.3])
    assert stats.chisquare(count.ravel(), draws * np.outer(p, p).ravel()).pvalue > 1e-5


def test_no_step_is_skipped_if_the_leader_has_a_small_probability_or_after_a_skip():
    rng, self_duels = np.random.default_rng(0), np.zeros(3, int)
    state, params = state_after(configure(POLICY, gamma=0.1), np.zeros((3, 3), int))
    assert POLICY.idle(state, params, 10**6, self_duels, rng) == 0
    state = state_of(params, np.array([0.0, -9.0, -9.0]), 0)
    assert 0 < POLICY.idle(state, params, 10**6, self_duels, rng) < 10**6
    assert not any(POLICY.idle(state, params, 10**6, self_duels, rng) for _ in range(20))
    assert POLICY.select(state, params, rng) != (0, 0)


def test_duel_changes_the_weights_of_both_arms():
    """Two arms, gamma 1/2 in the first four steps: the first gain is (1/2) / (2 * 2 * 1/2) = 1/4."""
    state, params = state_after(configure(POLICY), np.zeros((2, 2), int))
    now, log_weight = state.now[0], state.weights.log_weight
    POLICY.update(state, params, 1, 1, True)
    assert now.clock == 1 and not log_weight.any()
    POLICY.update(state, params, 0, 1, False)
    np.testing.assert_allclose(log_weight, [-0.25, 0.25], rtol=1e-15)
    assert now.leader == 1 == POLICY.recommend(state, params)
    p = 0.5 / (1 + math.exp(-0.5)) + 0.25  # of arm 1
    POLICY.update(state, params, 0, 1, True)
    np.testing.assert_allclose(log_weight, [-0.25 + 0.125 / (1 - p), 0.25 - 0.125 / p], rtol=1e-14)


def test_weights_neither_overflow_nor_underflow():
    """An arm of weight 1 loses to seven of weight e^-2000 until all have e^-880; then one of them wins until
    it has e^280. The twin never divides its weights."""
    configured, rng = configure(POLICY, gamma=0.5, half=False), np.random.default_rng(1)
    params, log_weight = kernel_params(configured, 1), np.array([0.0] + [-2000.0] * 7)
    twin = Rex3(8, with_horizon(configured, 1), np.random.default_rng(0))
    state, twin.log_w = state_of(params, log_weight, 0), log_weight.copy()
    weights, largest = state.weights, []
    for first, first_wins, duels in ((0, False, 8500), (1, True, 10_000)):
        for _ in range(duels):
            second = int(rng.integers(8))
            twin.select()
            twin.update(first, second, first_wins)
            POLICY.update(state, params, first, second, first_wins)
            assert 1e-200 < weights.tree[1] < 1e200
        difference = weights.log_weight - twin.log_w
        np.testing.assert_allclose(difference, difference[0], rtol=0, atol=1e-8)
        np.testing.assert_allclose(weights.tree[8:16], np.exp(weights.log_weight), rtol=1e-15)
        assert POLICY.recommend(state, params) == twin.log_w.argmax()
        largest.append(twin.log_w.max())
    # Outside the range of the sum of weights, 1e-200 to 1e200.
    assert largest[0] < -461 and largest[1] > largest[0] + 922


def test_skips_are_long_but_end_at_late_steps():
    params, rng, self_duels = kernel_params(configure(POLICY), 1), np.random.default_rng(3), np.zeros(3, int)
    state = state_of(params, np.array([0.0, -60.0, -800.0]), 10**12)
    n = POLICY.idle(state, params, 10**12, self_duels, rng)
    assert 10**4 < n < 10**8 and state.now[0].clock == 10**12 + n  # 370,000 on average
    assert 0 in POLICY.select(state, params, rng)
    assert POLICY.idle(state, params, 0, self_duels, rng) == 0
    never = kernel_params(configure(POLICY, gamma=1e-300), 1)
    state = state_of(never, np.array([0.0, -2000.0, -2000.0]), 0)
    assert POLICY.idle(state, never, 10**15, self_duels, rng) == 10**15
