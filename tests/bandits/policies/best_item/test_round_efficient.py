"""Round-efficient dueling: the fast form is its naive twin, choice by choice."""

import math

import numpy as np
import pytest
from naive.policies.round_efficient import RoundEfficient
from support.best_item_runs import assert_same_answers_at_once, assert_same_runs
from support.best_items import n_duels
from support.policies import CYCLIC, fast, ladder

from bandits.contract import configure
from bandits.policies.best_item.round_efficient import POLICY

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

PREFS = [ladder(2), ladder(3), CYCLIC, ladder(8, 0.02), ladder(13, 0.02), np.full((5, 5), 0.5)]
CERTAIN = [np.clip(ladder(n_arms, 1.0), 0, 1) for n_arms in (2, 3, 5, 6)]


@pytest.mark.parametrize("prefs", PREFS, ids=len)
def test_every_step_is_the_twins(prefs):
    assert_same_runs(RoundEfficient, configure(POLICY), prefs, 60, runs=4)


@pytest.mark.parametrize("prefs", CERTAIN, ids=len)
def test_dropping_out_is_the_twins(prefs):
    assert assert_same_runs(RoundEfficient, configure(POLICY, delta=1.0), prefs, 900, runs=1) == 1


def test_draws_at_once_have_the_law_of_single_duels():
    assert_same_answers_at_once(configure(POLICY), ladder(5, 0.1), [1, 2, 3, 8, 30], runs=1500)


def test_two_arms_part_when_the_lead_exceeds_the_radius():
    """A win of two arms counts 1: the loser is out after t rounds if t > sqrt(18 t ln(4 t^2 / d))."""
    first = next(t for t in range(1, 1000) if t > math.sqrt(18 * t * math.log(4 * t * t / 0.2)))
    trace = fast(configure(POLICY), CERTAIN[0], [first - 1, first, first + 50], 0, 0)
    assert trace.finished.tolist() == [False, True, True] and trace.survivors.tolist() == [2, 1, 1]
    assert n_duels(trace) == first


def test_twenty_rounds_of_a_hundred_drop_nobody_and_most_wins_answer():
    prefs = np.clip(ladder(100, 1.0), 0, 1)
    trace = fast(configure(POLICY), prefs, np.arange(50, 1001, 50), 0, 0)
    assert (trace.survivors == 100).all() and (trace.duels == np.arange(1, 21)[:, None]).all()
    assert trace.answers[0].sum() == 50  # every winner of the first round
    assert trace.answers[:, 0].all()  # arm 0 never loses


def test_of_an_odd_number_one_has_no_opponent():
    trace = fast(configure(POLICY), ladder(5), np.arange(2, 41, 2), 0, 0)
    rounds = np.diff(trace.duels, axis=0, prepend=0)
    assert ((rounds == 1).sum(axis=1) == 4).all() and (rounds.sum(axis=0) < 20).all()
