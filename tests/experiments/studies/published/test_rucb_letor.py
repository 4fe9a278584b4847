"""Accuracies by horizon of policies that are told it, on made-up curves."""

import numpy as np
import pytest
from support.study_records import table_of

from rankduel.experiments.studies.published.rucb_letor.runs import HORIZONS, RUCB, TOLD, accuracies
from rankduel.experiments.studies.study import Inputs, Size


def inputs(tables, preferences=None):
    return Inputs(preferences, Size(1, 1), tables, 1)


def test_regret_that_grows_with_the_logarithm_is_straight():
    steps = [*HORIZONS, 1_500_000, 4_500_000]
    rucb = table_of(RUCB, steps, correct=[t >= 10_000 for t in steps], regret=100 * np.log(steps))
    others = {
        f"{name}-{t}": table_of(policy, [t], correct=[t >= first], regret=[0.0])
        for (name, policy), first in zip(TOLD.items(), (20_000, 500_000))
        for t in HORIZONS
    }
    found = accuracies(inputs({"rucb": rucb, **others}))
    assert found["straight"] == pytest.approx(1)
    # Shares rise from 0 to 1 between two horizons, and are interpolated in log t.
    assert found["SAVAGE / RUCB to 80 %"] == pytest.approx(2 * (2 / 2) ** 0.8)
    assert found["BTM / RUCB to 80 %"] == pytest.approx(200_000 * 2.5**0.8 / (5000 * 2**0.8))
    short = rucb[rucb["step"] <= 1_000_000]
    assert "straight" not in accuracies(inputs({"rucb": short, **others}))
