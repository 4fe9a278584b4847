"""Numbers of the curves of RCS, RUCB and SAVAGE, on made-up curves."""

import numpy as np
import pandas as pd
import pytest
from support.study_records import table_of

from rankduel.experiments.studies.published.rcs.curves import (
    HORIZONS,
    RCS,
    RUCB,
    accuracy,
    crossing,
    plateau,
)
from rankduel.experiments.studies.study import Inputs, Size


def inputs(tables, preferences=None):
    return Inputs(preferences, Size(1, 1), tables, 1)


STEPS = np.arange(10, 1001, 10)


def made_up_curves():
    """RCS has regret 2 per duel for 100 duels, RUCB 1 for 400; later a tenth of the duels are suboptimal."""
    settled = {RCS: 100, RUCB: 400}
    tables = [
        table_of(
            policy,
            STEPS,
            regret=slope * np.minimum(STEPS, settled[policy]),
            nonwinner_duels=np.minimum(STEPS, settled[policy]) + 0.1 * np.maximum(0, STEPS - settled[policy]),
        )
        for policy, slope in ((RCS, 2), (RUCB, 1))
    ]
    return pd.concat(tables)


def test_where_two_curves_cross():
    found = crossing(inputs({"p": made_up_curves()}))
    assert (found["T0"], found["crosses"], found["steeper"]) == (210, 1, 2)
    assert found["RUCB share at T0/2"] == 1 and found["RCS share at T0/2"] == pytest.approx(0.1)
    assert found["share ratio at T0"] == pytest.approx(10) and found["share ratio at 2 T0"] == pytest.approx(
        1
    )
    assert found["excess"] == 1  # 400 and 200 at 2 T0


def test_curves_that_do_not_cross_or_end_early():
    curves = made_up_curves()
    assert crossing(inputs({"p": curves[curves["step"] <= 200]})) == {"crosses": 0}
    short = crossing(inputs({"p": curves[curves["step"] <= 300]}))
    assert "excess" not in short and "share ratio at T0" in short and "share ratio at 2 T0" not in short


def test_differences_at_the_end():
    rucb = table_of(RUCB, [10], 2, regret=[[5.0], [9.0]], nonwinner_duels=[[60.0], [80.0]])
    rcs = table_of(RCS, [10], 2, regret=[[3.0], [4.0]], nonwinner_duels=[[20.0], [30.0]])
    found = plateau(inputs({"p": pd.concat([rucb, rcs])}))
    assert found == {"difference": 3.5, "more comparisons": 45, "deviation ratio": 0.25}


def test_accuracies_by_horizon():
    """SAVAGE is as right as RCS at 100 duels, less so later, and always right from 10,000 duels on."""
    shares = {
        RCS: [0.5] * 4 + [1.0] * 5,
        RUCB: [0.25] * 4 + [1.0] * 5,
        "savage": [0.5] + [0.25] * 5 + [1.0] * 3,
    }
    right = {
        policy: np.array([[run < 4 * share for share in by_step] for run in range(4)])
        for policy, by_step in shares.items()
    }
    regret = np.array(HORIZONS, float)
    explore = [table_of(policy, HORIZONS, 4, correct=right[policy], regret=regret) for policy in (RCS, RUCB)]
    savage = {
        f"savage-{t}": table_of("savage", [t], 4, correct=right["savage"][:, k : k + 1], regret=[2.0 * t])
        for k, t in enumerate(HORIZONS)
    }
    found = accuracy(inputs({"explore": pd.concat(explore), **savage}))
    assert (found["RCS at 100"], found["SAVAGE at 200"], found["RUCB at 1000"]) == (0.5, 0.25, 0.25)
    assert found["least lead"] == 0  # at 100
    error = ((0.5 * 0.5 + 0.25 * 0.75) / 4) ** 0.5
    assert found["lead at 1000 and 2000"] == pytest.approx(0.25 / error)
    assert found["lead over RUCB"] == pytest.approx(4 / 36)
    assert found["regret when always right"] == pytest.approx(2 * 10_000 / 2000)


def test_a_lead_is_in_standard_errors():
    right = np.array([[True], [True], [True], [False]])
    explore = [
        table_of(policy, HORIZONS, 4, correct=[[v[0]] * 9 for v in right], regret=[0.0] * 9)
        for policy in (RCS, RUCB)
    ]
    half = np.array([[True], [True], [False], [False]])
    savage = {f"s{t}": table_of("savage", [t], 4, correct=half, regret=[0.0]) for t in HORIZONS}
    found = accuracy(inputs({"explore": pd.concat(explore), **savage}))
    error = (0.75 * 0.25 / 4 + 0.5 * 0.5 / 4) ** 0.5
    assert found["least lead"] == pytest.approx(0.25 / error)
