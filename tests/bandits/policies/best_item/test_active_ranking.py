"""Test that both forms of Active Ranking choose the pairs of their literal twins, and the stopping rules."""

import numpy as np
import pytest
from naive.policies.active_ranking import Lucb
from naive.policies.active_ranking_se import Elimination
from support.best_item_runs import assert_same_answers_at_once, assert_same_runs
from support.best_items import n_duels
from support.policies import CYCLIC, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.best_item.active_ranking import POLICY as LUCB
from rankduel.bandits.policies.best_item.active_ranking_se import POLICY as ELIMINATION

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

CERTAIN = np.clip(ladder(6, 1.0), 0, 1)
ALWAYS = np.array([[0.5, 1.0], [0.0, 0.5]])  # arm 0 always beats arm 1


# Equality with the twins


@pytest.mark.parametrize("settings", [{}, {"k": 3}, {"k": 2, "radius": "intended", "delta": 0.9}])
def test_every_step_of_lucb_equals_the_twin(settings):
    ended = 0
    for prefs in (
        ladder(2),
        ladder(3, 0.3),
        CYCLIC,
        ladder(5),
        ladder(13, 0.02),
        np.full((7, 7), 0.5),
        CERTAIN,
    ):
        configured = configure(LUCB, **settings)
        ended += assert_same_runs(Lucb, configured, prefs, 150, runs=3)
    assert ended >= 3


@pytest.mark.parametrize("settings", [{"delta": 1.0}, {"k": 3, "delta": 1.0, "radius": "coded"}, {"k": 2}])
def test_every_step_of_elimination_equals_the_twin(settings):
    ended = 0
    for prefs in (ladder(2, 0.3), ladder(3), CYCLIC, ladder(5), ladder(13, 0.04), CERTAIN):
        configured = configure(ELIMINATION, **settings)
        ended += assert_same_runs(Elimination, configured, prefs, 300, runs=3)
    assert ended >= 3


def test_agendas_have_the_distribution_of_single_duels():
    configured = configure(ELIMINATION, k=2, delta=1.0, radius="coded")
    assert_same_answers_at_once(configured, ladder(5, 0.2), [3, 5, 17, 60, 150], runs=1500)


# The stopping rules


@pytest.mark.parametrize("policy", [LUCB, ELIMINATION], ids=["lucb", "elimination"])
def test_finding_all_arms_takes_no_comparison(policy):
    for k in (3, 4):
        trace = fast(configure(policy, k=k), ladder(3), [1, 10], 0, 0)
        assert trace.finished.all() and trace.answers.all() and n_duels(trace) == 0


def test_lucb_stops_when_the_bounds_are_separated():
    """After n samples of each arm, 1 - r > 0 + r with r^2 = 3 / 2n requires n > 6."""
    trace = fast(configure(LUCB), ALWAYS, [13, 14, 100], 0, 0)
    assert trace.finished.tolist() == [False, True, True] and n_duels(trace) == 14


def test_lucb_with_the_intended_radius_stops_when_the_bounds_are_separated():
    """1 - r > 0 + r with r^2 = b / 2n, b = 2.996 + .823 + 1.5 ln(1 + ln(n / 2)), requires n = 11."""
    trace = fast(configure(LUCB, radius="intended"), ALWAYS, [21, 22, 100], 0, 0)
    assert trace.finished.tolist() == [False, True, True] and n_duels(trace) == 22


def test_elimination_stops_when_all_arms_are_decided():
    """n wins to none exceed the margin if n > 2 sqrt(n b / 2), b as for the intended radius: n = 11."""
    trace = fast(configure(ELIMINATION), ALWAYS, [21, 22, 100], 0, 0)
    assert trace.finished.tolist() == [False, True, True] and n_duels(trace) == 22
    assert trace.survivors.tolist() == [2, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"radius": "coded"}])
def test_elimination_is_wrong_in_at_most_a_tenth_of_the_runs(settings):
    """delta is 0.1. 100 runs on an easy ladder, of which none was wrong."""
    configured = configure(ELIMINATION, k=2, **settings)
    traces = [fast(configured, ladder(6, 0.1), [20_000], 0, run) for run in range(100)]
    assert all(trace.finished[-1] for trace in traces)
    assert sum(np.flatnonzero(trace.answers[-1]).tolist() == [0, 1] for trace in traces) >= 90
