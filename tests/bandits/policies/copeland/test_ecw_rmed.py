"""ECW-RMED, and the course it shares with CW-RMED: choices are the naive twin's; exact values by hand."""

import math
from typing import Any

import numpy as np
import pytest
from naive.policies.cw_rmed import Preferences
from naive.policies.ecw_rmed import EcwRmed, sorted_plan
from support.necessary_duels import PAPERS, counts_like, course_after, random_wins
from support.policies import CYCLIC, assert_same_choices, fast, generators, ladder

from bandits.contract import configure
from bandits.matrix_duels import matrix_duel, play_matrix
from bandits.parts.rmed.necessary_duels import (
    ALONE,
    BALANCED,
    CLOCK,
    COST,
    FAVOURITE,
    LOOKED,
    PLANNED,
    ROW,
    idle,
    keep_if_cheaper,
)
from bandits.policies.copeland.ecw_rmed import POLICY, plan_by_sorting
from bandits.regret import losses_by, strong_regret
from experiments.matrix.builtin import MATRICES
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 30, 100, 300]
SWITCHES: list[dict[str, Any]] = [
    {"sweep": "until_quiet"},
    {"alpha": 0.7, "beta": 0.0},
    {"alpha": 1.0, "beta": 0.2},
]


def assert_twins(prefs, steps, runs, **settings):
    assert_same_choices(EcwRmed, configure(POLICY, **settings), prefs, steps, runs)


@pytest.mark.parametrize("prefs", [ladder(2), ladder(3), *PAPERS.values()], ids=["2", "3", *PAPERS])
def test_choices_are_the_twins(prefs):
    assert_twins(prefs, STEPS, runs=2)


@pytest.mark.parametrize(
    "prefs", [np.full((4, 4), 0.5), ladder(4, 1.0), np.roll(np.eye(3), 1, 1) + np.eye(3) / 2], ids="=<o"
)
def test_extreme_preferences_are_the_twins(prefs):
    """Evidence of certain pairs is a multiple of ln 2, so that it meets ln t at powers of two."""
    assert_twins(prefs, [*STEPS, 600], runs=2)


@pytest.mark.parametrize("settings", SWITCHES, ids=str)
def test_switches_are_the_twins(settings):
    assert_twins(CYCLIC, STEPS, runs=2, **settings)
    assert_twins(PAPERS["multisol"], STEPS, runs=2, **settings)


def test_random_preferences_are_the_twins():
    rng = np.random.default_rng(3)
    for n_arms in (3, 4, 5, 6):
        upper = np.triu(rng.random((n_arms, n_arms)), 1)
        assert_twins(upper + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2, [50, 150, 300], runs=2)


@pytest.mark.slow
def test_long_runs_are_the_twins():
    for prefs in (ladder(2), ladder(6, 0.03), MATRICES["arxiv6"].make(), *PAPERS.values()):
        for settings in [{}, *SWITCHES]:
            assert_twins(prefs, [*STEPS, 2000, 5000], runs=2, **settings)


@pytest.mark.parametrize("settings", [{}, {"sweep": "until_quiet"}], ids=["once", "until quiet"])
@pytest.mark.parametrize("prefs", [ladder(2, 0.2), *PAPERS.values()], ids=["2", *PAPERS])
def test_skipped_stretches_are_the_steps(prefs, settings):
    """After so many steps most are skipped, and checkpoints fall inside of stretches."""
    configured = configure(POLICY, **settings)
    steps = np.unique(np.geomspace(1, 100_000, 150).astype(np.int64))
    for run in range(2):
        skipping, stepping = (fast(configured, prefs, steps, 5, run, forward) for forward in (True, False))
        for one, other in zip(skipping, stepping):
            np.testing.assert_array_equal(one, other)


def pairs_chosen(prefs, n_steps, **settings):
    """The pair of each step of a run, the arm with the larger number first."""
    trace = fast(configure(POLICY, **settings), prefs, range(1, n_steps + 1), 0, 0)
    counts = np.diff(trace.duels + 2 * trace.selves, axis=0, prepend=0)
    return [tuple(int(arm) for arm in np.repeat(np.arange(len(prefs)), row))[::-1] for row in counts]


def test_sweeps_and_lists_go_in_order():
    """First every pair once, as unknown; once more, as the first list; then who is safe, against itself."""
    once = [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    pairs = pairs_chosen(ladder(4, 1.0), 13, alpha=0.01, beta=0.0)
    assert pairs == [*once, *once, (0, 0)]


def test_evidence_keeps_up_with_the_logarithm():
    """A certain pair has N ln 2 of evidence, which must be ln t: one duel for each doubling of time.

    Up to t = 2^39, which is skipped through but for these duels; 3 sqrt(ln t) calls for no more than 16.
    """
    doublings = 2 ** np.arange(25, 40)
    steps = np.sort(np.concatenate([doublings - 10, doublings + 10]))
    trace = fast(configure(POLICY), ladder(2, 1.0), steps, 0, 0)
    expected = np.repeat(np.arange(25, 40), 2) + np.tile([0, 1], 15)
    np.testing.assert_array_equal(trace.duels[:, 0], expected)
    np.testing.assert_array_equal(trace.selves[:, 0], steps - expected)


IDLE = {  # at t = 101, ln t = 4.62: what is changed of the state below, and the level of ln t that is the end
    "a pair gets behind": ({}, 7.0),
    "no pair has too much evidence any more": ({"balanced": 6.0}, 6.0),
    "evidence gets too little": ({"balanced": 4.0, "enough": 5.5}, 5.5),
    "another candidate has enough": ({"balanced": 4.0, "enough": 6.0, "other": 6.5}, None),
    "the plan was for another": ({"favourite": 0}, None),
    "there is no plan": ({"planned": 0}, None),
    "a pair is hardly known": ({"n": 7}, 49 / 9),
    "a pair has been hardly known": ({"n": 6}, None),
    "a pair is nearly even": ({"lost": 98}, None),
    "the sweep is under way": ({"row": 1}, None),
}


@pytest.mark.parametrize("changed, level", IDLE.values(), ids=IDLE)
def test_ends_of_a_stretch(changed, level):
    """Of arm 1 against itself; arms 0 and 1 are candidates, and the plan is for arm 1."""
    case = {"balanced": 9.0, "enough": 4.0, "other": 4.0, "favourite": 1, "planned": 1, "n": 100, "lost": 0}
    case |= {"row": 0} | changed
    params, rng = kernel_params(configure(POLICY), 100), np.random.default_rng(0)
    state, selves = POLICY.init(3, params, rng), np.zeros(3, np.int64)
    course = state.course
    course.wins[:] = [[0, 0, 100], [0, 0, case["n"]], [0, 0, 0]]
    course.wins[0, 1], course.wins[1, 0] = 100, case["lost"]
    course.losses[:], course.enough_until[:] = [0, 0, 2], [case["other"], case["enough"], 99.0]
    course.behind_from[:], course.levels[BALANCED] = [[0, 0, 0], [7, 0, 0], [8, 8, 0]], case["balanced"]
    course.now[[CLOCK, ALONE, FAVOURITE]] = 100, 1, case["favourite"]
    course.now[[LOOKED, PLANNED, ROW]] = 1, case["planned"], case["row"]
    n = 0 if level is None else math.ceil(math.exp(level)) - 101
    assert idle(state, params, 10**6, selves, rng) == n
    assert selves.tolist() == [0, n, 0] and course.now[CLOCK] == 100 + n


def test_the_answer_is_who_loses_to_the_fewest():
    """In a circle all of them."""
    circle = np.roll(np.eye(3), 1, 1) + np.eye(3) / 2
    trace = fast(configure(POLICY), circle, [1, 50], 0, 0)
    assert trace.answers.tolist() == [[True, False, True], [True, True, True]]
    trace = fast(configure(POLICY), PAPERS["multisol"], [10_000], 0, 0)
    assert trace.answers.tolist() == [[True, True, True, False, False]] and trace.recommended[0] < 3


@pytest.mark.slow
def test_a_duel_passed_over_changes_nothing():
    """The same pair is chosen until it is decided, and the run goes on as if it had been at once."""
    params, rng, states = kernel_params(configure(POLICY), 100), np.random.default_rng(0), []
    for repeats in (1, 3):
        state, users = POLICY.init(4, params, rng), generators(0, 0)[1]
        for _ in range(400):
            ((first, second),) = {POLICY.select(state, params, rng) for _ in range(repeats)}
            POLICY.update(state, first, second, first == second or matrix_duel(CYCLIC, first, second, users))
        states.append(state)
    for one, other in zip(*([*state.course[:-2], state.prices] for state in states)):
        np.testing.assert_array_equal(one, other)


def planned(wins, candidate):
    """(plan, its cost) in units of evidence."""
    course = course_after(wins)
    plan_by_sorting(course, np.zeros_like(course.plan), candidate)
    course.levels[COST] = math.inf
    keep_if_cheaper(course, candidate)
    return course.plan, course.levels[COST]


def test_the_regret_of_the_plan():
    """Cyclic: 1 / d(0.6, 1/2) for each of the three pairs of arm 0, a third of a loss each."""
    plan, cost = planned(counts_like(CYCLIC, 10), 0)
    assert cost == pytest.approx(49.66, abs=0.005)
    np.testing.assert_array_equal(plan[0], [0, 1, 1, 1])
    assert plan[1:, 1:].max() == 0


def test_plans_are_the_twins():
    """Among them some in which several arms share the evidence against a rival."""
    rng, n_shared = np.random.default_rng(2), 0
    for _ in range(60):
        wins = random_wins(int(rng.integers(2, 9)), rng)
        twin = Preferences(wins.tolist())
        for candidate in twin.candidates:
            plan, cost = planned(wins, candidate)
            expected = sorted_plan(twin, candidate)
            assert cost == pytest.approx(twin.cost(expected))
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
        play_matrix(configure(POLICY), prefs, horizon, run=run, loss=loss, steps=np.array([horizon]))
        for run in range(100)
    ]
    regret = np.array([strong_regret(trace, loss)[-1] for trace in traces])
    own_error = regret.std(ddof=1) / len(regret) ** 0.5
    assert abs(regret.mean() - mean) < 4 * math.hypot(own_error, error), (regret.mean(), own_error)
