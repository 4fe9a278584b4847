"""DTS and DTS+: the fast form follows the law of the twin that draws every sample."""

import numpy as np
import pytest
from naive.policies.dts import Dts
from support.few_steps import assert_same_few_steps, recorded
from support.policies import CYCLIC, assert_same_law, fast, ladder

from bandits.contract import configure
from bandits.parts.bounds import NEVER, beaten
from bandits.policies.condorcet import dts
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

DTS = configure(dts.POLICY)

# Records of wins, and what they are good for.
EVEN = np.zeros((4, 4), int)
CLEAR = np.array([[0, 7, 9, 8], [1, 0, 6, 3], [1, 2, 0, 4], [0, 3, 2, 0]])  # 0 beats all in most tournaments
RIVALS = np.array([[0, 6, 9, 9], [4, 0, 9, 9], [0, 0, 0, 4], [0, 0, 3, 0]])  # 0 or 1 does
CIRCLE = np.array([[0, 9, 0, 5], [0, 0, 9, 5], [9, 0, 0, 5], [1, 1, 1, 0]])  # three are beaten by one each
CHASED = np.array([[0, 0, 9, 9], [9, 0, 0, 0], [0, 9, 0, 0], [0, 9, 9, 0]])  # 0 alone has but one beater
TIED = np.array([[0, 40, 12, 30], [20, 0, 30, 30], [30, 10, 0, 10], [12, 10, 30, 0]])  # 0 and 1, mostly
SIX = np.array([[0, 3, 2, 5, 4, 1], [2, 0, 4, 3, 3, 2], [3, 1, 0, 2, 2, 2]] + [[1, 1, 2, 0, 1, 2]] * 3)
SIX *= 1 - np.eye(6, dtype=int)
LOOSE = {"alpha": 0.8**7}


@pytest.mark.parametrize(
    ("wins", "settings"),
    [
        (EVEN, {}),
        (RIVALS, {}),
        (TIED, {"plus": True, "alpha": 5}),  # without the rule for ties, 0 would be first in .49 and not .31
        (CIRCLE, LOOSE),
        (CHASED, LOOSE),
        (CLEAR, {"w0": 1, "alpha": 0.1}),
    ],
)
def test_few_steps_have_the_twins_law(wins, settings):
    # 1,500 runs a side find a pair whose chance is off by .06 nearly always, by .04 mostly.
    assert_same_few_steps(Dts, configure(dts.POLICY, **settings), wins, runs=1500)


def test_law_is_the_twins():
    # 120 runs: mean regrets that differ by a quarter of their standard deviation are found half of the time.
    assert_same_law(Dts, configure(dts.POLICY, **LOOSE), CYCLIC, [10, 60, 250], runs=240, slow_runs=120)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, LOOSE, {"plus": True}, {"w0": 1}], ids=str)
@pytest.mark.parametrize("wins", [EVEN, CLEAR, RIVALS, CIRCLE, CHASED, TIED, SIX], ids=str)
def test_few_steps_have_the_twins_law_in_many_runs(wins, settings):
    assert_same_few_steps(Dts, configure(dts.POLICY, **settings), wins, runs=10_000)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, LOOSE, {"plus": True}, {"w0": 1}], ids=str)
@pytest.mark.parametrize("prefs", [ladder(2), ladder(3, 0.2), ladder(8), CYCLIC], ids=len)
def test_law_is_the_twins_in_many_runs(prefs, settings):
    assert_same_law(Dts, configure(dts.POLICY, **settings), prefs, [10, 100, 1000], runs=1000)


@pytest.mark.parametrize("w0", [0, 1])
def test_candidates_are_beaten_by_the_fewest(w0):
    """After a run with idle stretches, what is kept about bounds is what the bounds say."""
    configured = configure(dts.POLICY, alpha=0.3, w0=w0)
    params = kernel_params(configured, 1)
    state, rng = dts.init(6, params, None), np.random.default_rng(1)
    prefs, selves = ladder(6, 0.08), np.zeros(6, np.int64)
    for _ in range(400):
        dts.idle(state, params, int(rng.integers(1, 50)), selves, rng)
        first, second = dts.select(state, params, rng)
        dts.update(state, first, second, bool(rng.random() < prefs[first, second]))
        t = state.now[dts.CLOCK] + 1
        wins = state.beliefs.wins + w0 * (1 - np.eye(6, dtype=int))
        beats = [[beaten(wins[i, j], wins[j, i], 0.3, np.log(t)) for j in range(6)] for i in range(6)]
        n_beaters = np.sum(beats, axis=1)
        assert dts._candidates(state, t) == (n_beaters == n_beaters.min()).sum()
        candidates = state.arms[: state.now[dts.N_CANDIDATES]]
        np.testing.assert_array_equal(candidates, np.flatnonzero(n_beaters == n_beaters.min()))
        assert state.now[dts.N_BEATERS] == n_beaters.min()
        np.testing.assert_array_equal(state.beats.until > t, beats)


def test_idle_ends_by_chance_or_when_confidence_does():
    """0 beat 1 nine times: sole candidate up to step e^(9 / 2.04) = 82.4, its rival above 1/2 with 2^-10."""
    params, rng, selves = kernel_params(DTS, 1), np.random.default_rng(1), np.zeros(2, np.int64)
    state, runs, n_full = recorded(DTS, [[0, 9], [0, 0]]), 4000, 0
    for _ in range(runs):
        state.now[:] = 0
        state.now[dts.CLOCK] = 9
        n = dts.idle(state, params, 10**9, selves, rng)
        assert 0 <= n <= 73  # steps 10 to 82
        assert state.now[dts.CLOCK] == 9 + n
        assert state.now[dts.ENDED] == (n < 73)
        n_full += n == 73
    chance = (1 - 2.0**-10) ** 73
    assert abs(n_full - runs * chance) <= 4.5 * np.sqrt(runs * chance * (1 - chance))
    assert selves[1] == 0


def test_step_after_idle_ones_is_a_duel_of_the_only_candidate():
    state, params = recorded(DTS, [[0, 9], [0, 0]]), kernel_params(DTS, 1)
    rng = np.random.default_rng(1)
    state.now[dts.ENDED] = 1
    assert dts.select(state, params, rng) == (0, 1)
    assert state.now[dts.ENDED] == 0


def test_an_arm_that_all_others_surely_beat_meets_itself():
    """A circle of three: each is beaten by one, who may not be second; against the rest it is sure."""
    wins = np.array([[0, 90, 0], [0, 0, 90], [90, 0, 0]])
    state, params, rng = recorded(DTS, wins), kernel_params(DTS, 1), np.random.default_rng(1)
    pairs = {dts.select(state, params, rng) for _ in range(100)}
    assert pairs == {(0, 0), (1, 1), (2, 2)}


@pytest.mark.parametrize("n_arms", [2, 3, 40])
@pytest.mark.parametrize("p", [0.5, 0.7, 1.0])
@pytest.mark.parametrize("plus", [False, True])
def test_every_step_is_counted(n_arms, p, plus):
    prefs = np.where(np.triu(np.ones((n_arms, n_arms)), 1) == 1, p, 1 - p)
    np.fill_diagonal(prefs, 0.5)
    steps = [1, 2, 1000, 1001, 5000]  # some within idle stretches
    trace = fast(configure(dts.POLICY, plus=plus), prefs, steps, seed=1, run=0)
    assert (trace.duels.sum(axis=1) // 2 + trace.selves.sum(axis=1)).tolist() == steps


def test_very_long_runs():
    trace = fast(DTS, ladder(5, 0.5), [10**6, 10**12], seed=2, run=0)
    assert trace.recommended.tolist() == [0, 0]
    assert trace.selves[1, 0] > 10**12 - 5000


def test_counts_beyond_32_bits():
    """What 2^40 wins would leave behind, at step 10^12: nothing overflows, and the champion is certain."""
    state, params = recorded(DTS, np.zeros((3, 3), int)), kernel_params(DTS, 1)
    rng = np.random.default_rng(1)
    beliefs, selves = state.beliefs, np.zeros(3, np.int64)
    beliefs.wins[0, 1:], beliefs.wins[1:, 0] = 2**40, 2**20
    beliefs.odds.minus_log[0, 1:], beliefs.odds.minus_log[1:, 0] = 0.0, 1e12
    beliefs.odds.chance[0, 1:], beliefs.odds.chance[1:, 0] = 1.0, 0.0
    beliefs.odds.log_g[0, 1:] = -1e12
    state.now[dts.CLOCK] = 10**12
    dts.update(state, 0, 1, True)
    dts.update(state, 2, 0, False)
    assert state.beats.until[1:, 0].tolist() == [NEVER, NEVER]
    assert dts.idle(state, params, 10**15, selves, rng) == 10**15
    assert selves.tolist() == [10**15, 0, 0]
    assert dts.select(state, params, rng) == (0, 0)
