"""Test that RUCB chooses the pairs of its literal twin, tests/naive/policies/rucb.py, and the edge cases."""

from collections import Counter

import numpy as np
import pytest
from naive.policies.rucb import Rucb
from support.policies import CYCLIC, assert_same_choices, fast, ladder, state_after

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.condorcet import rucb

pytestmark = pytest.mark.kernel

RUCB = configure(rucb.POLICY)
WITHOUT_B = configure(rucb.POLICY, use_b=False)
STEPS = [1, 2, 3, 10, 100, 400, 1000]

# With alpha = 0.51, nine wins out of nine are conclusive before step 83: exp(9**2 / (4 * 0.51 * 9)) = 82.4.
NINE_TO_NIL = [[0, 9], [0, 0]]
BEST_OF_FOUR = [[0, 9, 9, 9], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
CYCLE = [[0, 20, 0], [0, 0, 20], [20, 0, 0]]


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def skip(state, params, rng, limit=10**6):
    """Return how many steps `idle` skips, and the self-duels it counts per arm."""
    self_duels = np.zeros(len(state.wins), np.int64)
    return rucb.idle(state, params, limit, self_duels, rng), self_duels.tolist()


def champion_shares(state, params, rng, n=6000):
    """Return the share of each arm among n champions; the standard error is at most 0.0065."""
    champions = [rucb.select(state, params, rng)[0] for _ in range(n)]
    return np.bincount(champions, minlength=len(state.wins)) / n


# Equality with the twin


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)], ids=len
)
def test_choices_equal_the_twin(prefs):
    assert_same_choices(Rucb, RUCB, prefs, STEPS, runs=20)


@pytest.mark.parametrize(
    "settings", [{"alpha": 0.1}, {"use_b": False}, {"unvisited_u": 1}, {"unvisited_u": np.inf}], ids=str
)
def test_choices_equal_the_twin_with_settings(settings):
    assert_same_choices(Rucb, configure(rucb.POLICY, **settings), CYCLIC, STEPS, runs=20)


# The champion, lines 6-11


def test_first_step_draws_any_pair_of_different_arms(rng):
    state, params = state_after(RUCB, np.zeros((3, 3), int))
    pairs = Counter(rucb.select(state, params, rng) for _ in range(600))
    assert pairs.keys() == {(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)}


def test_without_potential_champions_any_arm_is_champion(rng):
    state, params = state_after(RUCB, CYCLE)
    assert skip(state, params, rng)[0] == 0
    pairs = {rucb.select(state, params, rng) for _ in range(100)}
    assert pairs == {(0, 2), (1, 0), (2, 1)}  # the challenger is the arm that beat the champion


@pytest.mark.parametrize(("configured", "share"), [(RUCB, 1 / 2), (WITHOUT_B, 1 / 4)], ids=str)
def test_hypothesized_best_arm_is_champion_half_the_time(configured, share, rng):
    state, params = state_after(configured, BEST_OF_FOUR)
    skip(state, params, rng)  # until all four arms are potential champions again
    expected = [share, *[(1 - share) / 3] * 3]
    assert champion_shares(state, params, rng) == pytest.approx(expected, abs=0.03)


def test_beaten_arm_is_no_longer_hypothesized_best(rng):
    state, params = state_after(RUCB, BEST_OF_FOUR)
    skip(state, params, rng)
    for _ in range(60):
        rucb.update(state, params, 1, 0, True)
    assert champion_shares(state, params, rng) == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3], abs=0.03)


# The challenger, line 13


@pytest.mark.parametrize(("unvisited_u", "challenger"), [(1, 1), (2, 2), (np.inf, 2)])
def test_pair_without_duels_has_the_bound_unvisited_u(unvisited_u, challenger, rng):
    """Arm 1 beat arm 0 once: u_10 = 1 + sqrt(0.51 ln 2) = 1.59 at step 2, and arm 2 is unvisited."""
    configured = configure(rucb.POLICY, unvisited_u=unvisited_u)
    state, params = state_after(configured, [[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    pairs = {rucb.select(state, params, rng) for _ in range(100)}
    assert {second for first, second in pairs if first == 0} == {challenger}


def test_champion_that_beats_all_duels_itself_before_the_bounds_reach_one_half(rng):
    state, params = state_after(RUCB, NINE_TO_NIL)
    assert rucb.select(state, params, rng) == (0, 0)
    assert skip(state, params, rng, limit=3) == (3, [3, 0])  # steps 10 to 12
    assert skip(state, params, rng) == (70, [70, 0])  # steps 13 to 82
    assert skip(state, params, rng) == (0, [0, 0])
    pairs = {rucb.select(state, params, rng) for _ in range(100)}
    assert pairs == {(0, 1), (1, 0)}


# The update, line 14, and the answer


def test_self_duel_counts_as_a_step_and_as_nothing_else():
    state, params = state_after(RUCB, NINE_TO_NIL)
    rucb.update(state, params, 0, 0, True)
    assert state.now[0].clock == 10
    assert state.wins.tolist() == NINE_TO_NIL


def test_recommends_the_arm_that_beats_most_others():
    state, params = state_after(RUCB, [[0, 3, 1], [2, 0, 1], [4, 5, 0]])
    assert rucb.recommend(state, params) == 2


@pytest.mark.parametrize("fast_forward", [True, False])
def test_every_step_is_counted(fast_forward):
    steps = [1, 2, 1000, 1001, 5000]
    trace = fast(RUCB, ladder(3, 0.3), steps, seed=1, run=0, fast_forward=fast_forward)
    assert (trace.duels.sum(axis=1) // 2 + trace.selves.sum(axis=1)).tolist() == steps


def test_trillion_steps():
    trace = fast(RUCB, ladder(5, 0.5), [10**6, 10**12], seed=2, run=0)
    assert trace.recommended.tolist() == [0, 0]
    assert trace.selves[1, 0] > 10**12 - 10**4
