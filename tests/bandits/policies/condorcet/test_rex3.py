"""REX3: plain steps are the twin's choice by choice, and skipped ones have the law of plain steps."""

import math

import numpy as np
import pytest
from naive.policies.rex3 import Rex3, Rex3ByCoin
from scipy import stats
from support.policies import CYCLIC, assert_same_law, assert_same_numbers, fast, ladder, regrets, slow

from bandits.contract import configure
from bandits.matrix_duels import gaps
from bandits.parts.sum_tree import add_up
from bandits.policies.condorcet.rex3 import CLOCK, LEADER, NOT_LEADER, POLICY
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
    for run in range(runs):
        duels, selves = slow(Rex3ByCoin, configured, prefs, STEPS, 0, run)
        trace = fast(configured, prefs, STEPS, 0, run, fast_forward=False)
        np.testing.assert_array_equal(trace.duels, duels, f"run {run}")
        np.testing.assert_array_equal(trace.selves, selves, f"run {run}")


@pytest.mark.parametrize("prefs", WORLDS, ids=len)
def test_plain_steps_are_the_twins(prefs):
    assert_same_steps(configure(POLICY), prefs, runs=8)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_plain_steps_are_the_twins_with_every_switch(settings):
    assert_same_steps(configure(POLICY, **settings), CYCLIC, runs=5)
    assert_same_steps(configure(POLICY, **settings), ladder(5, 0.25), runs=2)  # chances 0 and 1 among them


@pytest.mark.parametrize(
    "settings", [{}, {"variant": "authors"}, {"gamma": 0.02}, {"variant": "chang-li"}], ids=str
)
def test_skipping_keeps_the_law(settings):
    """500 runs each: detects regret or a number of self-duels that is off by a fifth to a third of the
    deviation between runs."""
    configured, prefs, steps = configure(POLICY, **settings), ladder(5, 0.1), [50, 300, 1000, 4000]
    samples = [
        [(t.duels, t.selves) for t in (fast(configured, prefs, steps, seed, run, skip) for run in range(500))]
        for seed, skip in ((1, True), (2, False))
    ]
    assert_same_numbers(*(regrets(sample, gaps(prefs)) for sample in samples))
    assert_same_numbers(*(np.array([selves[:, 0] for _, selves in sample]) for sample in samples))
    assert_same_numbers(*(np.array([selves[:, 1] for _, selves in sample]) for sample in samples))


def test_law_is_the_twins():
    """80 runs each, against draws from the mixture itself: detects half a deviation between runs."""
    assert_same_law(Rex3, configure(POLICY, variant="authors"), ladder(3, 0.2), [30, 300], runs=80)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"variant": "authors"}], ids=str)
@pytest.mark.parametrize("prefs", [CYCLIC, ladder(8)], ids=len)
def test_law_is_the_twins_in_many_runs(prefs, settings):
    assert_same_law(Rex3, configure(POLICY, **settings), prefs, [30, 300], runs=1000)


def state_of(params, log_weight, clock):
    state = POLICY.init(len(log_weight), params, None)
    state.log_weight[:], leaves = log_weight, len(state.weights) // 2
    state.weights[leaves : leaves + len(log_weight)] = np.exp(log_weight)
    add_up(state.weights)
    state.now[:] = clock, np.argmax(log_weight), 0
    return state


def mixtures(log_weight, gammas):
    share = np.exp(log_weight) / np.exp(log_weight).sum()
    return [(1 - gamma) * share + gamma / len(share) for gamma in gammas]


@pytest.mark.parametrize(
    "settings, log_weight",
    [
        ({}, [-3.0, 0.0, -2.0, -4.0]),
        ({"gamma": 0.3}, [-5.0, 0.0, -0.5, -6.0]),  # one of the others is heavy too
        ({}, [0.0, -800.0]),
        ({"gamma": 0.3}, [0.0, -800.0]),
    ],
)
def test_a_skip_and_the_pair_after_it_have_their_exact_law(settings, log_weight):
    """(n, pair) has chance (p_1 ... p_n)^2 p_a p_b with the leader's p of each step; `n` is 9 if the skip
    was cut there. 15,000 draws at steps in which gamma falls from .49 to .40."""
    params, rng = kernel_params(configure(POLICY, **settings), 100), np.random.default_rng(11)
    n_arms, clock, limit, draws = len(log_weight), 16 if len(log_weight) == 4 else 3, 9, 15_000
    gammas = [
        settings.get("gamma") or min(0.5, math.sqrt(2 * n_arms * math.log(n_arms) / (math.e * (clock + k))))
        for k in range(1, limit + 1)
    ]
    state, leader = state_of(params, log_weight, clock), int(np.argmax(log_weight))
    count, selves = np.zeros((limit + 1, n_arms, n_arms)), np.zeros(n_arms, np.int64)
    for _ in range(draws):
        state.now[:] = clock, leader, 0
        n = POLICY.idle(state, params, limit, selves, rng)
        assert state.now[CLOCK] == clock + n
        pair = POLICY.select(state, params, rng) if n < limit else (0, 0)
        assert state.now[NOT_LEADER] == 0
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
    assert selves[leader] == selves.sum()


def test_plain_pairs_have_their_exact_law():
    log_weight = np.array([-1.0, 0.0, -2.0, -0.5, -30.0])
    params, rng = kernel_params(configure(POLICY, gamma=0.3), 100), np.random.default_rng(12)
    state, count, draws = state_of(params, log_weight, 5), np.zeros((5, 5)), 15_000
    for _ in range(draws):
        count[POLICY.select(state, params, rng)] += 1
    (p,) = mixtures(log_weight, [0.3])
    assert stats.chisquare(count.ravel(), draws * np.outer(p, p).ravel()).pvalue > 1e-5


def test_a_light_leader_is_not_skipped_and_a_known_pair_stays_known():
    params, rng, selves = (
        kernel_params(configure(POLICY, gamma=0.1), 1),
        np.random.default_rng(0),
        np.zeros(3, int),
    )
    assert POLICY.idle(state_of(params, np.zeros(3), 0), params, 10**6, selves, rng) == 0
    state = state_of(params, np.array([0.0, -9.0, -9.0]), 0)
    assert 0 < POLICY.idle(state, params, 10**6, selves, rng) < 10**6
    assert not any(POLICY.idle(state, params, 10**6, selves, rng) for _ in range(20))
    assert POLICY.select(state, params, rng) != (0, 0)


def test_the_first_duels_by_hand():
    """Two arms, gamma 1/2, even chances: the gain is (1/2) / (2 * 2 * 1/2) = 1/4 at first."""
    state = POLICY.init(2, kernel_params(configure(POLICY), 100), None)
    POLICY.update(state, 1, 1, True)
    assert state.now[CLOCK] == 1 and not state.log_weight.any()
    state.now[CLOCK] = 0
    POLICY.update(state, 0, 1, False)
    np.testing.assert_allclose(state.log_weight, [-0.25, 0.25], rtol=1e-15)
    assert state.now[LEADER] == 1 == POLICY.recommend(state)
    p = 0.5 / (1 + math.exp(-0.5)) + 0.25  # of arm 1
    POLICY.update(state, 0, 1, True)
    np.testing.assert_allclose(state.log_weight, [-0.25 + 0.125 / (1 - p), 0.25 - 0.125 / p], rtol=1e-14)


def test_weights_neither_overflow_nor_vanish():
    """A heavy arm loses to seven of weight e^-2000 until they are even, at e^-880; then one of them wins
    until it is at e^280. The twin's log weights are never rescaled."""
    configured, rng = configure(POLICY, gamma=0.5, half=False), np.random.default_rng(1)
    log_weight = np.array([0.0] + [-2000.0] * 7)
    twin = Rex3(8, configured.params, np.random.default_rng(0))
    state, twin.log_w = state_of(kernel_params(configured, 1), log_weight, 0), log_weight.copy()
    heaviest = []
    for first, first_wins, duels in ((0, False, 8500), (1, True, 10_000)):
        for _ in range(duels):
            second = int(rng.integers(8))
            twin.select()
            twin.update(first, second, first_wins)
            POLICY.update(state, first, second, first_wins)
            assert 1e-200 < state.weights[1] < 1e200
        difference = state.log_weight - twin.log_w
        np.testing.assert_allclose(difference, difference[0], rtol=0, atol=1e-8)
        np.testing.assert_allclose(state.weights[8:16], np.exp(state.log_weight), rtol=1e-15)
        assert POLICY.recommend(state) == twin.log_w.argmax()
        heaviest.append(twin.log_w.max())
    # Further than the sum may go, 200 decades either way.
    assert heaviest[0] < -461 and heaviest[1] > heaviest[0] + 922


def test_late_steps():
    """At step 10^12 gamma is tiny, and skips are long but end."""
    params, rng, selves = kernel_params(configure(POLICY), 1), np.random.default_rng(3), np.zeros(3, int)
    state = state_of(params, np.array([0.0, -60.0, -800.0]), 10**12)
    n = POLICY.idle(state, params, 10**12, selves, rng)
    assert 10**4 < n < 10**8 and state.now[CLOCK] == 10**12 + n  # one in 370,000 on average
    assert 0 in POLICY.select(state, params, rng)
    assert POLICY.idle(state, kernel_params(configure(POLICY), 1), 0, selves, rng) == 0
    never = kernel_params(configure(POLICY, gamma=1e-300), 1)
    state = state_of(never, np.array([0.0, -2000.0, -2000.0]), 0)
    assert POLICY.idle(state, never, 10**15, selves, rng) == 10**15
