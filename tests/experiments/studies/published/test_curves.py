"""Numbers that studies compute from the curves of their runs, on made-up curves."""

import math

import numpy as np
import pandas as pd
import pytest

from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.studies.published.facts.survival import survival
from rankduel.experiments.studies.published.facts.transitivity import gammas_of_subsets
from rankduel.experiments.studies.published.k_scan import FIVE, MORE, by_size, noise
from rankduel.experiments.studies.published.rcs.curves import (
    HORIZONS,
    RCS,
    RUCB,
    accuracy,
    crossing,
    first_step,
    plateau,
)
from rankduel.experiments.studies.published.rucb_letor import HORIZONS as TOLD_HORIZONS
from rankduel.experiments.studies.published.rucb_letor import RUCB as RUCB_LETOR
from rankduel.experiments.studies.published.rucb_letor import TOLD, accuracies
from rankduel.experiments.studies.study import Inputs, Size, full_name


def inputs(tables, preferences=None):
    return Inputs(preferences, Size(1, 1), tables, 1)


def table_of(policy, steps, runs=1, **columns):
    """Return records of a policy; a column is a list of values by step, the same in all runs, or a table."""
    return pd.concat(
        [
            pd.DataFrame({"policy": full_name(policy), "run": run, "step": list(steps)}).assign(
                **{name: values[run] if np.ndim(values) == 2 else values for name, values in columns.items()}
            )
            for run in range(runs)
        ]
    )


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


def test_regret_that_grows_with_the_logarithm_is_straight():
    steps = [*TOLD_HORIZONS, 1_500_000, 4_500_000]
    rucb = table_of(RUCB_LETOR, steps, correct=[t >= 10_000 for t in steps], regret=100 * np.log(steps))
    others = {
        f"{name}-{t}": table_of(policy, [t], correct=[t >= first], regret=[0.0])
        for (name, policy), first in zip(TOLD.items(), (20_000, 500_000))
        for t in TOLD_HORIZONS
    }
    found = accuracies(inputs({"rucb": rucb, **others}))
    assert found["straight"] == pytest.approx(1)
    # Shares rise from 0 to 1 between two horizons, and are interpolated in log t.
    assert found["SAVAGE / RUCB to 80 %"] == pytest.approx(2 * (2 / 2) ** 0.8)
    assert found["BTM / RUCB to 80 %"] == pytest.approx(200_000 * 2.5**0.8 / (5000 * 2**0.8))
    short = rucb[rucb["step"] <= 1_000_000]
    assert "straight" not in accuracies(inputs({"rucb": short, **others}))


def test_regrets_by_number_of_rankers():
    def of(*regrets):
        return pd.concat([table_of(policy, [10], regret=[r]) for policy, r in zip(FIVE, regrets)])

    found = by_size(inputs({"a": of(1.0, 2.0, 3.0, 9.0, 9.0), "b": of(3.0, 2.0, 4.0, 9.0, 9.0)}))
    assert found["merge_rucb below rucb"] == [1, 0] and found["merge_rucb below savage"] == [1, 1]
    assert found["next best / merge_rucb"] == [1.0]  # RUCB: 2 and 2 on average
    assert found["rucb median / merge_rucb median"] == [1.0]


def test_effect_of_noise_by_policy():
    regrets = {"perfect": (1.0, 1.0, 2.0), "navigational": (1.0, 1.0, 2.0), "informational": (2.0, 5.0, 8.0)}
    tables = {}
    for user, (merge, rucb, rcs) in regrets.items():
        tables[f"k-0-{user}"] = pd.concat(
            [table_of(FIVE[0], [10], regret=[merge]), table_of(FIVE[2], [10], regret=[rcs])]
        )
        tables[f"k-0-{user}{MORE}"] = table_of(FIVE[1], [10], regret=[rucb])
    found = noise(inputs(tables))
    assert (found["merge_rucb"], found["rucb"], found["rcs"]) == ([2], [5], [4])
    assert found["rcs suffers more than merge_rucb"] == [1] and found["rcs suffers more than rucb"] == [0]
    assert found["rucb, informational"] == [5]


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


def test_first_step_interpolates_linearly_in_log_t():
    curve = {100: (0.5, 0.0), 1000: (0.7, 0.0), 10_000: (0.9, 0.0)}
    assert first_step(curve, 0.8) == pytest.approx(10**3.5)
    assert first_step(curve, 0.4) == 100
    assert math.isnan(first_step(curve, 0.95))
