"""Survival of Borda winners, and relaxed transitivity."""

import numpy as np
import pytest

from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.studies.published.facts.survival import survival
from rankduel.experiments.studies.published.facts.transitivity import gammas_of_subsets
from rankduel.experiments.studies.study import Inputs, Size


def inputs(tables, preferences=None):
    return Inputs(preferences, Size(1, 1), tables, 1)


def test_probability_to_win_at_least_half():
    found = survival(inputs({}))
    for b in (0.5, 0.62, 1.0):
        assert found[f"3 duels, {b:g}"] == pytest.approx(b**3 + 3 * b**2 * (1 - b))


def test_problems_that_need_relaxed_transitivity():
    place = np.arange(136)
    prefs = 0.5 + 0.003 * (place[None, :] - place[:, None])  # strongly transitive
    assert gammas_of_subsets(inputs({}, preferences_of(prefs))) == {"needed": 0}
    # Sorted as text, ranker 99 is in the second ten and loses more clearly to ranker 9 than to the best.
    prefs[9, 99], prefs[99, 9] = 0.99, 0.01
    assert gammas_of_subsets(inputs({}, preferences_of(prefs))) == {"needed": 4}
