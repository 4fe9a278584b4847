"""Sparring: with UCB and EXP3 choice by choice its naive twin's, with Thompson sampling by law."""

import numpy as np
import pytest
from naive.policies.sparring import Sparring
from support.policies import (
    CYCLIC,
    assert_same_choices,
    assert_same_law,
    assert_same_pairs,
    fast,
    ladder,
    with_horizon,
)

from bandits.contract import configure
from bandits.policies.condorcet.sparring import POLICY
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 100, 700]
MATRICES = [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)]
HISTORY = [(0, 1, True), (0, 2, True), (2, 1, False), (3, 0, True), (1, 0, True), (2, 3, False), (0, 4, True)]


@pytest.mark.parametrize("prefs", MATRICES, ids=len)
def test_choices_with_ucb(prefs):
    assert_same_choices(Sparring, configure(POLICY), prefs, STEPS, runs=20)


@pytest.mark.parametrize("prefs", MATRICES, ids=len)
def test_choices_with_exp3(prefs):
    assert_same_choices(Sparring, configure(POLICY, variant="exp3"), prefs, STEPS, runs=15)


@pytest.mark.parametrize(
    "settings",
    [
        {"variant": "ucb1"},
        {"alpha": 0.5},
        {"inner": "exp3", "schedule": "anytime"},
        {"inner": "exp3", "horizon": 200},
        {"inner": "exp3", "horizon": 10**6},
    ],
)
def test_choices_with_switches(settings):
    assert_same_choices(Sparring, configure(POLICY, **settings), CYCLIC, STEPS, runs=20)


def test_exp3_weights_that_outgrow_a_double():
    """gamma is 0.8 for the whole run: log-weights beyond 1000, if not taken relative to the largest."""
    certain = np.array([[0.5, 0.0, 0.0], [1.0, 0.5, 0.0], [1.0, 1.0, 0.5]])
    configured = configure(POLICY, inner="exp3", horizon=3)
    assert_same_choices(Sparring, configured, certain, [1000, 5000], runs=2)


@pytest.mark.parametrize("prefs", [ladder(3, 0.2), CYCLIC], ids=len)
def test_law_with_thompson(prefs):
    """Sees mean regrets that differ by 4.5 standard errors: some 15 % of the twin's at the last step."""
    configured = configure(POLICY, variant="ts")
    assert_same_law(Sparring, configured, prefs, [3, 30, 300], runs=200, slow_runs=100)


@pytest.mark.slow
@pytest.mark.parametrize("prefs", [ladder(2), CYCLIC, ladder(8), ladder(40, 0.01)], ids=len)
def test_law_with_thompson_and_many_runs(prefs):
    """A thousand runs: sees 5 % at the last step."""
    assert_same_law(Sparring, configure(POLICY, variant="ts"), prefs, [3, 30, 300], runs=1000)


@pytest.mark.parametrize("rounds", [1, 12])
def test_one_thompson_step_after_a_history(rounds):
    """Chi-square over the 25 pairs: sees one of chance 0.1 that is off by a tenth."""
    configured, rng = configure(POLICY, variant="ts"), np.random.default_rng(rounds)
    params = kernel_params(configured, 100)
    state, twin = POLICY.init(5, params, rng), Sparring(5, with_horizon(configured, 100), rng)
    twin.coin = None
    for first, second, first_won in HISTORY * rounds:
        POLICY.update(state, first, second, first_won)
        twin.update(first, second, first_won)
    pairs = np.zeros((2, 5, 5))
    for _ in range(10_000):
        pairs[0][POLICY.select(state, params, rng)] += 1
        pairs[1][twin.select()] += 1
    assert_same_pairs(*pairs)


@pytest.mark.parametrize("inner", ["ucb", "thompson", "exp3"])
def test_every_step_has_one_reward(inner):
    params, rng = kernel_params(configure(POLICY, inner=inner), 300), np.random.default_rng(0)
    state, n_selves, coins = POLICY.init(3, params, rng), 0, 0
    for t in range(1, 301):
        first, second = POLICY.select(state, params, rng)
        POLICY.update(state, first, second, first < second)
        n_selves += first == second
        coins += state.now[1] if first == second else 0
        assert state.gains.sum() == t and state.plays.sum() == 2 * t
    assert 0 < coins < n_selves
    assert POLICY.recommend(state) == 0


def test_recommends_the_best_pooled_mean():
    params = kernel_params(configure(POLICY), 10)
    state = POLICY.init(3, params, None)
    assert POLICY.recommend(state) == 0
    POLICY.update(state, 1, 2, False)  # arm 2 alone has a reward; arm 0 was never played
    assert POLICY.recommend(state) == 2
    POLICY.update(state, 2, 1, False)
    POLICY.update(state, 1, 0, True)
    assert POLICY.recommend(state) == 1  # 2 of 3 against 1 of 2 and 0 of 1


@pytest.mark.parametrize("inner", ["ucb", "thompson", "exp3"])
def test_late_and_large(inner):
    """Times and counts of a very long run: choices stay those of the arm far ahead."""
    params, rng = kernel_params(configure(POLICY, inner=inner), 10**12), np.random.default_rng(0)
    state, n = POLICY.init(2, params, None), 2.0**38
    state.now[0] = 10**12 - 1
    state.ucb.plays[:], state.ucb.gains[:] = [n, n], [0.6 * n, 0.4 * n]
    state.ucb.mean[:], state.ucb.width[:] = [0.6, 0.4], n**-0.5
    state.thompson.counts[:] = [[0.6 * n, 0.4 * n], [0.4 * n, 0.6 * n]]
    state.thompson.burden[:] = np.inf
    state.exp3.log_weight[:], state.exp3.weights[:] = [0, -1e4], [0, 1, 1, 0]
    for _ in range(50):
        assert POLICY.select(state, params, rng) == (0, 0)
        POLICY.update(state, 0, 0, True)
    assert (state.ucb.plays[:, 0] if inner == "ucb" else state.plays[:1] / 2 + n).tolist()[0] == n + 50


def test_one_step():
    for inner in ("ucb", "thompson", "exp3"):
        trace = fast(configure(POLICY, inner=inner), ladder(3), [1], 0, 0)
        assert trace.duels.sum() + 2 * trace.selves.sum() == 2
