"""Test that SAVAGE chooses the pairs of its twin, tests/naive/policies/savage.py, and the edge cases."""

import math

import numpy as np
import pytest
from naive.policies.savage import Savage
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.matrix_runs import play_matrix
from rankduel.bandits.policies.condorcet import savage
from rankduel.bandits.regret import strong_regret
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

SAVAGE = configure(savage.POLICY)
HURRIED = {"horizon": 1, "delta": 1.0}  # errors are allowed: arms are eliminated after a few sweeps
STEPS = [1, 2, 3, 10, 100, 300, 1000]
RNG = np.random.default_rng(0)


def begin(n_arms, horizon=100, **settings):
    """Return (state, params) before the first duel."""
    params = kernel_params(configure(savage.POLICY, **settings), horizon)
    return savage.init(n_arms, params, RNG), params


def duel(state, params, first_wins):
    """Play the next duel, which the first arm wins if first_wins(first, second); return the pair."""
    pair = savage.select(state, params, RNG)
    savage.update(state, params, *pair, first_wins(*pair))
    return pair


def play_sweeps(state, params, n, winner, loser):
    """Play n sweeps in which `winner` always beats `loser`, and the first and second arms of the other pairs
    win by turns."""
    n_arms = savage.survivors(state, params)
    for sweep in range(n):
        for _ in range(n_arms * (n_arms - 1) // 2):
            first, second = savage.select(state, params, RNG)
            first_won = first == winner if {first, second} == {winner, loser} else sweep % 2 == 0
            savage.update(state, params, first, second, first_won)


def random_prefs(n_arms, rng):
    """Return preferences without any order."""
    upper = np.triu(rng.random((n_arms, n_arms)), 1)
    return upper + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2


# Equality with the twin


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)], ids=len
)
@pytest.mark.parametrize("bound", ["finite", "infinite"])
def test_choices_equal_the_twin(prefs, bound):
    assert_same_choices(Savage, configure(savage.POLICY, bound=bound, **HURRIED), prefs, STEPS, runs=10)


@pytest.mark.parametrize("prefs", [np.full((5, 5), 0.5), ladder(8, 0.5), ladder(8, -0.5)], ids="=<>")
def test_choices_equal_the_twin_with_extreme_preferences(prefs):
    assert_same_choices(Savage, configure(savage.POLICY, **HURRIED), prefs, STEPS, runs=10)


@pytest.mark.parametrize("settings", [{}, {"delta": 0.2}, {"bound": "infinite"}], ids=str)
def test_choices_equal_the_twin_with_the_horizon_of_the_run(settings):
    configured = configure(savage.POLICY, **settings)
    assert_same_choices(Savage, configured, ladder(5, 0.2), [200, 500, 1000], runs=5)
    assert_same_choices(Savage, configured, ladder(5, 0.2), [1], runs=2)


def test_choices_equal_the_twin_whatever_the_order_of_eliminations():
    """Random preferences, so that first, last and middle arms are eliminated within a sweep."""
    rng = np.random.default_rng(3)
    for n_arms in (3, 4, 6, 9):
        prefs = random_prefs(n_arms, rng)
        assert_same_choices(Savage, configure(savage.POLICY, **HURRIED), prefs, [10, 30, 100, 300], runs=20)


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [2, 3, 5, 8, 20])
def test_many_choices_equal_the_twin(n_arms):
    prefs = ladder(n_arms, 0.8 / n_arms)
    assert_same_choices(Savage, SAVAGE, prefs, [1000, 10_000], runs=5)
    assert_same_choices(Savage, configure(savage.POLICY, **HURRIED), prefs, [300, 1000, 3000], runs=50)


# The least sampled pair


def test_sweep_is_lexicographic_and_continues_without_an_eliminated_first_arm():
    """With 5 arms, 6 wins out of 6 are decisive: 6 > sqrt(12 ln 20) = 5.996. So arm 2 is eliminated in its
    duel with 3 in sweep 6; the sweep continues with (3, 4), and the next sweep is without 2."""
    state, params = begin(5, **HURRIED)
    sweep = [duel(state, params, lambda i, j: (i, j) != (2, 3)) for _ in range(10)]
    assert sweep == [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    play_sweeps(state, params, 4, winner=3, loser=2)
    for _ in range(7):
        duel(state, params, lambda i, j: False)
    assert savage.survivors(state, params) == 5
    assert duel(state, params, lambda i, j: False) == (2, 3)
    assert savage.survivors(state, params) == 4
    others = [duel(state, params, lambda i, j: False) for _ in range(7)]
    assert others == [(3, 4), (0, 1), (0, 3), (0, 4), (1, 3), (1, 4), (3, 4)]


def test_sweep_continues_without_an_eliminated_second_arm():
    """With 4 arms, 5 wins out of 5 are decisive: 5 > sqrt(10 ln 12) = 4.985."""
    state, params = begin(4, **HURRIED)
    play_sweeps(state, params, 4, winner=0, loser=2)
    pairs = [duel(state, params, lambda i, j: True) for _ in range(5)]
    assert pairs == [(0, 1), (0, 2), (0, 3), (1, 3), (0, 1)]
    assert savage.survivors(state, params) == 3


def test_tied_duel_is_repeated():
    state, params = begin(3)
    for pair in ((0, 1), (0, 2), (1, 2), (0, 1)):
        assert savage.select(state, params, RNG) == pair
        assert duel(state, params, lambda i, j: True) == pair


# The confidence radius


@pytest.mark.parametrize("bound", ["finite", "infinite"])
def test_no_arm_is_eliminated_before_two_logarithms_of_sweeps(bound):
    """The lead is at most n, and n^2 > 2 n ln(eta / delta) needs n > 2 ln(eta / delta).

    With 4 arms and delta = 1/100 that is 23.4 for 100 steps; for any number of them the condition is
    n > 2 ln(200 pi^2 n^2), so 29 sweeps.
    """
    state, params = begin(4, bound=bound)
    if bound == "finite":
        last = math.floor(2 * math.log(4 * 3 * 100 * 100))
    else:
        last = max(n for n in range(1, 100) if n <= 2 * math.log(math.pi**2 * 6 * n**2 / 3 * 100))
    for _ in range(6 * last):
        duel(state, params, lambda i, j: i < j)
    assert savage.survivors(state, params) == 4
    for expected in ((0, 1), (0, 2), (0, 3)):
        assert duel(state, params, lambda i, j: i < j) == expected
    assert savage.survivors(state, params) == 1
    assert savage.recommend(state, params) == 0
    assert savage.select(state, params, RNG) == (0, 0)


@pytest.mark.parametrize(("lead", "n_active"), [(4_666_690, 2), (4_666_692, 1)])
def test_counts_beyond_32_bits(lead, n_active):
    """At 2^40 duels, T = 100 and delta = 1/100, the decisive lead is sqrt(2^41 ln 20000) = 4 666 690.4.

    So many duels cannot be played here; the state is set to that sweep.
    """
    state, params = begin(2)
    now = state.now[0]
    state.wins[0, 1], state.wins[1, 0] = (2**40 + lead) // 2 - 1, (2**40 - lead) // 2
    now.sweep, now.decisive_lead = 2**40, math.sqrt(2**41 * math.log(20_000))
    duel(state, params, lambda i, j: True)
    assert savage.survivors(state, params) == n_active
    if n_active == 2:
        expected = math.sqrt(2 * (2**40 + 1) * math.log(20_000))
        assert now.decisive_lead == pytest.approx(expected, rel=1e-15)


# The answer, and the steps after the end


def test_recommends_the_active_arm_that_beats_most_others():
    """Arm 3 wins all duels of sweep 1, but then loses to 0: after 8 wins out of 9 it is eliminated, since
    7 > sqrt(18 ln 12) = 6.69. In the other pairs the second arm leads, so arm 2 is ahead of 0 and 1."""
    state, params = begin(4, **HURRIED)
    for _ in range(6):
        duel(state, params, lambda i, j: False)
    assert savage.recommend(state, params) == 3
    for sweep in range(2, 9):
        second_wins = sweep % 2 == 0
        for _ in range(6):
            duel(state, params, lambda i, j, second_wins=second_wins: (i, j) == (0, 3) or not second_wins)
    assert savage.survivors(state, params) == 4
    for _ in range(3):
        duel(state, params, lambda i, j: True)
    assert savage.survivors(state, params) == 3
    assert savage.recommend(state, params) == 2


def test_steps_after_the_end_are_skipped_at_once():
    trace = fast(SAVAGE, ladder(2, 0.5), [10, 10**12], seed=1, run=0)
    n = math.floor(2 * math.log(2 * 1e24)) + 1
    assert trace.duels[-1].tolist() == [n, n]
    assert trace.selves[-1].tolist() == [10**12 - n, 0]
    assert trace.survivors.tolist() == [2, 1]
    assert trace.recommended[-1] == 0


# Published regret


@pytest.mark.slow
def test_copeland_regret_equals_the_published_one():
    """Five MSLR rankers, as in Wu and Liu 2016; the means of 400 runs of an independent program.

    The preferences here are rounded to three digits, which may move the regret by a per cent or two. Wu and
    Liu's own ten runs gave 150.0, 485.8, 1 054.5, 1 846.6 and 2 339.8.
    """
    upper = [0.535, 0.613, 0.757, 0.765, 0.580, 0.725, 0.738, 0.659, 0.669, 0.510]
    prefs = np.full((5, 5), 0.5)
    prefs[np.triu_indices(5, 1)] = upper
    prefs[np.tril_indices(5, -1)] = 1 - prefs.T[np.tril_indices(5, -1)]
    beaten_share = np.array([4, 3, 2, 1, 0]) / 4
    published = {300: 150.0, 1000: 483.4, 3000: 1021.7, 10_000: 1955.3, 30_000: 2368.9}
    for horizon, expected in published.items():
        runs = [play_matrix(SAVAGE, prefs, horizon, run=run) for run in range(400)]
        regret = np.array([strong_regret(trace, beaten_share[0] - beaten_share)[-1] for trace in runs])
        error = math.sqrt(2 / len(regret)) * regret.std(ddof=1)
        assert abs(regret.mean() - expected) < 4 * error + 0.02 * expected, (horizon, regret.mean(), error)
