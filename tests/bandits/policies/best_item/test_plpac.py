"""Test that PLPAC has the course of its literal twin; by agendas, the distribution of its duels."""

import math
from itertools import count

import numpy as np
import pytest
from naive.policies.plpac import Plpac
from support.best_items import assert_same_course, n_duels, slow_course
from support.policies import CYCLIC, assert_same_numbers, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.best_item.plpac import POLICY
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 30, 100, 200, 300, 500, 700, 1000, 2000, 4000]
HURRIED = configure(POLICY, epsilon=0.2, delta=0.5)
CYCLE = np.where(np.roll(np.eye(3), 1, 1) > 0, 1.0, 0.0) + 0.5 * np.eye(3)


def plackett_luce(strengths):
    strengths = np.array(strengths)
    return strengths[:, None] / (strengths[:, None] + strengths)


@pytest.mark.parametrize(
    "prefs",
    [ladder(2, 0.2), CYCLE, CYCLIC, np.full((5, 5), 0.5), plackett_luce([8, 7, 4, 2, 1, 1]), ladder(9)],
    ids=len,
)
def test_course_equals_the_twin(prefs):
    assert assert_same_course(Plpac, HURRIED, prefs, STEPS, runs=8, fast_forwards=(False,)) >= 6


def test_number_of_duels_by_agendas_has_the_distribution_of_the_twin():
    """In 200 runs of each, within 4.5 standard errors."""
    prefs, steps = plackett_luce([8, 4, 2, 1]), [100, 1000]
    twins = [slow_course(Plpac, HURRIED, prefs, steps, 1, run) for run in range(200)]
    traces = [fast(HURRIED, prefs, steps, 2, run) for run in range(200)]
    assert all(trace.finished[-1] for trace in traces)
    assert_same_numbers(
        np.array([trace.duels.sum(axis=1) for trace in traces]),
        np.array([[duels.sum() for duels, *_ in course] for course in twins]),
    )


def test_length_of_a_run_of_two_arms_with_certain_outcomes():
    """The winner is within epsilon of the best once 1 - sqrt(ln(16 n^2 / .1) / 2 n) > .45."""
    n = next(n for n in count(1) if 1 - math.sqrt(math.log(16 * n**2 / 0.1) / (2 * n)) > 0.45)
    trace = fast(configure(POLICY), ladder(2, 1.0), [n - 1, n, 10**12], seed=1, run=0)
    assert n == 18 and n_duels(trace) == n and trace.finished.tolist() == [False, True, True]
    assert trace.rounds.tolist() == [n - 1, n, n] and trace.survivors.tolist() == [2, 1, 1]
    assert trace.answers[-1].tolist() == [True, False] and trace.selves[-1, 0] == 10**12 - n


def after_rankings(configured, wins):
    """Return the policy, beginning with the wins of earlier rankings whose bounds were not yet computed."""
    state = POLICY.init(len(wins), kernel_params(configured, 1), np.random.default_rng(0))
    state.wins[:] = wins
    return configured._replace(thing=POLICY._replace(init=lambda *_: state))


def test_answer_may_be_several_arms():
    """Arms 0 and 1 are even in 2,000 rankings: .5 - sqrt(ln(36 * 2000^2 / .1) / 4000) = .427, above .5 - .1.

    Both beat arm 2, which is eliminated after the two duels of a pass.
    """
    wins = [[0, 1000, 1000], [1000, 0, 1000], [0, 0, 0]]
    trace = fast(after_rankings(configure(POLICY, epsilon=0.1), wins), ladder(3), [1, 2, 3], 0, 0)
    assert trace.finished.tolist() == [False, True, True] and trace.survivors.tolist() == [3, 2, 2]
    assert trace.answers[1:].tolist() == [[True, True, False]] * 2 and trace.selves[-1].sum() == 1


def test_neighbours_may_be_eliminated_in_one_pass():
    """Arms 1 and 2 are beaten by the others; arms 0 and 3 are undecided."""
    wins = [[0, 1000, 1000, 50], [0, 0, 0, 0], [0, 0, 0, 0], [50, 1000, 1000, 0]]
    trace = fast(after_rankings(configure(POLICY), wins), ladder(4), [2, 3], 0, 0)
    assert trace.survivors.tolist() == [4, 2] and not trace.finished.any()
