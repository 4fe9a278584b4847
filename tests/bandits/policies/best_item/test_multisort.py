"""Test that Multisort chooses the pairs of its literal twin, and both ways of aggregation."""

import math

import numpy as np
import pytest
from naive.policies import multisort as naive
from scipy.optimize import minimize
from support.policies import CYCLIC, assert_same_numbers, fast, generators, ladder, slow

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.best_item.multisort import POLICY, RIDGE
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500]
COPELAND, MODEL = (configure(POLICY, aggregation=name) for name in ("copeland", "bradley_terry"))


def strengths(wins):
    """Return the Bradley-Terry strengths by a general optimiser."""

    def loss(s):
        lead = s[:, None] - s
        return (wins * np.logaddexp(0, -lead)).sum() + RIDGE / 2 * s @ s

    start = np.zeros(len(wins))
    return minimize(loss, start, jac=lambda s: slope(wins, s), method="BFGS", options={"gtol": 1e-8}).x


def slope(wins, s):
    """Return the gradient of the negative log-likelihood."""
    residuals = wins / (1 + np.exp(s[:, None] - s))
    return residuals.sum(axis=0) - residuals.sum(axis=1) + RIDGE * s


def twin_after(prefs, n_steps, run):
    """Return the twin after `n_steps` duels of run number `run`."""
    made = []
    slow(lambda *given: made.append(naive.Multisort(*given)) or made[0], COPELAND, prefs, [n_steps], 0, run)
    return made[0]


# Equality with the twin, and the cost of sorting


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, np.full((5, 5), 0.5), ladder(8), ladder(21, 0.02)], ids=len
)
def test_choices_equal_the_twin(prefs):
    for run in range(5):
        duels, selves = slow(naive.Multisort, COPELAND, prefs, STEPS, 0, run)
        trace = fast(COPELAND, prefs, STEPS, 0, run, fast_forward=False)
        np.testing.assert_array_equal(trace.duels, duels)
        assert not trace.selves.any() and not selves.any()


def test_agendas_have_the_distribution_of_single_duels():
    """Duels of each arm at some steps of 400 runs; 4.5 standard errors."""
    samples = [
        np.array(
            [fast(COPELAND, ladder(5, 0.1), [4, 9, 50], how, run, how).duels[:, 0] for run in range(400)]
        )
        for how in (True, False)
    ]
    assert_same_numbers(*samples)


def test_a_ranking_costs_as_much_as_quicksort():
    """2 (K + 1) H_K - 4 K = 16.92 comparisons on average for K = 8 arms with certain outcomes.

    The variance, 7 K^2 - 4 (K + 1)^2 H2_K - 2 (K + 1) H_K + 13 K = 8.2, gives the standard error of the mean
    over the rankings of 20,000 comparisons; 4.5 of them, and one ranking that is not complete.
    """
    rng, _ = generators(0, 0)
    state = POLICY.init(8, kernel_params(COPELAND, 1), rng)
    fast(COPELAND._replace(thing=POLICY._replace(init=lambda *_: state)), ladder(8, 1.0), [20_000], 0, 0)
    harmonic, squares = (sum(1 / i**power for i in range(1, 9)) for power in (1, 2))
    mean = 2 * 9 * harmonic - 4 * 8
    deviation = math.sqrt(7 * 64 - 4 * 81 * squares - 2 * 9 * harmonic + 13 * 8)
    n = state.now[0].n_rankings
    assert abs(20_000 / n - mean) < 4.5 * deviation / math.sqrt(n) + mean / n
    assert (state.ahead == n * np.triu(np.ones((8, 8)), 1)).all()


def test_a_ranking_takes_few_agendas():
    """One for two arms; for more arms, as many as the deepest part has levels."""
    assert fast(COPELAND, ladder(2), [50], 0, 0).rounds.tolist() == [50]
    assert fast(COPELAND, ladder(21, 1.0), [130 * 20], 0, 0).rounds[-1] < 20 * 20


# Aggregation


@pytest.mark.parametrize("prefs", [ladder(2), ladder(5, 0.02), CYCLIC], ids=len)
def test_answers_are_the_copeland_winners_of_the_rankings(prefs):
    for run in range(5):
        trace = fast(COPELAND, prefs, STEPS, 0, run, fast_forward=False)
        for row, n_steps in enumerate(STEPS):
            twin = twin_after(prefs, n_steps, run)
            if twin.rankings:
                answer = np.flatnonzero(trace.answers[row]).tolist()
                assert answer == twin.winners(len(prefs)) and trace.recommended[row] in answer


def test_the_model_uses_all_duels_and_answers_until_a_ranking_is_complete():
    """No arm may be stronger than the answer by more than the errors of the optimisers."""
    prefs = ladder(8)
    for run in range(5):
        voted, modelled = (fast(how, prefs, STEPS, 0, run, fast_forward=False) for how in (COPELAND, MODEL))
        for row, n_steps in enumerate(STEPS):
            wins, twin = np.zeros((8, 8)), twin_after(prefs, n_steps, run)
            for winner, loser in twin.duels:
                wins[winner, loser] += 1
            fitted = strengths(wins)
            assert fitted[modelled.recommended[row]] > fitted.max() - 1e-3
            assert modelled.answers[row].sum() == 1
            assert twin.rankings or voted.recommended[row] == modelled.recommended[row]


def fitted(wins):
    """Return the model of these duels and one more."""
    state = POLICY.init(len(wins), kernel_params(MODEL, 1), np.random.default_rng(0))
    state.wins[:] = wins
    prepared = MODEL._replace(thing=POLICY._replace(init=lambda *_: state))
    fast(prepared, np.full((len(wins), len(wins)), 0.5), [1], 0, 0)
    fit = state.room.fit
    assert fit.wins.sum() == np.sum(wins) + 1
    return fit


@pytest.mark.parametrize("n_arms", [2, 6, 20])
def test_the_gradient_is_zero_at_the_fitted_strengths(n_arms):
    """So they are the only maximum; also if an arm never lost, or never played."""
    rng = np.random.default_rng(n_arms)
    for duels in (0, 1, 10):
        for share in (0.3, 1.0):
            wins = rng.integers(0, duels + 1, (n_arms, n_arms)) * (rng.random((n_arms, n_arms)) < share)
            np.fill_diagonal(wins, 0)
            fit = fitted(wins)
            assert np.abs(slope(fit.wins, fit.strength)).max() < 1e-6


def test_steps_that_would_decrease_the_likelihood_are_halved():
    """Newton's tenth step is too long here: the log-likelihood would fall from -5.9 to -19.1."""
    wins = np.zeros((8, 8), int)
    wins[0, 3], wins[1, 2], wins[3, 1], wins[4, :2], wins[5, 6] = 6205, 1, 52, (187, 721), 4065
    wins[6] = 1341, 2, 2919, 4036, 160, 0, 0, 82
    fit = fitted(wins)
    assert np.abs(slope(fit.wins, fit.strength)).max() < 1e-6
