"""PARWiS: the closed form is solving for the scores again, and every choice is the naive twin's."""

import numpy as np
import pytest
from naive.policies.parwis import Parwis, expected_change, scores
from support.best_item_runs import assert_same_runs
from support.policies import CYCLIC, fast, ladder

from bandits.contract import configure
from bandits.policies.best_item.parwis import POLICY, _expected_change
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]


@pytest.mark.parametrize("settings", [{}, {"k": 3, "order": "index"}])
def test_every_step_is_the_twins(settings):
    for prefs in (ladder(2), ladder(3), CYCLIC, ladder(6), np.full((5, 5), 0.5), ladder(9, 0.5)):
        assert_same_runs(Parwis, configure(POLICY, **settings), prefs, 40, runs=2)


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [4, 12, 25])
def test_many_steps_are_the_twins(n_arms):
    for prefs in (ladder(n_arms, 0.02), ladder(n_arms, 0.3)):
        assert_same_runs(Parwis, configure(POLICY, k=2), prefs, 300, runs=2)


def told(n_arms, n_duels, seed=0):
    """A state after random duels, most of them of a few pairs."""
    rng = np.random.default_rng(seed)
    state = POLICY.init(n_arms, kernel_params(configure(POLICY), n_duels), rng)
    for _ in range(n_duels):
        first, second = rng.permutation(1 + int(rng.integers(1, n_arms)))[:2]
        POLICY.update(state, first, second, bool(rng.random() < 0.7))
    return state


@pytest.mark.parametrize(("n_arms", "n_duels"), [(2, 0), (2, 9), (3, 1), (5, 40), (20, 19), (20, 500)])
def test_scores_and_expected_changes_are_those_of_solving_again(n_arms, n_duels):
    state = told(n_arms, n_duels)
    np.testing.assert_allclose(state.score, scores(state.wins), rtol=1e-12)
    for leader in range(n_arms):
        for arm in set(range(n_arms)) - {leader}:
            change = _expected_change(state.wins, state.z, state.score, leader, arm)
            np.testing.assert_allclose(change, expected_change(state.wins, leader, arm), rtol=1e-10)


@pytest.mark.slow
def test_rounding_does_not_build_up():
    """Scores are the solved ones to 12 digits after 200,000 duels."""
    for n_arms in (3, 30):
        state = told(n_arms, 200_000)
        np.testing.assert_allclose(state.score, scores(state.wins), rtol=1e-12)


def test_at_first_the_winner_stays():
    """If lower numbers always win, arm 0 meets everybody once; if higher ones do, neighbours meet."""
    for step, duels in ((1.0, [5, 1, 1, 1, 1, 1]), (-1.0, [1, 2, 2, 2, 2, 1])):
        prefs = np.clip(ladder(6, step), 0, 1)
        trace = fast(configure(POLICY, order="index"), prefs, [5], 0, 0)
        assert trace.duels[0].tolist() == duels and trace.most[0] == 1
        assert trace.recommended[0] == (0 if step > 0 else 5)


def test_the_answer_is_a_list_of_k():
    for k in (1, 2, 5, 9):
        trace = fast(configure(POLICY, k=k), ladder(5), np.arange(1, 30), 0, 0)
        assert (trace.answers.sum(axis=1) == min(k, 5)).all() and not trace.finished.any()
