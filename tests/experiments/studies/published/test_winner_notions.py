"""Gaps of random subsets."""

import numpy as np
import pytest

from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.studies.published.winner_notions.subsets import gaps
from rankduel.experiments.studies.study import Inputs, Size


def inputs(matrix, horizon=1e4, runs=3, tables=None):
    return Inputs(preferences_of(matrix), Size(horizon, runs), tables or {}, 1)


def test_gaps_of_subsets_of_a_matrix():
    """In a total order with equal steps every pair of neighbours has the smallest gap: all ratios are 1."""
    place = np.arange(136)
    found = gaps(inputs(0.5 + 0.001 * (place[None, :] - place[:, None]), runs=2))
    assert found["of all"] == pytest.approx(1) and found["of 2"] == pytest.approx(1)
    assert found["mean over sizes"] >= found["of all"]
