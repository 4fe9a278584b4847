"""Test that MallowsMPI has the course of its literal twin, duel by duel, and the length of its matches."""

import math
from itertools import count

import numpy as np
import pytest
from naive.policies.mallows_mpi import MallowsMpi
from support.best_items import assert_same_course, n_duels
from support.policies import CYCLIC, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.best_item.mallows_mpi import POLICY

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 30, 100, 200, 300, 500, 1000, 2000]


@pytest.mark.parametrize("prefs", [ladder(2, 0.2), ladder(3, 0.2), ladder(8, 0.3)], ids=len)
def test_course_equals_the_twin(prefs):
    assert assert_same_course(MallowsMpi, configure(POLICY, delta=0.5), prefs, STEPS, runs=10) == 10


@pytest.mark.parametrize("prefs", [CYCLIC, np.full((5, 5), 0.5), ladder(21, 0.02)], ids=len)
def test_course_of_an_unfinished_run_equals_the_twin(prefs):
    assert assert_same_course(MallowsMpi, configure(POLICY), prefs, STEPS, runs=5) < 5


def test_length_of_matches_with_certain_outcomes():
    """Each of the four matches of five arms takes t duels until 1/2 > sqrt(ln(4 * 5 t^2 / .05) / 2 t)."""
    t = next(t for t in count(1) if 0.5 > math.sqrt(math.log(20 * t**2 / 0.05) / (2 * t)))
    trace = fast(configure(POLICY), ladder(5, 1.0), [4 * t - 1, 4 * t, 10**12], seed=1, run=0)
    assert t == 25 and n_duels(trace) == 4 * t
    assert trace.finished.tolist() == [False, True, True] and trace.survivors.tolist() == [2, 1, 1]
    assert trace.recommended[-1] == 0 and trace.selves[-1, 0] == 10**12 - 4 * t
