"""Numbers of curves of accuracy."""

import math

import pytest

from rankduel.experiments.studies.shared.curves import first_step


def test_first_step_interpolates_linearly_in_log_t():
    curve = {100: (0.5, 0.0), 1000: (0.7, 0.0), 10_000: (0.9, 0.0)}
    assert first_step(curve, 0.8) == pytest.approx(10**3.5)
    assert first_step(curve, 0.4) == 100
    assert math.isnan(first_step(curve, 0.95))
