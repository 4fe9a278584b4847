"""The shape of the matrix with two Copeland winners."""

import numpy as np
import pytest

from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.studies.published.beyond_condorcet import two_winners
from rankduel.experiments.studies.study import Inputs, Size

ORDER = np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.9], [0.3, 0.1, 0.5]])


def inputs(tables=None, **more):
    return Inputs(None, Size(100, 2), tables or {}, 1, **more)


def test_shape_of_two_copeland_winners():
    """Arms 0 and 1 beat all but one: 0 beats 1 and loses to 9, so 1 loses to 0 only."""
    prefs = MATRICES["two-winners32"].make()
    names = tuple(str(3 + 4 * arm) for arm in range(32))
    found = two_winners.shape(inputs()._replace(preferences=preferences_of(prefs, names)))
    numbers = {"rankers": 32, "winners": 2, "beaten": 30, "least gap": 0.1}
    assert found == pytest.approx({**numbers, "winner": 3, "other": 7, "beats winner": 39})
    ordered = two_winners.shape(inputs()._replace(preferences=preferences_of(ORDER)))
    assert ordered == {"rankers": 3, "winners": 1, "beaten": 2}
