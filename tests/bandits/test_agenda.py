"""Test the order of the comparisons of an agenda, and that playing them at once or singly is the same."""

from typing import NamedTuple

import numpy as np
import pytest
from support.policies import generators, ladder

from rankduel.bandits import configure, start
from rankduel.bandits.agenda import (
    Agenda,
    add,
    clear,
    empty_agenda,
    play_one_arm,
    times_compared,
    times_within,
)
from rankduel.bandits.contract import policy_of
from rankduel.bandits.loop import Duel, run_loop
from rankduel.bandits.matrix_duels import by_matrix, matrix_duel
from rankduel.base.compiling import kernel, record

pytestmark = pytest.mark.kernel


class Params(NamedTuple):
    times: int = 3
    agendas: int = 4


class Now(NamedTuple):
    n_learned: int = 0  # number of agendas learned from


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    agenda: Agenda
    wins: np.ndarray  # (arms, arms) int64


def init(n_arms, params, rng):
    return State(record(Now()), empty_agenda(n_arms * n_arms), np.zeros((n_arms, n_arms), np.int64))


@kernel
def plan(state, params, rng):
    """Plan all pairs; after `agendas` agendas, arm 1 alone."""
    n_learned = state.now[0].n_learned
    if n_learned == params.agendas:
        play_one_arm(state.agenda, 1)
        return
    clear(state.agenda, params.times + n_learned)
    for first in range(len(state.wins)):
        for second in range(first):
            add(state.agenda, first, second)


@kernel
def learn(state, params):
    for index in range(len(state.wins) * (len(state.wins) - 1) // 2):
        first, second = state.agenda.pairs[index]
        state.wins[first, second] += state.agenda.wins[index]
    state.now[0].n_learned += 1


@kernel
def recommend(state, params):
    return int(state.wins[1, 0] >= 2)


ALL_PAIRS = policy_of(__name__)
STEPS = np.array([1, 2, 9, 10, 17, 18, 42, 43, 54, 99, 100, 200])  # agendas end after 18, 42, 72 and 108


def run(duel, seed=0, fast_forward=True):
    rng, users = generators(seed, 0)
    configured = configure(ALL_PAIRS)
    return run_loop(
        configured, duel, np.arange(4.0), np.array([2, 0, 3, 1]), STEPS, rng, users, fast_forward=fast_forward
    )


def test_pairs_are_compared_in_sweeps():
    agenda = empty_agenda(5)
    clear(agenda, 4)
    for second in (1, 2, 3):
        add(agenda, 0, second)
    order = [step % 3 for step in range(12)]
    for played in range(13):
        agenda.now[0].played = played
        for index in range(3):
            assert times_compared(agenda, index) == order[:played].count(index)
            for n in range(13 - played):
                assert times_within(agenda, index, n) == order[played : played + n].count(index)


@pytest.mark.parametrize("fast_forward", [True, False])
def test_counts_do_not_depend_on_how_the_agenda_is_played(fast_forward):
    prefs = ladder(4)
    stepper = start(configure(ALL_PAIRS), 4)
    pairs, selves, rows = np.zeros((4, 4), np.int64), np.zeros(4, np.int64), []
    for t in range(1, 201):
        first, second = stepper.select()
        stepper.update(True)
        pairs[first, second] += first != second
        selves[first] += first == second
        if t in STEPS:
            rows.append(((pairs + pairs.T).sum(axis=1), selves.copy(), pairs.max()))
    assert selves.tolist() == [0, 200 - 108, 0, 0] and (pairs.max(), pairs.sum()) == (18, 108)
    for duel in (by_matrix(prefs), Duel(matrix_duel, prefs)):
        trace = run(duel, fast_forward=fast_forward)
        for row, (duels, alone, most) in enumerate(rows):
            np.testing.assert_array_equal(trace.duels[row, [2, 0, 3, 1]], duels)
            np.testing.assert_array_equal(trace.selves[row, [2, 0, 3, 1]], alone)
            assert trace.most[row] == most
        np.testing.assert_array_equal(trace.rounds, [1, 1, 1, 1, 1, 1, 2, 3, 3, 4, 4, 4])


@pytest.mark.parametrize("fast_forward", [True, False])
def test_outcomes_of_one_draw_per_pair_have_the_law_of_single_duels(fast_forward):
    """Arm 0 wins at least two of three duels with probability .784; 2,000 runs, 5 standard errors."""
    prefs, configured = np.array([[0.5, 0.7], [0.3, 0.5]]), configure(ALL_PAIRS, agendas=1)
    found = [
        run_loop(
            configured,
            by_matrix(prefs),
            np.zeros(2),
            np.arange(2),
            np.array([2, 5]),
            *generators(1, number),
            fast_forward=fast_forward,
        ).recommended
        for number in range(2000)
    ]
    assert (np.array(found)[:, 0] == 0).all()  # not before the agenda is over
    assert abs((np.array(found)[:, 1] == 1).mean() - 0.216) < 5 * np.sqrt(0.784 * 0.216 / 2000)
