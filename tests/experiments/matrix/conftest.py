"""Fixtures of the tests of matrices."""

import pytest
from support.preference_samples import NAMES, SETTINGS, rows

from rankduel.experiments.matrix.preferences import checked


@pytest.fixture
def some():
    return checked(NAMES, rows(), SETTINGS, "some")
