"""SCB: the fast form is its naive twin, choice by choice."""

import numpy as np
import pytest
from naive.policies.scb import Scb
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from bandits import configure, play_matrix, start
from bandits.policies.copeland import ccb
from bandits.policies.copeland.scb import FOUND, N_LEFT, N_REWARDS, N_SWEEPS, OPPONENT, PLACE, POLICY
from bandits.regret import strong_regret
from experiments.matrix.builtin import MATRICES

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 4, 5, 20, 21, 300, 1000, 10_000, 66_000]  # the first rounds end at 4, 20, 276 and 65,812
THREE_WINNERS = np.where(MATRICES["multisol"].make() > 0.5, 0.95, 0.05) + 0.45 * np.eye(5)


@pytest.mark.parametrize(
    "prefs", [ladder(2, 0.1), ladder(3, 0.4), CYCLIC, THREE_WINNERS, ladder(7, 0.01)], ids=len
)
def test_choices_are_the_twins(prefs):
    assert_same_choices(Scb, configure(POLICY), prefs, STEPS, runs=3)


def test_choices_are_the_twins_where_arms_leave():
    """Of thirty arms in a total order, the last ones are given up before all pairs are sure."""
    steps = [276, *range(18_000, 24_001, 500), 65_812]
    assert_same_choices(Scb, configure(POLICY), ladder(30, 0.5), steps, runs=2)


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.05, 0.2, 0.45])
def test_many_choices_are_the_twins(step):
    for n_arms in (2, 4, 10, 25):
        assert_same_choices(Scb, configure(POLICY), ladder(n_arms, step), [65_812, 300_000], runs=3)


def test_how_many_duels_make_sure():
    """Two arms, one wins always: n^2 > 2 n ln(16 n^2 / delta) first holds for n = 27, 38, 61 and 106.

    Rounds of 4 and 16 steps are too short for it; those of 256, 65,536 and 2^32 end with self-duels.
    """
    ends = np.cumsum([4, 16, 256, 65_536, 2**32])
    searches = ends[1:] + [27, 38, 61, 106]
    steps = np.sort(np.concatenate([searches, searches + 1]))
    trace = fast(configure(POLICY), ladder(2, 0.5), steps, 0, 0)
    n_real = trace.duels[:, 0].tolist()
    assert n_real == [47, 47, 85, 85, 146, 146, 252, 252]
    assert (trace.selves[:, 0] == steps - n_real).all() and (trace.recommended == 0).all()


def test_one_arm_left_is_found_though_pairs_are_open():
    """After 200 sweeps arms 0 and 1 are left, with 200 and 100 rewards, and have not met arm 2.

    Arm 1 loses its turn and leaves; this sweep had two rewards to count.
    """
    stepper = start(configure(POLICY), 3)
    stepper.select()
    stepper.pass_over()
    state = stepper._state
    state.verdict[0, 1], state.verdict[1, 0] = 1, -1
    state.left[:2], state.rewards[:2] = [0, 1], [200, 100]
    state.now[[N_LEFT, PLACE, OPPONENT, N_SWEEPS, N_REWARDS]] = 2, 1, 0, 200, 450
    assert stepper.select() == (0, 0) and stepper.answers() == [0]
    assert state.now[[N_LEFT, N_SWEEPS, N_REWARDS]].tolist() == [1, 201, 452]


def test_it_answers_with_all_copeland_winners():
    """One of the three plays itself, any of them; all three are the answer."""
    winners = set()
    for run in range(12):
        stepper, users = start(configure(POLICY), 5, seed=run), np.random.default_rng(run)
        for _ in range(5000):
            first, second = stepper.select()
            stepper.update(users.random() < THREE_WINNERS[first, second])
        assert first == second == stepper.recommend() and stepper.answers() == [0, 1, 2]
        winners.add(first)
    assert winners == {0, 1, 2}


def test_before_a_search_succeeds_it_answers_by_all_duels_so_far():
    stepper = start(configure(POLICY), 3)
    stepper._state.wins[1, 0] = stepper._state.wins[2, 0] = 2
    assert stepper.answers() == [1, 2] and stepper.recommend() == 1
    stepper._state.now[FOUND], stepper._state.found[0] = 0, True
    assert stepper.answers() == [0] and stepper.recommend() == 0


@pytest.mark.slow
def test_ccb_is_better_for_few_arms():
    """Zoghi et al. 2015: of five rankers without a Condorcet winner, CCB has the smaller regret (4 s.e.)."""
    prefs, steps = MATRICES["mslr5-cycle"].make(), np.array([10**6])
    beaten = (prefs > 0.5).sum(axis=1)
    loss = (beaten.max() - beaten) / 4
    less, more = (
        np.array(
            [
                strong_regret(play_matrix(made, prefs, 10**6, run=r, loss=loss, steps=steps), loss)
                for r in range(8)
            ]
        )
        for made in (configure(ccb.POLICY), configure(POLICY))
    )
    print(less.mean(), more.mean())
    assert less.mean() < more.mean() - 4 * np.hypot(less.std(), more.std()) / 8**0.5
