"""Test that PARWiS chooses the pairs of its literal twin, and its closed form of the scores."""

import numpy as np
import pytest
from naive.policies.parwis import Parwis, expected_change, scores
from support.best_item_runs import assert_same_runs
from support.policies import CYCLIC, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.best_item.parwis import POLICY, _expected_change
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]


# Equality with the twin


@pytest.mark.parametrize("settings", [{}, {"k": 3, "order": "index"}])
def test_every_step_equals_the_twin(settings):
    for prefs in (ladder(2), ladder(3), CYCLIC, ladder(6), np.full((5, 5), 0.5), ladder(9, 0.5)):
        assert_same_runs(Parwis, configure(POLICY, **settings), prefs, 40, runs=2)


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [4, 12, 25])
def test_many_steps_equal_the_twin(n_arms):
    for prefs in (ladder(n_arms, 0.02), ladder(n_arms, 0.3)):
        assert_same_runs(Parwis, configure(POLICY, k=2), prefs, 300, runs=2)


# The scores in closed form


def state_after_random_duels(n_arms, n_duels, seed=0):
    """Return a state after random duels, most of them of a few pairs."""
    params, rng = kernel_params(configure(POLICY), n_duels), np.random.default_rng(seed)
    state = POLICY.init(n_arms, params, rng)
    for _ in range(n_duels):
        first, second = rng.permutation(1 + int(rng.integers(1, n_arms)))[:2]
        POLICY.update(state, params, first, second, bool(rng.random() < 0.7))
    return state


@pytest.mark.parametrize(("n_arms", "n_duels"), [(2, 0), (2, 9), (3, 1), (5, 40), (20, 19), (20, 500)])
def test_scores_and_expected_changes_equal_those_of_the_linear_system(n_arms, n_duels):
    state = state_after_random_duels(n_arms, n_duels)
    np.testing.assert_allclose(state.score, scores(state.wins), rtol=1e-12)
    for leader in range(n_arms):
        for arm in set(range(n_arms)) - {leader}:
            change = _expected_change(state.wins, state.z, state.score, leader, arm)
            np.testing.assert_allclose(change, expected_change(state.wins, leader, arm), rtol=1e-10)


@pytest.mark.slow
def test_errors_of_rounding_do_not_accumulate():
    """Scores are accurate to 12 digits after 200,000 duels."""
    for n_arms in (3, 30):
        state = state_after_random_duels(n_arms, 200_000)
        np.testing.assert_allclose(state.score, scores(state.wins), rtol=1e-12)


# The initial chain, and the answer


def test_the_winner_stays_in_the_initial_chain():
    """If lower indices always win, arm 0 duels every arm once; if higher ones do, neighbours duel."""
    for step, duels in ((1.0, [5, 1, 1, 1, 1, 1]), (-1.0, [1, 2, 2, 2, 2, 1])):
        prefs = np.clip(ladder(6, step), 0, 1)
        trace = fast(configure(POLICY, order="index"), prefs, [5], 0, 0)
        assert trace.duels[0].tolist() == duels and trace.most[0] == 1
        assert trace.recommended[0] == (0 if step > 0 else 5)


def test_the_answer_has_k_arms():
    for k in (1, 2, 5, 9):
        trace = fast(configure(POLICY, k=k), ladder(5), np.arange(1, 30), 0, 0)
        assert (trace.answers.sum(axis=1) == min(k, 5)).all() and not trace.finished.any()
