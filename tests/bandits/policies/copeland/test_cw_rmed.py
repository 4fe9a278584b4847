"""Test that CW-RMED chooses the pairs of its literal twin, tests/naive/policies/cw_rmed.py.

The twin lists all constraints of the linear program for a solver.
"""

import math

import numpy as np
import pytest
from naive.policies.cw_rmed import CwRmed
from support.necessary_duels import PAPERS
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.matrix_runs import play_matrix
from rankduel.bandits.policies.copeland import cw_rmed, ecw_rmed
from rankduel.bandits.regret import losses_by, strong_regret
from rankduel.base.errors import PolicyError
from rankduel.experiments.matrix.builtin import MATRICES

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

CW_RMED = configure(cw_rmed.POLICY)
STEPS = [1, 2, 3, 10, 30, 60]


def assert_twins(prefs, steps, runs, **settings):
    assert_same_choices(CwRmed, configure(cw_rmed.POLICY, **settings), prefs, steps, runs)


@pytest.mark.parametrize("prefs", [ladder(2), ladder(3), *PAPERS.values()], ids=["2", "3", *PAPERS])
def test_choices_equal_the_twin(prefs):
    assert_twins(prefs, STEPS, runs=2)


@pytest.mark.parametrize("prefs", [np.full((4, 4), 0.5), ladder(4, 1.0)], ids="=<")
def test_choices_equal_the_twin_with_extreme_preferences(prefs):
    assert_twins(prefs, STEPS, runs=2)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"sweep": "until_quiet"}, {"alpha": 0.7, "beta": 0.0}], ids=str)
def test_choices_equal_the_twin_in_long_runs(settings):
    for prefs in (ladder(2), ladder(3), MATRICES["arxiv6"].make(), *PAPERS.values()):
        assert_twins(prefs, [*STEPS, 100, 400], runs=1, **settings)


@pytest.mark.parametrize("prefs", [ladder(2, 0.2), CYCLIC, PAPERS["multisol"]], ids=len)
def test_skipping_changes_nothing(prefs):
    steps = np.unique(np.geomspace(1, 100_000, 150).astype(np.int64))
    skipping, stepping = (fast(CW_RMED, prefs, steps, 5, 0, forward) for forward in (True, False))
    for one, other in zip(skipping, stepping):
        np.testing.assert_array_equal(one, other)


def test_more_than_16_arms_are_refused():
    trace = fast(CW_RMED, ladder(16, 0.02), [300], 0, 0)
    assert trace.duels.sum() + 2 * trace.selves.sum() == 600
    with pytest.raises(PolicyError, match="cw_rmed: 17 arms; expected at most 16, .* Use ecw_rmed"):
        fast(CW_RMED, ladder(17), [10], 0, 0)


def regret(policy, prefs, horizon, runs):
    loss = losses_by("copeland", prefs)
    traces = [
        play_matrix(configure(policy), prefs, horizon, run=run, loss=loss, steps=np.array([horizon]))
        for run in range(runs)
    ]
    return np.array([strong_regret(trace, loss)[-1] for trace in traces])


@pytest.mark.slow
def test_optimal_plan_has_less_regret():
    """Cyclic, a million duels, 100 runs each: below ECW-RMED, by 3 standard errors."""
    best, by_sorting = (regret(module.POLICY, CYCLIC, 10**6, 100) for module in (cw_rmed, ecw_rmed))
    error = math.hypot(best.std(ddof=1), by_sorting.std(ddof=1)) / 10
    assert best.mean() + 3 * error < by_sorting.mean(), (best.mean(), by_sorting.mean(), error)
