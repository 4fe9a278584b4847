"""Test that outcomes reach a policy after every `every` steps, and at least `delay` steps after the duel."""

from typing import NamedTuple

import numpy as np
import pytest
from support.policies import SOME_QUICKLY, generators, ladder

from rankduel.bandits import POLICIES, configure, play_matrix
from rankduel.bandits.contract import Policy
from rankduel.bandits.feedback import Feedback
from rankduel.bandits.loop import Duel, run_loop
from rankduel.bandits.matrix_duels import by_matrix, matrix_duel
from rankduel.base.compiling import kernel
from rankduel.base.errors import RankduelError
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

LATE = [parameter for parameter in SOME_QUICKLY if parameter.values[0].late_feedback]


class State(NamedTuple):
    n_chosen: np.ndarray  # (1,) int64: number of pairs chosen
    n_known: np.ndarray  # (1,) int64: number of outcomes that have reached the policy


class Params(NamedTuple):
    pass


@kernel
def select(state, params, rng):
    """Return the number of known outcomes as first arm, and 50 plus that of chosen pairs as second."""
    state.n_chosen[0] += 1
    return state.n_known[0], 50 + state.n_chosen[0]


@kernel
def update(state, params, first, second, first_won):
    state.n_known[0] += 1 if second == 51 + state.n_known[0] else 10  # 10 if not in the order of the duels


COUNTING = Policy(
    "counting",
    Params,
    lambda n_arms, params, rng: State(np.zeros(1, np.int64), np.zeros(1, np.int64)),
    select,
    update,
    late_feedback=True,
)


@pytest.mark.parametrize(
    "feedback, known",
    [
        (Feedback(), [0, 1, 2, 3, 4, 5, 6, 7, 8]),
        (Feedback(every=3), [0, 0, 0, 3, 3, 3, 6, 6, 6]),
        (Feedback(delay=2), [0, 0, 0, 1, 2, 3, 4, 5, 6]),
        (Feedback(every=4, delay=1), [0, 0, 0, 0, 3, 3, 3, 3, 7]),
        (Feedback(every=100), [0] * 9),
    ],
)
def test_when_outcomes_arrive(feedback, known):
    prefs, labels, steps = np.full((100, 100), 0.5), np.arange(100), np.arange(1, 10)
    trace = run_loop(
        configure(COUNTING),
        by_matrix(prefs),
        np.zeros(100),
        labels,
        steps,
        *generators(0, 0),
        feedback=feedback,
    )
    firsts = np.diff(trace.duels[:, :50], axis=0, prepend=0).argmax(axis=1)
    np.testing.assert_array_equal(firsts, known)
    np.testing.assert_array_equal(trace.rounds, steps // feedback.every)


def by_hand(configured, prefs, n_steps, feedback, rng, users):
    """Return (duels, selves) of a run in which pending outcomes are in a list."""
    policy, n_arms = configured.thing, len(prefs)
    params = kernel_params(configured, n_steps)
    state = policy.init(n_arms, params, rng)
    duels, selves, pending = np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64), []
    for t in range(1, n_steps + 1):
        first, second = policy.select(state, params, rng)
        if first == second:
            selves[first] += 1
            pending.append((t, first, second, True))
        else:
            duels[[first, second]] += 1
            pending.append((t, first, second, matrix_duel.py_func(prefs, first, second, users)))
        while pending and t % feedback.every == 0 and pending[0][0] <= t - feedback.delay:
            policy.update(state, params, *pending.pop(0)[1:])
    return duels, selves


@pytest.mark.parametrize("policy", LATE)
def test_late_outcomes_equal_those_of_a_list(policy):
    configured, prefs, feedback = configure(policy), ladder(5), Feedback(7, 5)
    duels, selves = by_hand(configured, prefs, 500, feedback, *generators(2, 0))
    trace = run_loop(
        configured,
        by_matrix(prefs),
        np.zeros(5),
        np.arange(5),
        np.array([500]),
        *generators(2, 0),
        feedback=feedback,
    )
    np.testing.assert_array_equal(trace.duels[-1], duels)
    np.testing.assert_array_equal(trace.selves[-1], selves)


def test_tied_duels_are_not_passed_to_update():
    @kernel
    def tied(prefs, first, second, users):
        return 2

    trace = run_loop(
        configure(COUNTING), Duel(tied, None), np.zeros(100), np.arange(100), np.array([9]),
        *generators(0, 0), feedback=Feedback(2, 3),
    )  # fmt: skip
    assert trace.duels[0, 0] == 9


@pytest.mark.parametrize("feedback", [Feedback(0, 0), Feedback(1, -1)])
def test_impossible_feedback_is_refused(feedback):
    with pytest.raises(RankduelError, match="expected every 1 to 10,000,000 steps with a delay"):
        play_matrix(configure(POLICIES["rucb"]), ladder(3), 10, feedback=feedback)


def test_late_feedback_is_refused_for_other_policies():
    with pytest.raises(RankduelError, match="savage needs the outcome of every duel"):
        play_matrix(configure(POLICIES["savage"]), ladder(3), 10, feedback=Feedback(2))
