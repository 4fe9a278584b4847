"""RankEl, as reconstructed: the fast form is its naive twin, choice by choice."""

import math

import numpy as np
import pytest
from naive.policies.rankel import RankEl
from support.final_answers import assert_same_answers
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from bandits.contract import configure
from bandits.policies.copeland.rankel import POLICY, RANKING, WINNER, _can_reach, _meet, _settle
from experiments.matrix.builtin import MATRICES
from rankduel.base.errors import PolicyError
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 100, 300, 1000]
HURRIED = {"horizon": 1, "delta": 1.0}
RANKED = {"target": "ranking"}


@pytest.mark.parametrize("settings", [{}, RANKED, {"rho": 1}, {"rho": 1, **RANKED}], ids=str)
@pytest.mark.parametrize(
    "prefs", [ladder(3, 0.5), CYCLIC, MATRICES["multisol"].make(), ladder(8, 0.2)], ids=len
)
def test_choices_are_the_twins(prefs, settings):
    assert_same_choices(RankEl, configure(POLICY, **HURRIED, **settings), prefs, STEPS, runs=4)


@pytest.mark.parametrize("settings", [{}, {"rho": 2}, RANKED], ids=str)
def test_answers_are_the_twins(settings):
    configured = configure(POLICY, **HURRIED, **settings)
    n = assert_same_answers(RankEl, configured, ladder(5, 0.4), [1, 8, 100, 3000], runs=5)
    assert 5 <= n <= 10


def test_the_runs_own_horizon_is_the_twins():
    assert_same_choices(RankEl, configure(POLICY), ladder(4, 0.5), [300, 1000], runs=3)


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [2, 3, 5, 8, 12])
@pytest.mark.parametrize("target", ["winner", "ranking"])
def test_many_choices_are_the_twins(n_arms, target):
    rng = np.random.default_rng(n_arms)
    for rho in {0, 1, 3}:
        if rho < n_arms - 1:
            upper = np.triu(rng.random((n_arms, n_arms)), 1)
            prefs = upper + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2
            configured = configure(POLICY, rho=rho, target=target, **HURRIED)
            assert_same_choices(RankEl, configured, prefs, [10, 100, 1000, 3000], runs=5)
            assert_same_answers(RankEl, configured, prefs, [10, 100, 1000], runs=5)


def test_a_certain_sign_is_known_when_the_radius_says_so():
    """With 2 arms and delta = 0.1, when n > 2 ln(5 * 4 * n^4 / 0.4)."""
    n = next(n for n in range(1, 1000) if n > 2 * math.log(50 * n**4))
    trace = fast(configure(POLICY, delta=0.1), ladder(2, 0.5), [n - 1, n, 1000], seed=1, run=0)
    assert trace.finished.tolist() == [False, True, True]
    assert trace.selves[-1].tolist() == [1000 - n, 0]


def settled(known, rho, target):
    out = np.zeros(len(known), bool)
    _settle.py_func(np.array(known), np.array([rho, target]), out)
    return out.tolist()


def test_who_is_settled():
    """Of others, 0 beats 3, arm 1 beats 1 or 2, arm 2 beats 1 at most, and so does 3."""
    known = [[3, 0], [1, 1], [0, 2], [0, 2]]
    assert settled(known, 0, WINNER) == [True, True, True, True]
    assert settled(known, 0, RANKING) == [True, False, False, False]
    assert settled(known, 1, RANKING) == [True, False, False, False]
    assert settled(known, 2, RANKING) == [True, True, True, True]


def test_arms_that_may_not_reach_the_top_do_not_matter_to_the_winner():
    """0 and 1 beat two others at least; 2 beats one at most, which 3 may too."""
    assert settled([[2, 0], [2, 0], [0, 2], [0, 2]], 0, WINNER) == [False, False, True, True]
    assert settled([[2, 0], [2, 0], [0, 2], [0, 2]], 0, RANKING) == [False, False, False, False]
    assert settled([[2, 0], [2, 0], [0, 2], [0, 2]], 1, WINNER) == [True, True, True, True]


def test_intervals_that_touch_meet():
    known = np.array([[2, 0], [0, 1], [0, 2], [0, 0]])  # at least 2, at most 2, at most 1, any
    assert _can_reach(known, 1, 2) and not _can_reach(known, 2, 2)
    assert _meet(known, 0, 1) and _meet(known, 1, 0) and _meet(known, 3, 0)
    assert not _meet(known, 0, 2) and not _meet(known, 2, 0)


def test_a_tolerance_that_leaves_nothing_to_order():
    with pytest.raises(PolicyError, match="rho is 3; expected less than 3"):
        POLICY.init(4, kernel_params(configure(POLICY, rho=3), 100), np.random.default_rng(0))
