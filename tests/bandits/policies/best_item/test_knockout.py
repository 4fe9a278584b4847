"""Test that Knockout has the course of its literal twin, duel by duel, and its rounds and draws."""

import math
from itertools import count

import numpy as np
import pytest
from naive.policies.knockout import Knockout
from support.best_items import assert_same_course, n_duels
from support.policies import CYCLIC, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.best_item.knockout import POLICY
from rankduel.base.errors import PolicyError

pytestmark = pytest.mark.kernel

STEPS = [1, 2, 3, 10, 30, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 2000, 6000]
HURRIED = {"epsilon": 0.5, "delta": 0.5}


def duels_of_a_certain_match(epsilon, delta):
    """Return the first r with 1/2 > sqrt(ln(4 r^2 / delta) / 2 r) - epsilon: one arm wins every duel."""
    return next(r for r in count(1) if 0.5 > math.sqrt(math.log(4 * r**2 / delta) / (2 * r)) - epsilon)


# Equality with the twin


@pytest.mark.parametrize("prefs", [ladder(2), ladder(3), CYCLIC, np.full((5, 5), 0.5), ladder(8)], ids=len)
def test_course_equals_the_twin(prefs):
    assert assert_same_course(Knockout, configure(POLICY, **HURRIED), prefs, STEPS, runs=10) == 10


def test_course_with_many_arms_equals_the_twin():
    configured = configure(POLICY, gamma=1.2, **HURRIED)
    assert assert_same_course(Knockout, configured, ladder(21, 0.05), [*STEPS, 20_000], runs=3) == 3


# Rounds: epsilon_i, delta_i and the random pairing


def test_matches_become_longer_from_round_to_round():
    """With certain outcomes, four arms have two matches in the first round and one in the second."""
    a_third = 2 ** (1 / 3)
    first, second = (duels_of_a_certain_match((a_third - 1) * 0.05 / a_third**i, 0.1 / 2**i) for i in (1, 2))
    trace = fast(configure(POLICY), ladder(4, 1.0), [2 * first, 2 * first + second, 10**12], seed=1, run=0)
    assert (first, second) == (20, 22)
    assert trace.survivors.tolist() == [2, 1, 1] and trace.finished.tolist() == [False, True, True]
    assert n_duels(trace) == 2 * first + second and trace.selves[-1, 0] == 10**12 - n_duels(trace)
    assert trace.recommended[-1] == 0


def test_arm_without_a_match_is_random():
    """Each of three arms is left out of the first match in a third of 900 runs, +- 4.5 standard errors."""
    left_out = sum(
        fast(configure(POLICY), ladder(3), [1], seed=2, run=run).duels[0] == 0 for run in range(900)
    )
    assert left_out.sum() == 900 and np.abs(left_out - 300).max() < 4.5 * math.sqrt(900 * 2 / 9)


def test_even_arms_win_equally_often():
    """A draw goes to the second arm, which is random: half of 800 runs, +- 4.5 standard errors."""
    configured = configure(POLICY, **HURRIED)
    runs = [fast(configured, np.full((2, 2), 0.5), [1000], seed=3, run=run) for run in range(800)]
    assert all(trace.finished[-1] for trace in runs)
    assert abs(sum(trace.recommended[-1] for trace in runs) - 400) < 4.5 * math.sqrt(200)


# Parameters


@pytest.mark.parametrize(
    "settings", [{"gamma": 0.6}, {"epsilon": 0}, {"epsilon": 0.6}, {"delta": 0}, {"delta": 1.1}], ids=str
)
def test_parameter_out_of_range_is_refused(settings):
    with pytest.raises(PolicyError, match="knockout"):
        configure(POLICY, **settings)
