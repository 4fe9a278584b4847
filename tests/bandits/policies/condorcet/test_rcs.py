"""Test that RCS has the distribution of its literal twin, tests/naive/policies/rcs.py, and the edge cases."""

import copy

import numpy as np
import pytest
from naive.policies.rcs import Rcs
from support.few_steps import assert_same_few_steps
from support.policies import CYCLIC, assert_same_law, fast, ladder, state_after

from rankduel.bandits.contract import configure
from rankduel.bandits.parts.picks import NO_ARM
from rankduel.bandits.policies.condorcet import rcs

pytestmark = pytest.mark.kernel

RCS = configure(rcs.POLICY)

CLEAR = np.array([[0, 7, 9, 8], [1, 0, 6, 3], [1, 2, 0, 4], [0, 3, 2, 0]])  # 0 is undefeated in most
CONFIDENT = np.array([[0, 9, 12], [0, 0, 6], [1, 1, 0]])  # and confidently beats all
DOUBTFUL = np.array([[0, 30, 30], [20, 0, 0], [1, 0, 0]])  # 1 may be champion; 0 confidently beats only 2
NINE_TO_NIL = [[0, 9], [0, 0]]


@pytest.fixture
def rng():
    return np.random.default_rng(1)


# Equality with the twin


@pytest.mark.parametrize(
    ("wins", "settings"),
    [
        (np.zeros((3, 3), int), {}),
        (CLEAR, {}),
        (CONFIDENT, {"alpha": 0.3}),
        (CONFIDENT, {"alpha": 0.6, "unvisited_u": 1}),
        (DOUBTFUL, {"alpha": 0.05, "unvisited_u": np.inf}),
        ([[0, 7], [0, 0]], {}),
    ],
)
def test_few_steps_have_the_distribution_of_the_twin(wins, settings):
    # 1,500 runs a side find a pair whose probability is off by .06 nearly always, by .04 mostly.
    assert_same_few_steps(Rcs, configure(rcs.POLICY, **settings), wins, runs=1500)


def test_runs_have_the_distribution_of_the_twin():
    # 120 runs: mean regrets that differ by a quarter of their standard deviation are found half of the time.
    configured = configure(rcs.POLICY, alpha=0.2)
    assert_same_law(Rcs, configured, ladder(3, 0.2), [10, 60, 300], runs=240, slow_runs=120)


@pytest.mark.slow
@pytest.mark.parametrize("prefs", [ladder(2), ladder(3, 0.2), ladder(8), CYCLIC], ids=len)
def test_many_runs_have_the_distribution_of_the_twin(prefs):
    assert_same_law(Rcs, RCS, prefs, [10, 100, 1000], runs=1000)


# The champion, line 10


def test_without_an_undefeated_arm_the_least_frequent_champion_is_chosen(rng):
    """In a cycle of 60 wins to nil no arm is undefeated, so every arm has every third turn."""
    state, params = state_after(RCS, [[0, 60, 0], [0, 0, 60], [60, 0, 0]])
    champions = [rcs.select(state, params, rng)[0] for _ in range(30)]
    for start in range(0, 30, 3):
        assert sorted(champions[start : start + 3]) == [0, 1, 2]
    assert (-state.minus_times_champion).tolist() == [10, 10, 10]


# Skipping


def test_idle_ends_at_random_or_when_confidence_ends(rng):
    """0 beat 1 in nine of nine: confident up to step e^(9 / 2.004) = 89.2, undefeated but for 2^-10."""
    start, params = state_after(RCS, NINE_TO_NIL)
    self_duels, runs, n_full = np.zeros(2, np.int64), 4000, 0
    for _ in range(runs):
        state, before = copy.deepcopy(start), self_duels[0]
        n = rcs.idle(state, params, 10**9, self_duels, rng)
        assert 0 <= n <= 80  # steps 10 to 89
        assert state.now[0].clock == 9 + n
        assert state.now[0].defeated == (NO_ARM if n == 80 else 0)
        assert -state.minus_times_champion[0] == n == self_duels[0] - before
        n_full += n == 80
    p_full = (1 - 2.0**-10) ** 80
    assert abs(n_full - runs * p_full) <= 4.5 * np.sqrt(runs * p_full * (1 - p_full))
    assert self_duels[1] == 0


def test_step_after_idle_ones_has_another_champion(rng):
    """Of two arms 0 is known to be defeated: 1 is undefeated, for there is no tie."""
    start, params = state_after(RCS, NINE_TO_NIL)
    state = start
    while state.now[0].defeated == NO_ARM:  # until idle steps end at random
        state = copy.deepcopy(start)
        rcs.idle(state, params, 10**9, np.zeros(2, np.int64), rng)
    assert rcs.select(state, params, rng) == (1, 0)
    assert state.now[0].defeated == NO_ARM


@pytest.mark.parametrize("n_arms", [2, 3, 20])
@pytest.mark.parametrize("p", [0.5, 0.7, 1.0])
def test_every_step_is_counted(n_arms, p):
    prefs = np.where(np.triu(np.ones((n_arms, n_arms)), 1) == 1, p, 1 - p)
    np.fill_diagonal(prefs, 0.5)
    steps = [1, 2, 1000, 1001, 5000]  # some of them skipped
    trace = fast(RCS, prefs, steps, seed=1, run=0)
    assert (trace.duels.sum(axis=1) // 2 + trace.selves.sum(axis=1)).tolist() == steps


def test_trillion_steps():
    trace = fast(RCS, ladder(5, 0.5), [10**6, 10**12], seed=2, run=0)
    assert trace.recommended.tolist() == [0, 0]
    assert trace.selves[1, 0] > 10**12 - 5000
