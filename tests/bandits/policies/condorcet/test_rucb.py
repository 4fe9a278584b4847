"""RUCB: the fast form is its naive twin, choice by choice."""

import numpy as np
import pytest
from naive.policies.rucb import Rucb
from support.policies import CYCLIC, assert_same_choices, ladder

from bandits import policy

pytestmark = pytest.mark.kernel

STEPS = [1, 2, 3, 10, 100, 400, 1000]


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)], ids=len
)
def test_choices_are_the_twins(prefs):
    assert_same_choices(Rucb, policy("rucb"), prefs, STEPS, runs=20)


@pytest.mark.parametrize(
    "settings", [{"alpha": 0.1}, {"use_b": False}, {"unvisited_u": 1}, {"unvisited_u": np.inf}]
)
def test_switches_are_the_twins(settings):
    assert_same_choices(Rucb, policy("rucb", **settings), CYCLIC, STEPS, runs=20)
