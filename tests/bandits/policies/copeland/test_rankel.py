"""Test that RankEl chooses the pairs of its twin, tests/naive/policies/rankel.py, and the edge cases."""

import math

import numpy as np
import pytest
from naive.policies.rankel import RankEl
from support.final_answers import assert_same_answers
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.parts.racing.known_signs import KnownSigns
from rankduel.bandits.policies.copeland.rankel import POLICY, _are_incomparable, _is_relevant, _settle
from rankduel.base.errors import PolicyError
from rankduel.base.settings import kernel_params
from rankduel.experiments.matrix.builtin import MATRICES

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 100, 300, 1000]
HURRIED = {"horizon": 1, "delta": 1.0}
RANKED = {"target": "ranking"}


# Equality with the twin


@pytest.mark.parametrize("settings", [{}, RANKED, {"rho": 1}, {"rho": 1, **RANKED}], ids=str)
@pytest.mark.parametrize(
    "prefs", [ladder(3, 0.5), CYCLIC, MATRICES["multisol"].make(), ladder(8, 0.2)], ids=len
)
def test_choices_equal_the_twin(prefs, settings):
    assert_same_choices(RankEl, configure(POLICY, **HURRIED, **settings), prefs, STEPS, runs=4)


@pytest.mark.parametrize("settings", [{}, {"rho": 2}, RANKED], ids=str)
def test_answers_equal_the_twin(settings):
    configured = configure(POLICY, **HURRIED, **settings)
    n = assert_same_answers(RankEl, configured, ladder(5, 0.4), [1, 8, 100, 3000], runs=5)
    assert 5 <= n <= 10


def test_choices_equal_the_twin_with_the_horizon_of_the_run():
    assert_same_choices(RankEl, configure(POLICY), ladder(4, 0.5), [300, 1000], runs=3)


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [2, 3, 5, 8, 12])
@pytest.mark.parametrize("target", ["winner", "ranking"])
def test_many_choices_equal_the_twin(n_arms, target):
    rng = np.random.default_rng(n_arms)
    for rho in {0, 1, 3}:
        if rho < n_arms - 1:
            upper = np.triu(rng.random((n_arms, n_arms)), 1)
            prefs = upper + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2
            configured = configure(POLICY, rho=rho, target=target, **HURRIED)
            assert_same_choices(RankEl, configured, prefs, [10, 100, 1000, 3000], runs=5)
            assert_same_answers(RankEl, configured, prefs, [10, 100, 1000], runs=5)


# Signs, relevant arms and incomparable arms


def test_sign_of_certain_wins_is_known_when_the_radius_is_below_one_half():
    """With 2 arms and delta = 0.1, when n > 2 ln(5 * 4 * n^4 / 0.4)."""
    n = next(n for n in range(1, 1000) if n > 2 * math.log(50 * n**4))
    trace = fast(configure(POLICY, delta=0.1), ladder(2, 0.5), [n - 1, n, 1000], seed=1, run=0)
    assert trace.finished.tolist() == [False, True, True]
    assert trace.selves[-1].tolist() == [1000 - n, 0]


def settled(wins, losses, **settings):
    """Return the settled arms, given how many others each arm is known to beat and to lose to."""
    params = kernel_params(configure(POLICY, **settings), 100)
    state = POLICY.init(len(wins), params, np.random.default_rng(0))
    state.known.wins[:], state.known.losses[:] = wins, losses
    _settle.py_func(state, params)
    return state.race.settled.tolist()


def test_settled_arms_are_comparable_with_all_relevant_arms():
    """Of others, 0 beats 3, arm 1 beats 1 or 2, arm 2 beats 1 at most, and so does 3."""
    wins, losses = [3, 1, 0, 0], [0, 1, 2, 2]
    assert settled(wins, losses) == [True, True, True, True]
    assert settled(wins, losses, rho=0, **RANKED) == [True, False, False, False]
    assert settled(wins, losses, rho=1, **RANKED) == [True, False, False, False]
    assert settled(wins, losses, rho=2, **RANKED) == [True, True, True, True]


def test_arms_that_cannot_be_winners_are_not_relevant_to_the_winner():
    """0 and 1 beat two others at least; 2 and 3 beat one at most."""
    wins, losses = [2, 2, 0, 0], [0, 0, 2, 2]
    assert settled(wins, losses) == [False, False, True, True]
    assert settled(wins, losses, **RANKED) == [False, False, False, False]
    assert settled(wins, losses, rho=1) == [True, True, True, True]


def test_intervals_that_share_an_end_overlap():
    known = KnownSigns(
        np.array([2, 0, 0, 0]), np.array([0, 1, 2, 0])
    )  # at least 2, at most 2, at most 1, any
    assert _is_relevant(known, 1, 2)
    assert not _is_relevant(known, 2, 2)
    assert all(_are_incomparable(known, *pair) for pair in ((0, 1), (1, 0), (3, 0)))
    assert not any(_are_incomparable(known, *pair) for pair in ((0, 2), (2, 0)))


def test_tolerance_that_leaves_nothing_to_order_is_an_error():
    with pytest.raises(PolicyError, match="rho is 3; expected less than 3"):
        POLICY.init(4, kernel_params(configure(POLICY, rho=3), 100), np.random.default_rng(0))
