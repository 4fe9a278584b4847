"""Test that RTS has the distribution of its literal twin, tests/naive/policies/rts.py, and the edge cases."""

import numpy as np
import pytest
from naive.policies.rts import Rts
from numba import njit
from support.few_steps import assert_same_few_steps
from support.policies import CYCLIC, assert_same_law, fast, ladder, state_after

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.condorcet import rts

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

RTS = configure(rts.POLICY)

CLEAR = np.array([[0, 7, 9, 8], [1, 0, 6, 3], [1, 2, 0, 4], [0, 3, 2, 0]])  # 0 is undefeated in most
TWO_BEST = np.array([[0, 6, 9, 9], [4, 0, 9, 9], [0, 0, 0, 4], [0, 0, 3, 0]])  # 0 or 1 is
NINE_TO_NIL = [[0, 9], [0, 0]]


# Equality with the twin


@pytest.mark.parametrize("wins", [np.zeros((3, 3), int), CLEAR, TWO_BEST, [[0, 5], [1, 0]]], ids=len)
def test_few_steps_have_the_distribution_of_the_twin(wins):
    # 1,500 runs a side find a pair whose probability is off by .06 nearly always, by .04 mostly.
    assert_same_few_steps(Rts, RTS, wins, runs=1500)


def test_runs_have_the_distribution_of_the_twin():
    # 120 runs: mean regrets that differ by a quarter of their standard deviation are found half of the time.
    assert_same_law(Rts, RTS, CYCLIC, [10, 60, 250], runs=240, slow_runs=120)


@pytest.mark.slow
@pytest.mark.parametrize("prefs", [ladder(2), ladder(3, 0.2), ladder(8), CYCLIC], ids=len)
def test_many_runs_have_the_distribution_of_the_twin(prefs):
    assert_same_law(Rts, RTS, prefs, [10, 100, 1000], runs=1000)


# Skipping


def test_numbers_of_skipped_steps_of_two_arms_are_geometric():
    """0 beat 1 in nine of nine: an undefeated arm duels itself with (1 - e)^2 + e^2, e = 2^-10."""
    (state, params), rng = state_after(RTS, NINE_TO_NIL), np.random.default_rng(1)
    self_duels, skipped = np.zeros(2, np.int64), np.zeros(4000, np.int64)
    idle_often(state, params, 10**9, self_duels, skipped, rng)
    p_end = 2 * 2.0**-10 - 2 * 2.0**-20
    mean, spread = 1 / p_end - 1, np.sqrt(1 - p_end) / p_end
    assert abs(skipped.mean() - mean) <= 4.5 * spread / np.sqrt(len(skipped))
    assert skipped.std() == pytest.approx(spread, rel=0.1)
    assert self_duels.sum() == skipped.sum()
    share = 2.0**-20 / (1 - p_end)  # of the other arm
    assert abs(self_duels[1] - share * self_duels.sum()) <= 4.5 * np.sqrt(share * self_duels.sum())


@njit
def idle_often(state, params, limit, self_duels, skipped, rng):
    for run in range(len(skipped)):
        skipped[run] = rts.idle(state, params, limit, self_duels, rng)


@pytest.mark.parametrize("n_arms", [2, 3, 40])
@pytest.mark.parametrize("p", [0.5, 0.7, 1.0])
def test_every_step_is_counted(n_arms, p):
    prefs = np.where(np.triu(np.ones((n_arms, n_arms)), 1) == 1, p, 1 - p)
    np.fill_diagonal(prefs, 0.5)
    steps = [1, 2, 1000, 1001, 5000]  # some of them skipped
    trace = fast(RTS, prefs, steps, seed=1, run=0)
    assert (trace.duels.sum(axis=1) // 2 + trace.selves.sum(axis=1)).tolist() == steps
    assert (np.diff(trace.duels, axis=0) >= 0).all()
    assert (np.diff(trace.selves, axis=0) >= 0).all()


def test_trillion_steps():
    """Duels are certain, so nearly all steps are self-duels of the best arm."""
    trace = fast(RTS, ladder(5, 0.5), [10**6, 10**12], seed=2, run=0)
    assert trace.recommended.tolist() == [0, 0]
    assert trace.selves[1, 0] > 10**12 - 5000


def test_counts_beyond_32_bits():
    """With the posterior after 2^40 wins nothing overflows, and arm 0 is certain to be undefeated."""
    (state, params), rng = state_after(RTS, np.zeros((3, 3), int)), np.random.default_rng(1)
    wins, above_half = state.posterior.wins, state.posterior.above_half
    wins[0, 1:], wins[1:, 0] = 2**40, 2**20
    above_half.neg_log[0, 1:], above_half.neg_log[1:, 0] = 0.0, 1e12
    above_half.probability[0, 1:], above_half.probability[1:, 0] = 1.0, 0.0
    above_half.log_g[0, 1:] = -1e12
    rts.update(state, params, 0, 1, True)
    rts.update(state, params, 2, 0, False)
    rts.update(state, params, 1, 2, True)
    assert state.posterior.undefeated.neg_log[0] == 0.0
    self_duels = np.zeros(3, np.int64)
    assert rts.idle(state, params, 10**15, self_duels, rng) == 10**15
    assert self_duels.tolist() == [10**15, 0, 0]
    assert rts.select(state, params, rng) == (0, 0)
