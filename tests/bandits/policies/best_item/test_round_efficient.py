"""Test that Round-Efficient dueling chooses the pairs of its literal twin, and when arms are eliminated."""

import math

import numpy as np
import pytest
from naive.policies.round_efficient import RoundEfficient
from support.best_item_runs import assert_same_answers_at_once, assert_same_runs
from support.best_items import n_duels
from support.policies import CYCLIC, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.best_item.round_efficient import POLICY

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

PREFS = [ladder(2), ladder(3), CYCLIC, ladder(8, 0.02), ladder(13, 0.02), np.full((5, 5), 0.5)]
CERTAIN = [np.clip(ladder(n_arms, 1.0), 0, 1) for n_arms in (2, 3, 5, 6)]


# Equality with the twin


@pytest.mark.parametrize("prefs", PREFS, ids=len)
def test_every_step_equals_the_twin(prefs):
    assert_same_runs(RoundEfficient, configure(POLICY), prefs, 60, runs=4)


@pytest.mark.parametrize("prefs", CERTAIN, ids=len)
def test_elimination_equals_the_twin(prefs):
    assert assert_same_runs(RoundEfficient, configure(POLICY, delta=1.0), prefs, 900, runs=1) == 1


def test_agendas_have_the_distribution_of_single_duels():
    assert_same_answers_at_once(configure(POLICY), ladder(5, 0.1), [1, 2, 3, 8, 30], runs=1500)


# Rounds and elimination


def test_an_arm_is_eliminated_when_the_lead_exceeds_t_radii():
    """With two arms a win scores 1, and the loser is eliminated after t > sqrt(18 t ln(4 t^2 / d)) rounds."""
    first = next(t for t in range(1, 1000) if t > math.sqrt(18 * t * math.log(4 * t * t / 0.2)))
    trace = fast(configure(POLICY), CERTAIN[0], [first - 1, first, first + 50], 0, 0)
    assert trace.finished.tolist() == [False, True, True] and trace.survivors.tolist() == [2, 1, 1]
    assert n_duels(trace) == first


def test_twenty_rounds_of_a_hundred_arms_eliminate_none_and_most_wins_are_the_answer():
    prefs = np.clip(ladder(100, 1.0), 0, 1)
    trace = fast(configure(POLICY), prefs, np.arange(50, 1001, 50), 0, 0)
    assert (trace.survivors == 100).all() and (trace.duels == np.arange(1, 21)[:, None]).all()
    assert trace.answers[0].sum() == 50  # every winner of the first round
    assert trace.answers[:, 0].all()  # arm 0 never loses


def test_one_of_an_odd_number_of_arms_has_no_opponent():
    trace = fast(configure(POLICY), ladder(5), np.arange(2, 41, 2), 0, 0)
    rounds = np.diff(trace.duels, axis=0, prepend=0)
    assert ((rounds == 1).sum(axis=1) == 4).all() and (rounds.sum(axis=0) < 20).all()
