"""Test that SCB chooses the pairs of its literal twin, tests/naive/policies/scb.py, and its search."""

import numpy as np
import pytest
from naive.policies.scb import Scb
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from rankduel.bandits import configure, play_matrix, start
from rankduel.bandits.policies.copeland import ccb, scb
from rankduel.bandits.regret import strong_regret
from rankduel.experiments.matrix.builtin import MATRICES

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

SCB = configure(scb.POLICY)
OF_WU_LIU = configure(scb.POLICY, **scb.POLICY.variants["wu-liu"])
STEPS = [1, 4, 5, 20, 21, 300, 1000, 10_000, 66_000]  # the first rounds end at 4, 20, 276 and 65,812
THREE_WINNERS = np.where(MATRICES["multisol"].make() > 0.5, 0.95, 0.05) + 0.45 * np.eye(5)


@pytest.mark.parametrize(
    "prefs", [ladder(2, 0.1), ladder(3, 0.4), CYCLIC, THREE_WINNERS, ladder(7, 0.01)], ids=len
)
def test_choices_equal_the_twin(prefs):
    assert_same_choices(Scb, SCB, prefs, STEPS, runs=3)


def test_choices_equal_the_twin_when_arms_are_eliminated():
    """Of thirty arms in a total order, the last ones are eliminated before all pairs are decided."""
    steps = [276, *range(18_000, 24_001, 500), 65_812]
    assert_same_choices(Scb, SCB, ladder(30, 0.5), steps, runs=2)


@pytest.mark.parametrize(
    "configured", [OF_WU_LIU, configure(scb.POLICY, pair_test="kl", scale=0.3, first_round=30)], ids=str
)
@pytest.mark.parametrize("prefs", [ladder(2, 0.1), CYCLIC, THREE_WINNERS, ladder(30, 0.5)], ids=len)
def test_choices_of_other_tests_equal_the_twin(configured, prefs):
    steps = [1, 30, 31, 900, 930, 1000, 1001, 5000, 20_000]
    assert_same_choices(Scb, configured, prefs, steps, runs=3)


def test_number_of_duels_that_decide_a_pair_by_divergence():
    """Of two arms one always wins: n ln 2 > 0.51 (ln(8 n) + 2) in the round of 1000 first holds for n = 5.

    The logarithm of the logarithm of n is below 1, so that 2 is its term. The next round has 10^6 steps.
    """
    trace = fast(OF_WU_LIU, ladder(2, 0.5), [5, 6, 1000, 1005, 1006, 10**6 + 1000], 0, 0)
    assert trace.duels[:, 0].tolist() == [5, 5, 5, 10, 10, 10]
    limit = 0.51 * (np.log([8 * 4, 8 * 5]) + 2)
    assert 4 * np.log(2) < limit[0] and 5 * np.log(2) > limit[1]


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.05, 0.2, 0.45])
def test_choices_equal_the_twin_in_long_runs(step):
    for n_arms in (2, 4, 10, 25):
        assert_same_choices(Scb, SCB, ladder(n_arms, step), [65_812, 300_000], runs=3)


def test_number_of_duels_that_decide_a_pair():
    """Of two arms one always wins: n^2 > 2 n ln(16 n^2 / delta) first holds for n = 27, 38, 61 and 106.

    Rounds of 4 and 16 steps are too short for it; those of 256, 65,536 and 2^32 end with self-duels.
    """
    ends = np.cumsum([4, 16, 256, 65_536, 2**32])
    searches = ends[1:] + [27, 38, 61, 106]
    steps = np.sort(np.concatenate([searches, searches + 1]))
    trace = fast(SCB, ladder(2, 0.5), steps, 0, 0)
    n_real = trace.duels[:, 0].tolist()
    assert n_real == [47, 47, 85, 85, 146, 146, 252, 252]
    assert (trace.selves[:, 0] == steps - n_real).all() and (trace.recommended == 0).all()


def test_last_arm_is_the_winner_although_pairs_are_undecided():
    """After 200 sweeps arms 0 and 1 remain, with 200 and 100 rewards, and have not duelled arm 2.

    Arm 1 gets no reward and is eliminated; this sweep counts two rewards.
    """
    stepper = start(SCB, 3)
    stepper.select()
    stepper.pass_over()
    state, now = stepper._state, stepper._state.now[0]
    state.decided[0, 1], state.decided[1, 0] = 1, -1
    state.remaining[:2], state.rewards[:2] = [0, 1], [200, 100]
    now.n_remaining, now.place, now.opponent, now.n_sweeps, now.n_rewards = 2, 1, 0, 200, 450
    assert stepper.select() == (0, 0) and stepper.answers() == [0]
    assert (now.n_remaining, now.n_sweeps, now.n_rewards) == (1, 201, 452)


def test_answers_are_all_copeland_winners():
    """Any of the three duels itself; all three are the answer."""
    winners = set()
    for run in range(12):
        stepper, users = start(SCB, 5, seed=run), np.random.default_rng(run)
        for _ in range(5000):
            first, second = stepper.select()
            stepper.update(users.random() < THREE_WINNERS[first, second])
        assert first == second == stepper.recommend() and stepper.answers() == [0, 1, 2]
        winners.add(first)
    assert winners == {0, 1, 2}


def test_answers_come_from_all_duels_until_a_search_ends():
    stepper = start(SCB, 3)
    state = stepper._state
    state.wins[1, 0] = state.wins[2, 0] = 2
    assert stepper.answers() == [1, 2] and stepper.recommend() == 1
    state.now[0].last_winner, state.copeland_winners[0] = 0, True
    assert stepper.answers() == [0] and stepper.recommend() == 0


@pytest.mark.slow
def test_ccb_has_less_regret_with_few_arms():
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
        for made in (configure(ccb.POLICY), SCB)
    )
    print(less.mean(), more.mean())
    assert less.mean() < more.mean() - 4 * np.hypot(less.std(), more.std()) / 8**0.5
