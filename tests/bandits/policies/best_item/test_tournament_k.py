"""Test that Tournament-k-Selection and SEEBS have the course of their literal twins, duel by duel."""

import math
from itertools import count

import numpy as np
import pytest
from naive.policies.seebs import Seebs
from naive.policies.tournament_k import TournamentK
from support.best_items import assert_same_course, n_duels
from support.policies import CYCLIC, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.best_item import seebs, tournament_k

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 30, 100, 200, 300, 400, 500, 1000, 2000, 4000, 10_000, 40_000]
HURRIED = {"epsilon": 0.5, "delta": 0.5}


@pytest.mark.parametrize("prefs", [ladder(2, 0.2), CYCLIC, ladder(8, 0.2)], ids=len)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_course_equals_the_twin(k, prefs):
    configured = configure(tournament_k.POLICY, k=k, **HURRIED)
    assert assert_same_course(TournamentK, configured, prefs, STEPS, runs=4) >= 1


@pytest.mark.parametrize("k", [1, 2])
def test_course_with_even_arms_equals_the_twin(k):
    """Two groups of even arms, so that arms are even with their pivot to the last duel of a match."""
    better = np.array([1, 1, 0, 0, 0])
    prefs = 0.5 + 0.3 * (better[:, None] - better)
    configured = configure(tournament_k.POLICY, k=k, **HURRIED)
    assert assert_same_course(TournamentK, configured, prefs, STEPS, runs=4) >= 3


def test_length_of_matches_with_certain_outcomes():
    """With four arms and k = 1, the match of a block has delta' = delta_t / 2, and takes n duels until

    1/2 > sqrt(ln(pi^2 n^2 / 3 delta') / 2 n).
    """
    lengths = []
    for delta in (6 * 0.1 / math.pi**2 / t**2 / 2 for t in (1, 2)):
        lengths.append(
            next(n for n in count(1) if math.sqrt(math.log(math.pi**2 * n**2 / (3 * delta)) / (2 * n)) < 0.5)
        )
    first, second = lengths
    assert lengths == [22, 26]
    steps = [2 * first, 2 * first + second, 10**12]
    trace = fast(configure(tournament_k.POLICY), ladder(4, 1.0), steps, seed=1, run=0)
    assert trace.survivors.tolist() == [2, 1, 1] and trace.finished.tolist() == [False, True, True]
    assert n_duels(trace) == steps[1] and trace.selves[-1, 0] == 10**12 - steps[1]


@pytest.mark.parametrize("k", [3, 5, 8])
def test_answer_is_the_best_k_arms(k):
    trace = fast(configure(tournament_k.POLICY, k=k), ladder(9, 1.0), [100_000], seed=1, run=0)
    assert trace.finished[-1] and np.flatnonzero(trace.answers[-1]).tolist() == list(range(k))


def test_at_most_k_arms_need_no_duel():
    trace = fast(configure(tournament_k.POLICY, k=7), ladder(5), [1, 10**12], seed=1, run=0)
    assert trace.finished.all() and trace.answers.all() and not trace.duels.any()


def test_places_among_even_arms_are_random():
    """Each of five even arms is among the best two in 2/5 of 400 runs, +- 4.5 standard errors."""
    configured = configure(tournament_k.POLICY, k=2, **HURRIED)
    traces = [fast(configured, np.full((5, 5), 0.5), [100_000], seed=4, run=run) for run in range(400)]
    assert all(trace.finished[-1] for trace in traces)
    chosen = sum(trace.answers[-1].astype(int) for trace in traces)
    assert chosen.sum() == 800 and np.abs(chosen - 160).max() < 4.5 * math.sqrt(400 * 0.24)


@pytest.mark.parametrize("prefs", [ladder(2, 0.2), ladder(3, 0.2), CYCLIC, ladder(8, 0.15)], ids=len)
def test_course_of_seebs_equals_the_twin(prefs):
    """The first arm is the best in all matrices, also in that where the others form a cycle."""
    assert assert_same_course(Seebs, configure(seebs.POLICY, delta=0.5), prefs, STEPS, runs=4) >= 1
