"""Test that Seq-Eliminate and Soft-Seq-Elim have the course of their literal twins, duel by duel."""

import math
from itertools import count

import numpy as np
import pytest
from naive.policies.seq_eliminate import SeqEliminate
from naive.policies.soft_seq_eliminate import SoftSeqEliminate
from support.best_items import assert_same_course, n_duels
from support.policies import CYCLIC, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.best_item import seq_eliminate, soft_seq_eliminate

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 30, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 4000]
HURRIED = {"epsilon": 0.3, "delta": 0.5}
BOTH = pytest.mark.parametrize(
    "policy, twin",
    [(seq_eliminate.POLICY, SeqEliminate), (soft_seq_eliminate.POLICY, SoftSeqEliminate)],
    ids=["seq", "soft"],
)


@BOTH
@pytest.mark.parametrize("prefs", [ladder(2), ladder(3), CYCLIC, np.full((5, 5), 0.5), ladder(8)], ids=len)
def test_course_equals_the_twin(policy, twin, prefs):
    assert assert_same_course(twin, configure(policy, **HURRIED), prefs, STEPS, runs=10) == 10


@BOTH
def test_course_with_many_arms_equals_the_twin(policy, twin):
    """Steps of .03, so that many arms are neither better nor worse than the anchor."""
    steps = [*STEPS, 10_000, 60_000]
    assert assert_same_course(twin, configure(policy, **HURRIED), ladder(21, 0.03), steps, runs=3) == 3


@BOTH
def test_course_without_transitivity_equals_the_twin(policy, twin):
    """Random preferences, so that arms are eliminated in any order."""
    rng = np.random.default_rng(3)
    for n_arms in (3, 6, 9):
        upper = np.triu(rng.random((n_arms, n_arms)), 1)
        prefs = upper + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2
        assert assert_same_course(twin, configure(policy, **HURRIED), prefs, STEPS, runs=10) >= 8


@pytest.mark.parametrize(
    "policy, share, slack, lengths",
    [
        (seq_eliminate.POLICY, 0.1 / 2, 0.0, [19, 24]),
        (soft_seq_eliminate.POLICY, 2 * 0.1 / 4, 0.0125, [20, 26]),
    ],
    ids=["seq", "soft"],
)
def test_length_of_a_match_with_certain_outcomes(policy, share, slack, lengths):
    """A match takes t duels until |+-1/2 - .025| > sqrt(ln(4 t^2 / delta') / 2 t) + slack.

    That is fewer if the first anchor wins.
    """
    found = set()
    for run in range(20):
        trace = fast(configure(policy), ladder(2, 1.0), [10**12], seed=1, run=run)
        assert trace.recommended[-1] == 0 and trace.selves[-1, 0] == 10**12 - n_duels(trace)
        found.add(n_duels(trace))
    expected = {
        next(t for t in count(1) if lead > math.sqrt(math.log(4 * t**2 / share) / (2 * t)) + slack)
        for lead in (0.475, 0.525)
    }
    assert found == expected == set(lengths)


@BOTH
def test_first_anchor_is_random(policy, twin):
    """Each of three arms in a third of 900 runs, +- 4.5 standard errors; one duel replaces no anchor."""
    anchors = [fast(configure(policy), ladder(3), [1], seed=2, run=run).recommended[0] for run in range(900)]
    assert np.abs(np.bincount(anchors) - 300).max() < 4.5 * math.sqrt(900 * 2 / 9)
