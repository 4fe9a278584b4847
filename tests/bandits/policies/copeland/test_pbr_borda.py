"""Test that PBR-SE chooses the pairs of its literal twin, tests/naive/policies/pbr_borda.py."""

import numpy as np
import pytest
from naive.policies.pbr_borda import PbrBorda
from support.final_answers import assert_same_answers
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.copeland.pbr_borda import POLICY
from rankduel.experiments.matrix.builtin import MATRICES

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 100, 300, 1000]
EASY = {"horizon": 1, "delta": 1.0, "n_max": 60}
TIGHT = {"rules": "tight"}
ORDERED = {"ordered": True}


# Equality with the twin


@pytest.mark.parametrize("settings", [{}, TIGHT, ORDERED, {"kappa": 2, **TIGHT, **ORDERED}], ids=str)
@pytest.mark.parametrize(
    "prefs", [ladder(3, 0.5), CYCLIC, MATRICES["multisol"].make(), ladder(7, 0.3)], ids=len
)
def test_choices_equal_the_twin(prefs, settings):
    assert_same_choices(PbrBorda, configure(POLICY, **EASY, **settings), prefs, STEPS, runs=5)


@pytest.mark.parametrize("settings", [{}, TIGHT, {"kappa": 2, **TIGHT}, {"kappa": 3, **ORDERED}], ids=str)
def test_answers_equal_the_twin(settings):
    configured = configure(POLICY, horizon=1, delta=1.0, n_max=150, **settings)
    n = assert_same_answers(PbrBorda, configured, ladder(5, 0.3), [1, 8, 100, 4000], runs=6)
    assert n >= 6


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, TIGHT, ORDERED, {**TIGHT, **ORDERED}], ids=str)
@pytest.mark.parametrize("n_arms", [2, 3, 5, 8, 12])
def test_many_choices_equal_the_twin(n_arms, settings):
    rng = np.random.default_rng(n_arms)
    for kappa in {1, 2, n_arms - 1} - {n_arms}:
        prefs = np.clip(ladder(n_arms, 0.3) + 0.1 * np.triu(rng.random((n_arms, n_arms)), 1), 0.0, 1.0)
        prefs = np.triu(prefs, 1) + np.tril(1 - prefs.T, -1) + np.eye(n_arms) / 2
        configured = configure(POLICY, delta=1.0, n_max=300, kappa=kappa, **settings)
        assert_same_choices(PbrBorda, configured, prefs, [10, 100, 1000, 3000], runs=4)
        assert_same_answers(PbrBorda, configured, prefs, [10, 100, 3000], runs=4)


# Selected and discarded arms


@pytest.mark.parametrize(("settings", "n"), [(TIGHT, 18), ({**TIGHT, **ORDERED}, 36), ({}, 101)], ids=str)
def test_two_arms_are_decided_after_eighteen_duels(settings, n):
    """2 ln(8 * 100 / 0.1) = 17.97. Literally, one of two arms is never discarded, until n_max is passed."""
    configured = configure(POLICY, n_max=100, delta=0.1, **settings)
    trace = fast(configured, ladder(2, 0.5), [n - 1, n, 1000], seed=1, run=0)
    assert trace.finished.tolist() == [False, True, True]
    assert trace.selves[-1].tolist() == [1000 - n, 0]


def test_discarded_arm_has_no_more_duels():
    """Four arms in a certain order: leads per round are 3, 1, -1, -3, and an arm is discarded when 2 others
    lead it by more than 6 sqrt(2 n L), L = ln(32 * 1000 / 0.1) = 12.68.

    The last is led by 6 and 4 per round: 4 n > 6 sqrt(2 n L), so n > 57.05. Of three arms, with 4, 2, 0
    and 4 sqrt(2 n L), the last is led by two others by 2 or more: 2 n > 4 sqrt(2 n L), so n > 101.4. Then two
    arms are left, and literally neither is ever discarded.
    """
    trace = fast(
        configure(POLICY, n_max=1000, delta=0.1), ladder(4, 0.5), [348, 351, 480, 481], seed=1, run=0
    )
    np.testing.assert_array_equal(np.diff(trace.duels, axis=0)[:, 3], [0, 0, 0])
    assert trace.duels[0].tolist() == [174, 174, 174, 174]
    assert trace.duels[1].tolist() == [176, 176, 176, 174]
    assert trace.duels[2].tolist() == [262, 262, 262, 174]
    assert trace.duels[3].tolist() == [263, 263, 262, 174]


def test_duels_with_decided_arms_do_not_count():
    """Arm 1 has the best mean, but 2 and 3 are discarded first; then its duels with arm 0 decide."""
    prefs = np.array([[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 1, 1], [0.4, 0, 0.5, 0.5], [0.4, 0, 0.5, 0.5]])
    for run in range(5):
        trace = fast(configure(POLICY, delta=0.1, **TIGHT), prefs, [100_000], seed=1, run=run)
        assert trace.finished[-1] and trace.recommended[-1] == 0
