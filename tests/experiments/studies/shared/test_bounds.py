"""Test the bounds on the regret that studies draw and check, and the draws of random subsets."""

import numpy as np
import pandas as pd
import pytest
from support.run_set_samples import made_up_table

from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.studies.checks import Results
from rankduel.experiments.studies.pages.figures import bound_lines, draw
from rankduel.experiments.studies.published import winner_notions
from rankduel.experiments.studies.published.batched import cases, draws
from rankduel.experiments.studies.shared.bounds import bounds_over_time, steps_up_to
from rankduel.experiments.studies.study import Curves, Inputs, Runs, Size, Study, full_name
from rankduel.experiments.winners.bounds import bounds_table

FIGURE = Curves("f", "title", "p", y="log", bounds="limits")
STUDY = Study("s", "title", "none", "?", "", (Runs("p", "mslr5", ("rucb",), {}),), (), (FIGURE,))


def inputs(matrix, horizon=1e4, runs=3, tables=None):
    return Inputs(preferences_of(matrix), Size(horizon, runs), tables or {}, 1)


def test_steps_are_1_2_and_5_times_powers_of_ten():
    assert steps_up_to(1e3) == [100, 200, 500, 1000]


def test_bounds_hold_for_one_failure_probability_at_all_steps():
    prefs = MATRICES["mslr5"].make()
    found = bounds_over_time(inputs(prefs), 1.01, ("ccb", "merge_rucb"))
    assert len(found) == 2 * 7
    assert list(found)[:2] == ["merge_rucb by Theorem 6.1 @100", "ccb by Theorem 7.1 @100"]
    last = bounds_table(prefs, 1e4, 1.01, 1e-4).set_index("source")["bound"]
    assert found["ccb by Theorem 7.1 @10000"] == last["Zoghi 2017, Theorem 7.1"]
    assert found["ccb by Theorem 7.1 @100"] < found["ccb by Theorem 7.1 @10000"]


def test_bounds_that_cannot_be_drawn_are_left_out():
    assert bounds_over_time(inputs(MATRICES["mslr5-cycle"].make()), 1.01, ("rucb",)) == {}
    assert bounds_over_time(inputs(MATRICES["mslr5"].make()), 0.505, ("rucb",)) == {}


def test_a_figure_draws_the_bounds_of_its_part():
    values = {
        "limits": {"rucb by Theorem 4.4 @100": 9e4, "rucb by Theorem 4.4 @10": 4e4},
        "other": {"x @1": 1.0},
    }
    results = Results({"p": made_up_table(("rucb",), 100)}, values, {})
    lines = bound_lines(FIGURE, results)
    assert lines.to_dict("list") == {
        "policy": ["rucb by Theorem 4.4"] * 2,
        "step": [10, 100],
        "mean": [4e4, 9e4],
    }
    drawn = draw(STUDY, FIGURE, results).to_json()
    assert "rucb by Theorem 4.4" in drawn and "90000" in drawn
    plain = draw(STUDY, FIGURE._replace(bounds=""), results).to_json()
    assert "Theorem" not in plain
    assert bound_lines(FIGURE, results._replace(values={})).empty


def test_ratios_over_random_subsets():
    """On one subset C2B with six more batches has half of RUCB's regret, on the other three times as much."""
    regrets = dict.fromkeys(map(full_name, cases.POLICIES), 100.0)
    tables = {}
    for name, regret in (("a", 50.0), ("b", 300.0)):
        rows = regrets | {full_name(cases.MORE): regret}
        tables[name] = pd.concat(
            pd.DataFrame({"policy": policy, "step": [10, 100], "regret": [1.0, value]})
            for policy, value in rows.items()
        )
    found = draws.over_draws(inputs(MATRICES["mslr5"].make(), tables=tables))
    assert found["C2B+6 / RUCB"] == [0.5, 3.0] and found["C2B+6 / RUCB, in range"] == [1.0, 0.0]
    assert found["C2B / RUCB"] == [1.0, 1.0] and found["C2B / BTM, in range"] == [0.0, 0.0]


def test_gaps_of_subsets_of_a_matrix():
    """In a total order with equal steps every pair of neighbours has the smallest gap: all ratios are 1."""
    place = np.arange(136)
    found = winner_notions.gaps(inputs(0.5 + 0.001 * (place[None, :] - place[:, None]), runs=2))
    assert found["of all"] == pytest.approx(1) and found["of 2"] == pytest.approx(1)
    assert found["mean over sizes"] >= found["of all"]
