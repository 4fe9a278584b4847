"""RCS: the fast form follows the law of the twin that draws every sample and computes every bound."""

import numpy as np
import pytest
from naive.policies.rcs import Rcs
from support.few_steps import assert_same_few_steps, recorded
from support.policies import CYCLIC, assert_same_law, fast, ladder

from bandits.contract import configure
from bandits.parts.picks import NO_ARM
from bandits.policies.condorcet import rcs
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

RCS = configure(rcs.POLICY)
CLEAR = np.array([[0, 7, 9, 8], [1, 0, 6, 3], [1, 2, 0, 4], [0, 3, 2, 0]])  # 0 beats all in most tournaments
SURE = np.array([[0, 9, 12], [0, 0, 6], [1, 1, 0]])  # and is confident of it
SHAKY = np.array([[0, 30, 30], [20, 0, 0], [1, 0, 0]])  # the champion may be 1; only 0 against 2 is sure


@pytest.mark.parametrize(
    ("wins", "settings"),
    [
        (np.zeros((3, 3), int), {}),
        (CLEAR, {}),
        (SURE, {"alpha": 0.3}),
        (SURE, {"alpha": 0.6, "unvisited_u": 1}),
        (SHAKY, {"alpha": 0.05, "unvisited_u": np.inf}),
        ([[0, 7], [0, 0]], {}),
    ],
)
def test_few_steps_have_the_twins_law(wins, settings):
    # 1,500 runs a side find a pair whose chance is off by .06 nearly always, by .04 mostly.
    assert_same_few_steps(Rcs, configure(rcs.POLICY, **settings), wins, runs=1500)


def test_law_is_the_twins():
    # 120 runs: mean regrets that differ by a quarter of their standard deviation are found half of the time.
    configured = configure(rcs.POLICY, alpha=0.2)
    assert_same_law(Rcs, configured, ladder(3, 0.2), [10, 60, 300], runs=240, slow_runs=120)


@pytest.mark.slow
@pytest.mark.parametrize("prefs", [ladder(2), ladder(3, 0.2), ladder(8), CYCLIC], ids=len)
def test_law_is_the_twins_in_many_runs(prefs):
    assert_same_law(Rcs, RCS, prefs, [10, 100, 1000], runs=1000)


def test_fallback_takes_who_was_champion_least_often():
    """In a circle of sure wins nobody beats everybody: the turns are even."""
    wins = np.array([[0, 60, 0], [0, 0, 60], [60, 0, 0]])
    state, params, rng = recorded(RCS, wins), kernel_params(RCS, 1), np.random.default_rng(1)
    firsts = [rcs.select(state, params, rng)[0] for _ in range(30)]
    for start in range(0, 30, 3):
        assert sorted(firsts[start : start + 3]) == [0, 1, 2]
    assert (-state.minus_times).tolist() == [10, 10, 10]


def test_idle_ends_by_chance_or_when_confidence_does():
    """0 beat 1 nine times: sure of it up to step e^(9 / 2.004) = 89.2, champion but for a chance of 2^-10."""
    params, rng, selves = kernel_params(RCS, 1), np.random.default_rng(1), np.zeros(2, np.int64)
    state, runs, n_full = recorded(RCS, [[0, 9], [0, 0]]), 4000, 0
    for _ in range(runs):
        state.now[:] = 9, NO_ARM
        n = rcs.idle(state, params, 10**9, selves, rng)
        assert 0 <= n <= 80  # steps 10 to 89
        assert state.now.tolist() == [9 + n, NO_ARM if n == 80 else 0]
        n_full += n == 80
    chance = (1 - 2.0**-10) ** 80
    assert abs(n_full - runs * chance) <= 4.5 * np.sqrt(runs * chance * (1 - chance))
    assert -state.minus_times[0] == selves[0]
    assert selves[1] == 0


def test_step_after_idle_ones_has_another_champion():
    """Of two arms, 0 is passed over: 1 beats everybody, for there is no tie."""
    state, params, rng = recorded(RCS, [[0, 9], [0, 0]]), kernel_params(RCS, 1), np.random.default_rng(1)
    state.now[rcs.PASSED_OVER] = 0
    assert rcs.select(state, params, rng) == (1, 0)
    assert state.now[rcs.PASSED_OVER] == NO_ARM


@pytest.mark.parametrize("n_arms", [2, 3, 20])
@pytest.mark.parametrize("p", [0.5, 0.7, 1.0])
def test_every_step_is_counted(n_arms, p):
    prefs = np.where(np.triu(np.ones((n_arms, n_arms)), 1) == 1, p, 1 - p)
    np.fill_diagonal(prefs, 0.5)
    steps = [1, 2, 1000, 1001, 5000]  # some within idle stretches
    trace = fast(RCS, prefs, steps, seed=1, run=0)
    assert (trace.duels.sum(axis=1) // 2 + trace.selves.sum(axis=1)).tolist() == steps


def test_very_long_runs():
    trace = fast(RCS, ladder(5, 0.5), [10**6, 10**12], seed=2, run=0)
    assert trace.recommended.tolist() == [0, 0]
    assert trace.selves[1, 0] > 10**12 - 5000
