"""RTS: the fast form follows the law of the twin that draws every sample."""

import numpy as np
import pytest
from naive.policies.rts import Rts
from numba import njit
from support.few_steps import assert_same_few_steps, recorded
from support.policies import CYCLIC, assert_same_law, fast, ladder

from bandits.contract import configure
from bandits.policies.condorcet import rts
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

RTS = configure(rts.POLICY)
CLEAR = np.array([[0, 7, 9, 8], [1, 0, 6, 3], [1, 2, 0, 4], [0, 3, 2, 0]])  # 0 beats all in most tournaments
RIVALS = np.array([[0, 6, 9, 9], [4, 0, 9, 9], [0, 0, 0, 4], [0, 0, 3, 0]])  # 0 or 1 does


@pytest.mark.parametrize("wins", [np.zeros((3, 3), int), CLEAR, RIVALS, [[0, 5], [1, 0]]], ids=len)
def test_few_steps_have_the_twins_law(wins):
    # 1,500 runs a side find a pair whose chance is off by .06 nearly always, by .04 mostly.
    assert_same_few_steps(Rts, RTS, wins, runs=1500)


def test_law_is_the_twins():
    # 120 runs: mean regrets that differ by a quarter of their standard deviation are found half of the time.
    assert_same_law(Rts, RTS, CYCLIC, [10, 60, 250], runs=240, slow_runs=120)


@pytest.mark.slow
@pytest.mark.parametrize("prefs", [ladder(2), ladder(3, 0.2), ladder(8), CYCLIC], ids=len)
def test_law_is_the_twins_in_many_runs(prefs):
    assert_same_law(Rts, RTS, prefs, [10, 100, 1000], runs=1000)


def test_idle_stretches_of_two_arms_are_geometric():
    """0 beat 1 nine times: P(champion 0 meets itself) + P(champion 1 does) = (1 - e)^2 + e^2, e = 2^-10."""
    state, selves, rng = recorded(RTS, [[0, 9], [0, 0]]), np.zeros(2, np.int64), np.random.default_rng(1)
    stretches = np.zeros(4000, np.int64)
    idle_often(state, RTS.params, 10**9, selves, stretches, rng)
    ending = 2 * 2.0**-10 - 2 * 2.0**-20
    mean, spread = 1 / ending - 1, np.sqrt(1 - ending) / ending
    assert abs(stretches.mean() - mean) <= 4.5 * spread / np.sqrt(len(stretches))
    assert stretches.std() == pytest.approx(spread, rel=0.1)
    assert selves.sum() == stretches.sum()
    share = 2.0**-20 / (1 - ending)  # of the other champion
    assert abs(selves[1] - share * selves.sum()) <= 4.5 * np.sqrt(share * selves.sum())


@njit
def idle_often(state, params, limit, selves, stretches, rng):
    for run in range(len(stretches)):
        stretches[run] = rts.idle(state, params, limit, selves, rng)


@pytest.mark.parametrize("n_arms", [2, 3, 40])
@pytest.mark.parametrize("p", [0.5, 0.7, 1.0])
def test_every_step_is_counted(n_arms, p):
    prefs = np.where(np.triu(np.ones((n_arms, n_arms)), 1) == 1, p, 1 - p)
    np.fill_diagonal(prefs, 0.5)
    steps = [1, 2, 1000, 1001, 5000]  # some within idle stretches
    trace = fast(RTS, prefs, steps, seed=1, run=0)
    assert (trace.duels.sum(axis=1) // 2 + trace.selves.sum(axis=1)).tolist() == steps
    assert (np.diff(trace.duels, axis=0) >= 0).all()
    assert (np.diff(trace.selves, axis=0) >= 0).all()


def test_very_long_runs():
    """After 10^12 steps of certain duels nearly all were of the best arm with itself."""
    trace = fast(RTS, ladder(5, 0.5), [10**6, 10**12], seed=2, run=0)
    assert trace.recommended.tolist() == [0, 0]
    assert trace.selves[1, 0] > 10**12 - 5000


def test_counts_beyond_32_bits():
    """What 2^40 wins would leave behind: nothing overflows, and the champion is certain."""
    state = recorded(RTS, np.zeros((3, 3), int))
    beliefs, selves = state.beliefs, np.zeros(3, np.int64)
    beliefs.wins[0, 1:], beliefs.wins[1:, 0] = 2**40, 2**20
    beliefs.odds.minus_log[0, 1:], beliefs.odds.minus_log[1:, 0] = 0.0, 1e12
    beliefs.odds.chance[0, 1:], beliefs.odds.chance[1:, 0] = 1.0, 0.0
    beliefs.odds.log_g[0, 1:] = -1e12
    params, rng = kernel_params(RTS, 1), np.random.default_rng(1)
    rts.update(state, 0, 1, True)
    rts.update(state, 2, 0, False)
    rts.update(state, 1, 2, True)
    assert beliefs.champions.exponent[0] == 0.0
    assert rts.idle(state, params, 10**15, selves, rng) == 10**15
    assert selves.tolist() == [10**15, 0, 0]
    assert rts.select(state, params, rng) == (0, 0)
