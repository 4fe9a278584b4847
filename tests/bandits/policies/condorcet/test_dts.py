"""Test that DTS and D-TS+ have the distribution of their literal twin, tests/naive/policies/dts.py."""

import copy

import numpy as np
import pytest
from naive.policies.dts import Dts
from support.few_steps import assert_same_few_steps
from support.policies import CYCLIC, assert_same_law, fast, ladder, state_after

from rankduel.bandits.contract import configure
from rankduel.bandits.parts.bounds import NEVER, beaten
from rankduel.bandits.policies.condorcet import dts

pytestmark = pytest.mark.kernel

DTS = configure(dts.POLICY)

# Tables of wins, with the arms that are likely to be first.
EVEN = np.zeros((4, 4), int)
CLEAR = np.array([[0, 7, 9, 8], [1, 0, 6, 3], [1, 2, 0, 4], [0, 3, 2, 0]])  # 0 is undefeated in most
TWO_BEST = np.array([[0, 6, 9, 9], [4, 0, 9, 9], [0, 0, 0, 4], [0, 0, 3, 0]])  # 0 or 1 is
CYCLE = np.array([[0, 9, 0, 5], [0, 0, 9, 5], [9, 0, 0, 5], [1, 1, 1, 0]])  # three arms have one beater each
ONE_BEATER = np.array([[0, 0, 9, 9], [9, 0, 0, 0], [0, 9, 0, 0], [0, 9, 9, 0]])  # only 0 has just one beater
TIED = np.array([[0, 40, 12, 30], [20, 0, 30, 30], [30, 10, 0, 10], [12, 10, 30, 0]])  # 0 and 1, mostly
SIX = np.array([[0, 3, 2, 5, 4, 1], [2, 0, 4, 3, 3, 2], [3, 1, 0, 2, 2, 2]] + [[1, 1, 2, 0, 1, 2]] * 3)
SIX *= 1 - np.eye(6, dtype=int)
NINE_TO_NIL = [[0, 9], [0, 0]]
NARROW = {"alpha": 0.8**7}


@pytest.fixture
def rng():
    return np.random.default_rng(1)


# Equality with the twin


@pytest.mark.parametrize(
    ("wins", "settings"),
    [
        (EVEN, {}),
        (TWO_BEST, {}),
        (TIED, {"plus": True, "alpha": 5}),  # with random ties, 0 would be first in .49 and not .31
        (CYCLE, NARROW),
        (ONE_BEATER, NARROW),
        (CLEAR, {"w0": 1, "alpha": 0.1}),
    ],
)
def test_few_steps_have_the_distribution_of_the_twin(wins, settings):
    # 1,500 runs a side find a pair whose probability is off by .06 nearly always, by .04 mostly.
    assert_same_few_steps(Dts, configure(dts.POLICY, **settings), wins, runs=1500)


def test_runs_have_the_distribution_of_the_twin():
    # 120 runs: mean regrets that differ by a quarter of their standard deviation are found half of the time.
    assert_same_law(Dts, configure(dts.POLICY, **NARROW), CYCLIC, [10, 60, 250], runs=240, slow_runs=120)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, NARROW, {"plus": True}, {"w0": 1}], ids=str)
@pytest.mark.parametrize("wins", [EVEN, CLEAR, TWO_BEST, CYCLE, ONE_BEATER, TIED, SIX], ids=str)
def test_few_steps_in_many_runs_have_the_distribution_of_the_twin(wins, settings):
    assert_same_few_steps(Dts, configure(dts.POLICY, **settings), wins, runs=10_000)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, NARROW, {"plus": True}, {"w0": 1}], ids=str)
@pytest.mark.parametrize("prefs", [ladder(2), ladder(3, 0.2), ladder(8), CYCLIC], ids=len)
def test_many_runs_have_the_distribution_of_the_twin(prefs, settings):
    assert_same_law(Dts, configure(dts.POLICY, **settings), prefs, [10, 100, 1000], runs=1000)


# Phase 1: the candidates


@pytest.mark.parametrize("w0", [0, 1])
def test_candidates_have_the_fewest_beaters(w0, rng):
    """In a run with skipped steps, candidates and beaters equal those from all bounds."""
    state, params = state_after(configure(dts.POLICY, alpha=0.3, w0=w0), np.zeros((6, 6), int))
    prefs, self_duels = ladder(6, 0.08), np.zeros(6, np.int64)
    for _ in range(400):
        dts.idle(state, params, int(rng.integers(1, 50)), self_duels, rng)
        first, second = dts.select(state, params, rng)
        dts.update(state, params, first, second, bool(rng.random() < prefs[first, second]))
        t = state.now[0].clock + 1
        wins = state.posterior.wins + w0 * (1 - np.eye(6, dtype=int))
        beats = [[beaten(wins[i, j], wins[j, i], 0.3, np.log(t)) for j in range(6)] for i in range(6)]
        n_beaters = np.sum(beats, axis=1)
        n_candidates = dts._prune_by_upper_bounds(state, t)
        assert n_candidates == (n_beaters == n_beaters.min()).sum()
        np.testing.assert_array_equal(state.arms[:n_candidates], np.flatnonzero(n_beaters == n_beaters.min()))
        assert state.now[0].n_candidates == n_candidates
        assert state.now[0].n_beaters == n_beaters.min()
        np.testing.assert_array_equal(state.beaters.until > t, beats)


# Phase 2: the second arm


def test_first_arm_duels_itself_if_its_beater_is_excluded_and_the_other_arms_are_certain_to_lose(rng):
    """In a cycle of three every arm has one beater, which may not be second."""
    state, params = state_after(DTS, [[0, 90, 0], [0, 0, 90], [90, 0, 0]])
    pairs = {dts.select(state, params, rng) for _ in range(100)}
    assert pairs == {(0, 0), (1, 1), (2, 2)}


# Skipping


def test_idle_ends_at_random_or_when_confidence_ends(rng):
    """0 beat 1 in nine of nine: only candidate up to step e^(9 / 2.04) = 82.4; 1 above 1/2 with 2^-10."""
    start, params = state_after(DTS, NINE_TO_NIL)
    self_duels, runs, n_full = np.zeros(2, np.int64), 4000, 0
    for _ in range(runs):
        state = copy.deepcopy(start)
        n = dts.idle(state, params, 10**9, self_duels, rng)
        assert 0 <= n <= 73  # steps 10 to 82
        assert state.now[0].clock == 9 + n
        assert state.now[0].not_idle == (n < 73)
        n_full += n == 73
    p_full = (1 - 2.0**-10) ** 73
    assert abs(n_full - runs * p_full) <= 4.5 * np.sqrt(runs * p_full * (1 - p_full))
    assert self_duels[1] == 0


def test_step_after_idle_ones_is_a_duel_of_the_only_candidate(rng):
    start, params = state_after(DTS, NINE_TO_NIL)
    state = start
    while not state.now[0].not_idle:  # until idle steps end at random
        state = copy.deepcopy(start)
        dts.idle(state, params, 10**9, np.zeros(2, np.int64), rng)
    assert dts.select(state, params, rng) == (0, 1)
    assert not state.now[0].not_idle


@pytest.mark.parametrize("n_arms", [2, 3, 40])
@pytest.mark.parametrize("p", [0.5, 0.7, 1.0])
@pytest.mark.parametrize("plus", [False, True])
def test_every_step_is_counted(n_arms, p, plus):
    prefs = np.where(np.triu(np.ones((n_arms, n_arms)), 1) == 1, p, 1 - p)
    np.fill_diagonal(prefs, 0.5)
    steps = [1, 2, 1000, 1001, 5000]  # some of them skipped
    trace = fast(configure(dts.POLICY, plus=plus), prefs, steps, seed=1, run=0)
    assert (trace.duels.sum(axis=1) // 2 + trace.selves.sum(axis=1)).tolist() == steps


def test_trillion_steps():
    trace = fast(DTS, ladder(5, 0.5), [10**6, 10**12], seed=2, run=0)
    assert trace.recommended.tolist() == [0, 0]
    assert trace.selves[1, 0] > 10**12 - 5000


def test_counts_beyond_32_bits(rng):
    """With the posterior after 2^40 wins, at step 10^12, nothing overflows, and arm 0 is undefeated."""
    state, params = state_after(DTS, np.zeros((3, 3), int))
    wins, above_half = state.posterior.wins, state.posterior.above_half
    wins[0, 1:], wins[1:, 0] = 2**40, 2**20
    above_half.neg_log[0, 1:], above_half.neg_log[1:, 0] = 0.0, 1e12
    above_half.probability[0, 1:], above_half.probability[1:, 0] = 1.0, 0.0
    above_half.log_g[0, 1:] = -1e12
    state.now[0].clock = 10**12
    dts.update(state, params, 0, 1, True)
    dts.update(state, params, 2, 0, False)
    assert state.beaters.until[1:, 0].tolist() == [NEVER, NEVER]
    self_duels = np.zeros(3, np.int64)
    assert dts.idle(state, params, 10**15, self_duels, rng) == 10**15
    assert self_duels.tolist() == [10**15, 0, 0]
    assert dts.select(state, params, rng) == (0, 0)
