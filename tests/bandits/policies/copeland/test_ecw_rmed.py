"""Test that ECW-RMED chooses the pairs of its literal twin, tests/naive/policies/ecw_rmed.py, and its plans.

What it shares with CW-RMED, bandits/parts/rmed/necessary_duels.py, is tested here too.
"""

import math
from typing import Any

import numpy as np
import pytest
from naive.policies.cw_rmed import Preferences
from naive.policies.ecw_rmed import EcwRmed, sorted_plan
from support.necessary_duels import PAPERS, counts_like, random_wins
from support.policies import CYCLIC, assert_same_choices, fast, generators, ladder, state_after

from rankduel.bandits.contract import configure
from rankduel.bandits.matrix_duels import matrix_duel
from rankduel.bandits.matrix_runs import play_matrix
from rankduel.bandits.parts.rmed.necessary_duels import find_candidates, keep_cheaper_plan
from rankduel.bandits.policies.copeland import ecw_rmed
from rankduel.bandits.regret import losses_by, strong_regret
from rankduel.base.settings import kernel_params
from rankduel.experiments.matrix.builtin import MATRICES

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

ECW_RMED = configure(ecw_rmed.POLICY)
STEPS = [1, 2, 3, 10, 30, 100, 300]
SETTINGS: list[dict[str, Any]] = [
    {"sweep": "until_quiet"},
    {"alpha": 0.7, "beta": 0.0},
    {"alpha": 1.0, "beta": 0.2},
]


def assert_twins(prefs, steps, runs, **settings):
    assert_same_choices(EcwRmed, configure(ecw_rmed.POLICY, **settings), prefs, steps, runs)


@pytest.mark.parametrize("prefs", [ladder(2), ladder(3), *PAPERS.values()], ids=["2", "3", *PAPERS])
def test_choices_equal_the_twin(prefs):
    assert_twins(prefs, STEPS, runs=2)


@pytest.mark.parametrize(
    "prefs", [np.full((4, 4), 0.5), ladder(4, 1.0), np.roll(np.eye(3), 1, 1) + np.eye(3) / 2], ids="=<o"
)
def test_choices_equal_the_twin_with_extreme_preferences(prefs):
    """The evidence of certain pairs is a multiple of ln 2, which equals ln t at powers of two."""
    assert_twins(prefs, [*STEPS, 600], runs=2)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_choices_equal_the_twin_with_settings(settings):
    assert_twins(CYCLIC, STEPS, runs=2, **settings)
    assert_twins(PAPERS["multisol"], STEPS, runs=2, **settings)


def test_choices_equal_the_twin_with_random_preferences():
    rng = np.random.default_rng(3)
    for n_arms in (3, 4, 5, 6):
        upper = np.triu(rng.random((n_arms, n_arms)), 1)
        assert_twins(upper + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2, [50, 150, 300], runs=2)


@pytest.mark.slow
def test_choices_equal_the_twin_in_long_runs():
    for prefs in (ladder(2), ladder(6, 0.03), MATRICES["arxiv6"].make(), *PAPERS.values()):
        for settings in [{}, *SETTINGS]:
            assert_twins(prefs, [*STEPS, 2000, 5000], runs=2, **settings)


@pytest.mark.parametrize("settings", [{}, {"sweep": "until_quiet"}], ids=["once", "until quiet"])
@pytest.mark.parametrize("prefs", [ladder(2, 0.2), *PAPERS.values()], ids=["2", *PAPERS])
def test_skipping_changes_nothing(prefs, settings):
    """Late in the run most steps are skipped, and checkpoints fall among them."""
    configured = configure(ecw_rmed.POLICY, **settings)
    steps = np.unique(np.geomspace(1, 100_000, 150).astype(np.int64))
    for run in range(2):
        skipping, stepping = (fast(configured, prefs, steps, 5, run, forward) for forward in (True, False))
        for one, other in zip(skipping, stepping):
            np.testing.assert_array_equal(one, other)


def pairs_chosen(prefs, n_steps, **settings):
    """Return the pair of each step of a run, the arm with the larger number first."""
    trace = fast(configure(ecw_rmed.POLICY, **settings), prefs, range(1, n_steps + 1), 0, 0)
    counts = np.diff(trace.duels + 2 * trace.selves, axis=0, prepend=0)
    return [tuple(int(arm) for arm in np.repeat(np.arange(len(prefs)), row))[::-1] for row in counts]


def test_sweeps_and_lists_are_in_order():
    """Every pair without duels, in the first sweep; every pair of the first L_C; then the winner alone."""
    once = [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    pairs = pairs_chosen(ladder(4, 1.0), 13, alpha=0.01, beta=0.0)
    assert pairs == [*once, *once, (0, 0)]


def test_evidence_grows_as_the_logarithm():
    """The evidence of a certain pair is N ln 2, and has to be ln t: one duel for each doubling of t.

    Up to t = 2^39 all other steps are skipped; 3 sqrt(ln t) requires no more than 16 duels.
    """
    doublings = 2 ** np.arange(25, 40)
    steps = np.sort(np.concatenate([doublings - 10, doublings + 10]))
    trace = fast(ECW_RMED, ladder(2, 1.0), steps, 0, 0)
    expected = np.repeat(np.arange(25, 40), 2) + np.tile([0, 1], 15)
    np.testing.assert_array_equal(trace.duels[:, 0], expected)
    np.testing.assert_array_equal(trace.selves[:, 0], steps - expected)


# Changes of the state at t = 101, ln t = 4.62, and the level of ln t up to which steps are skipped.
IDLE = {
    "a pair falls behind the plan": ({}, 7.0),
    "no pair has more evidence than ln t": ({"balanced_from": 6.0}, 6.0),
    "evidence no longer suffices": ({"balanced_from": 4.0, "enough": 5.5}, 5.5),
    "another candidate has enough": ({"balanced_from": 4.0, "enough": 6.0, "other": 6.5}, None),
    "the plan is for another arm": ({"planned_arm": 0}, None),
    "there is no plan": ({"planned": False}, None),
    "a pair comes to have too few duels": ({"n": 7}, 49 / 9),
    "a pair has too few duels": ({"n": 6}, None),
    "a pair is nearly even": ({"lost": 98}, None),
    "a sweep has begun": ({"row": 1}, None),
}


@pytest.mark.parametrize("changed, level", IDLE.values(), ids=IDLE)
def test_self_duels_are_skipped_until_a_condition_changes(changed, level):
    """Arm 1 against itself is the only pair of L_R. Arms 0 and 1 are candidates; the plan is for arm 1."""
    case = {"enough": 4.0, "other": 4.0, "n": 100, "lost": 0} | changed
    params, rng = kernel_params(ECW_RMED, 100), np.random.default_rng(0)
    state, self_duels = ecw_rmed.init(3, params, rng), np.zeros(3, np.int64)
    now, counts, levels = state.now[0], state.counts, state.levels
    counts.wins[:] = [[0, 100, 100], [case["lost"], 0, case["n"]], [0, 0, 0]]
    counts.losses[:], levels.enough_until[:] = [0, 0, 2], [case["other"], case["enough"], 99.0]
    levels.behind_from[:], now.balanced_from = [[0, 0, 0], [7, 0, 0], [8, 8, 0]], 9.0
    now.clock, now.sole_arm, now.planned_arm, now.tested, now.planned = 100, 1, 1, True, True
    for name in now.dtype.names & changed.keys():
        setattr(now, name, changed[name])
    n = 0 if level is None else math.ceil(math.exp(level)) - 101
    assert ecw_rmed.idle(state, params, 10**6, self_duels, rng) == n
    assert self_duels.tolist() == [0, n, 0] and now.clock == 100 + n


def test_answers_are_the_arms_with_the_fewest_losses():
    """In a circle these are all arms."""
    circle = np.roll(np.eye(3), 1, 1) + np.eye(3) / 2
    trace = fast(ECW_RMED, circle, [1, 50], 0, 0)
    assert trace.answers.tolist() == [[True, False, True], [True, True, True]]
    trace = fast(ECW_RMED, PAPERS["multisol"], [10_000], 0, 0)
    assert trace.answers.tolist() == [[True, True, True, False, False]] and trace.recommended[0] < 3


@pytest.mark.slow
def test_tied_duel_changes_nothing():
    """The same pair is chosen until it is decided, and the run continues as without ties."""
    params, rng, states = kernel_params(ECW_RMED, 100), np.random.default_rng(0), []
    for repeats in (1, 3):
        state, users = ecw_rmed.init(4, params, rng), generators(0, 0)[1]
        for _ in range(400):
            ((first, second),) = {ecw_rmed.select(state, params, rng) for _ in range(repeats)}
            first_won = first == second or matrix_duel(CYCLIC, first, second, users)
            ecw_rmed.update(state, params, first, second, first_won)
        states.append(state)
    for one, other in zip(*(_memory(state) for state in states)):
        np.testing.assert_array_equal(one, other)


def _memory(state):
    """Return all arrays of a state, and those of its workspace that hold the last plan."""
    arrays = [state.now, *state.counts, *state.lists, *state.levels]
    return [*arrays, state.room.planning.plan, state.room.prices]


# Plans by sorting


def planned(wins, candidate):
    """Return (plan, its regret) in units of evidence."""
    state, _ = state_after(ECW_RMED, wins)
    find_candidates(state)
    state.now[0].plan_regret = math.inf
    ecw_rmed.plan_by_sorting(state, candidate)
    keep_cheaper_plan(state, candidate)
    return state.room.planning.plan, state.now[0].plan_regret


def test_regret_of_the_plan():
    """Cyclic: 1 / d(0.6, 1/2) for each of the three pairs of arm 0, each with a regret of 1/3."""
    plan, regret = planned(counts_like(CYCLIC, 10), 0)
    assert regret == pytest.approx(49.66, abs=0.005)
    np.testing.assert_array_equal(plan[0], [0, 1, 1, 1])
    assert plan[1:, 1:].max() == 0


def test_plans_equal_the_twin():
    """In some of them several superiors share the evidence against a rival."""
    rng, n_shared = np.random.default_rng(2), 0
    for _ in range(60):
        wins = random_wins(int(rng.integers(2, 9)), rng)
        twin = Preferences(wins.tolist())
        for candidate in twin.candidates:
            plan, regret = planned(wins, candidate)
            expected = sorted_plan(twin, candidate)
            assert regret == pytest.approx(twin.cost(expected))
            for i, j in twin.pairs:
                assert plan[i, j] == pytest.approx(expected.get((i, j), 0.0) * twin.d(i, j))
            n_shared += ((plan > 0) & (plan < 1)).any()
    assert n_shared >= 5


# Means of 40 runs of an independent program, with their standard errors, by the notion of regret.
MEASURED = [
    ("cyclic", "copeland", 658, 29),
    ("multisol", "copeland", 73, 5),
    ("mslr5", "copeland", 1049, 42),
    ("arxiv6", "copeland-losses", 2832, 99),
]


@pytest.mark.slow
@pytest.mark.parametrize("name, notion, mean, error", MEASURED)
def test_regret_after_a_million_duels(name, notion, mean, error):
    """Komiyama et al. 2016 have some 700, 60, 1 060 and 2 850 in their plots; within 4 standard errors."""
    prefs, horizon = MATRICES[name].make(), 10**6
    loss = losses_by(notion, prefs)
    traces = [
        play_matrix(ECW_RMED, prefs, horizon, run=run, loss=loss, steps=np.array([horizon]))
        for run in range(100)
    ]
    regret = np.array([strong_regret(trace, loss)[-1] for trace in traces])
    own_error = regret.std(ddof=1) / len(regret) ** 0.5
    assert abs(regret.mean() - mean) < 4 * math.hypot(own_error, error), (regret.mean(), own_error)
