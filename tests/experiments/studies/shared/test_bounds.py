"""Test the bounds on the regret that studies draw and check, and the draws of random subsets."""

from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.studies.shared.bounds import bounds_over_time, steps_up_to
from rankduel.experiments.studies.study import Inputs, Size
from rankduel.experiments.winners.bounds import bounds_table


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
