"""Checks of claims on small made-up results: their tests, verdicts and explanations."""

import dataclasses
import math

import numpy as np
import pytest
from support.check_results import CLEAR, EMPTY, RCS, RUCB, results, verdict

from rankduel.experiments.studies.checks import estimate, run_checks
from rankduel.experiments.studies.study import (
    FAILS,
    HOLDS,
    REPORT,
    SKIPPED,
    WARNS,
    Between,
    Check,
    Exact,
    Measure,
    Order,
    Ratio,
    Report,
)
from rankduel.experiments.studies.verdicts import summary


def test_order_uses_the_standard_error_of_welch():
    record = verdict(Order(RCS, RUCB, z=4), CLEAR)
    se = math.sqrt(4 / 3 + 1 / 3)
    assert (record.lhs, record.rhs, record.n_lhs, record.n_rhs) == (5, 12, 3, 3)
    assert (record.value, record.se, record.z) == pytest.approx((7, se, 7 / se))
    assert record.verdict == HOLDS
    assert verdict(Order(RCS, RUCB, z=6), CLEAR).verdict == FAILS
    assert verdict(Order(RUCB, RCS, z=0), CLEAR).z == pytest.approx(-7 / se)


def test_ratio_and_its_standard_error():
    record = verdict(Ratio(RUCB, RCS, 2, 3), CLEAR)
    se = 2.4 * math.hypot(math.sqrt(4 / 3) / 12, math.sqrt(1 / 3) / 5)
    assert (record.value, record.se, record.z) == pytest.approx((2.4, se, 0.4 / se))
    assert record.verdict == HOLDS
    assert verdict(Ratio(RUCB, RCS, 2.5), CLEAR).verdict == FAILS
    assert verdict(Ratio(RUCB, RCS, high=2.4), CLEAR).verdict == HOLDS  # the limits belong to the range
    assert verdict(Ratio(RUCB, RCS, 0), results({"rucb": [1.0], "rcs": [0.0]})).verdict == FAILS


@pytest.mark.parametrize(
    ("statistic", "value"), [("mean", 12.0), ("median", 12.0), ("min", 10.0), ("max", 14.0), ("count", 36.0)]
)
def test_statistics(statistic, value):
    record = verdict(Between(Measure("p", "rucb", statistic=statistic), value, value), CLEAR)
    assert record.value == value and record.verdict == HOLDS


def test_heavy_tails_do_not_affect_the_standard_error_of_a_median():
    """Compare with the deviation of 1,000 medians, whose own error is 2.2 %: 10 % is over four of these."""
    rng = np.random.default_rng(5)
    samples = rng.normal(size=(1000, 400))
    errors = [estimate(values, "median").se for values in samples]
    assert np.mean(errors) == pytest.approx(np.median(samples, axis=1).std(), rel=0.1)
    samples[:, :20] *= 1e6
    heavy = [estimate(values, "median").se for values in samples]
    assert np.mean(heavy) == pytest.approx(np.median(samples, axis=1).std(), rel=0.1)
    assert math.isnan(estimate(np.array([1.0]), "median").se)


def test_counts_of_runs():
    found = results({"rucb": [1.0, 2.0, 5000.0, 3.0]})
    lost = Measure("p", "rucb", "wrong", statistic="count")
    assert verdict(Between(lost, 1, 1), found).verdict == HOLDS
    assert verdict(Between(lost, high=0), found).verdict == FAILS
    assert verdict(Between(Measure("p", "rucb", only="right"), 2, 2), found).n_lhs == 3


def test_measures_at_a_step_and_since_a_step():
    assert verdict(Exact(Measure("p", "rcs", at=10), 0.5, 1e-12), CLEAR).verdict == HOLDS
    assert verdict(Exact(Measure("p", "rcs", since=10), 4.5, 1e-12), CLEAR).verdict == HOLDS


def test_exact_allows_the_tolerance_only():
    x = Measure("c", "x", "value")
    assert verdict(Exact(x, 3.0), CLEAR).verdict == HOLDS
    assert verdict(Exact(x, 3.0000001), CLEAR).verdict == FAILS
    assert verdict(Exact(x, 3.4, 0.5), CLEAR).verdict == HOLDS


def test_reports_have_no_verdict():
    record = verdict(Report(Measure("c", "many", "value")), CLEAR)
    assert (record.verdict, record.value, record.se) == (REPORT, 2.0, pytest.approx(3**-0.5))
    ratio = verdict(Report(RUCB, RCS), CLEAR)
    assert (ratio.verdict, ratio.value, ratio.rhs) == (REPORT, pytest.approx(2.4), 5)


@pytest.mark.parametrize(
    ("test", "more", "why"),
    [
        (Order(Measure("p", "rucb", at=1000), RCS), {}, "needs 1,000 duels; this tier has 100"),
        (Order(RUCB, RCS), {"runs": 4}, "needs 4 runs; this tier has 3"),
        (Between(Measure("elsewhere", "rucb")), {}, "'elsewhere' was not played"),
        (
            Between(Measure("c", "y", "value")),
            {},
            "'y' was not computed: the runs of this tier do not determine it",
        ),
    ],
)
def test_checks_that_a_tier_cannot_decide_are_skipped(test, more, why):
    record = verdict(test, CLEAR, explanation="unused", **more)
    assert (record.verdict, record.why) == (SKIPPED, why)
    assert math.isnan(record.value)


def test_a_failure_on_stand_in_data_is_a_warning():
    found = CLEAR._replace(stand_ins={"p": "a synthetic stand-in for mslr"})
    good, bad = verdict(Order(RCS, RUCB), found), verdict(Order(RUCB, RCS), found, explanation="because")
    assert (good.verdict, bad.verdict) == (HOLDS, WARNS)
    assert good.stand_in == bad.stand_in == "a synthetic stand-in for mslr"
    skipped = verdict(Order(RUCB, RCS), found, real=True)
    assert (skipped.verdict, skipped.lacks) == (SKIPPED, "data that were not found")
    assert summary([good, bad, skipped]) == "1 skipped; on stand-in data 1 hold, 1 warn"
    assert summary([verdict(Order(RCS, RUCB), CLEAR), good]) == "1 hold; on stand-in data 1 hold"


def test_explanations_are_given_for_failures_only():
    assert verdict(Order(RUCB, RCS), CLEAR, explanation="because").why == "because"
    assert verdict(Order(RCS, RUCB), CLEAR, explanation="because").why == ""
    assert verdict(Order(RUCB, RCS), CLEAR).unexplained
    found = CLEAR._replace(stand_ins={"p": "other data"})
    check = Check("c", "claim", Order(RUCB, RCS), explanation="because")
    study = dataclasses.replace(EMPTY, checks=(check,), warnings={"": "other", "c": "too easy"})
    assert [record.why for record in run_checks(study, found)] == ["too easy"]
