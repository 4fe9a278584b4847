"""Test the claims of a study: every check gives a record with a verdict (verdicts.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankduel.base.errors import StudyError
from rankduel.experiments.studies.study import (
    FAILS,
    HOLDS,
    REPORT,
    SKIPPED,
    STATISTICS,
    WARNS,
    WRONG,
    Between,
    Check,
    Exact,
    Measure,
    Order,
    Ratio,
    Report,
    Study,
    Test,
    full_name,
)
from rankduel.experiments.studies.verdicts import DATA, LONGER, RIGHT_RUNS, Record

_UNKNOWN = float("nan")


class Results(NamedTuple):
    """The results of a study by part: records of runs, computed values, and descriptions of stand-ins."""

    tables: Mapping[str, pd.DataFrame]
    values: Mapping[str, Mapping[str, Any]]
    stand_ins: Mapping[str, str]  # "" for a part on the original data


class Estimate(NamedTuple):
    """A statistic, its standard error, and the number of values behind it."""

    value: float
    se: float
    n: int


class CheckSkipped(Exception):
    """The tier or the data lack what a check needs: one of DATA, LONGER and RIGHT_RUNS."""

    def __init__(self, reason: str, lacks: str = LONGER) -> None:
        super().__init__(reason)
        self.lacks = lacks


class _Outcome(NamedTuple):
    lhs: Estimate
    rhs: Estimate
    value: float
    se: float
    z: float
    passed: bool | None  # None for a test that is only reported


def run_checks(study: Study, results: Results) -> list[Record]:
    return [
        replace(
            run_check(check, results, f"{study.id}.{check.id}", study.warning_of(check.id)),
            paper=study.paper_of(check.id),
        )
        for check in study.checks
    ]


def run_check(check: Check, results: Results, name: str, warning: str = "") -> Record:
    """Return the record of a check, with `name` as its id; `warning` explains a failure on stand-in data."""
    expr = in_words(check.test)
    used = dict.fromkeys(results.stand_ins.get(measure.part, "") for measure in check.measures)
    stand_in = "; ".join(filter(None, used))
    about = (check.claim, check.reference, stand_in)
    try:
        if check.real and stand_in:
            raise CheckSkipped("is a property of the original data, which were not found", DATA)
        outcome = _outcome(check.test, [sample(measure, results) for measure in check.measures])
        fewest = min(side.n for side in (outcome.lhs, outcome.rhs) if side.n)
        if fewest < check.runs:
            raise CheckSkipped(f"needs {check.runs} runs; this tier has {fewest}")
    except CheckSkipped as reason:
        unknown = (_UNKNOWN, _UNKNOWN, 0, 0, _UNKNOWN, _UNKNOWN, _UNKNOWN)
        return Record(name, expr, *unknown, SKIPPED, *about, str(reason), reason.lacks)
    verdict = _verdict(outcome.passed, bool(stand_in))
    lhs, rhs = outcome.lhs, outcome.rhs
    numbers = (lhs.value, rhs.value, lhs.n, rhs.n, outcome.value, outcome.se, outcome.z)
    why = {FAILS: check.explanation, WARNS: warning}.get(verdict, "")
    return Record(name, expr, *numbers, verdict, *about, why)


def _verdict(passed: bool | None, is_stand_in: bool) -> str:
    if passed is None:
        return REPORT
    return HOLDS if passed else WARNS if is_stand_in else FAILS


def sample(measure: Measure, results: Results) -> Estimate:
    """Return the estimate of a measure from the records of a part or from its computed values."""
    if measure.part in results.values:
        found = results.values[measure.part]
        if measure.policy not in found:
            raise _not_computed(measure.policy, found)
        return estimate(np.atleast_1d(np.asarray(found[measure.policy], float)), measure.statistic)
    if measure.part not in results.tables:
        raise CheckSkipped(f"'{measure.part}' was not played")
    table = results.tables[measure.part]
    runs = table[table["policy"] == measure.policy]
    if runs.empty:  # the study uses a short form; records have the full name, except for policy files
        runs = table[table["policy"] == full_name(measure.policy)]
    if runs.empty:
        raise StudyError(f"{measure}: the records of '{measure.part}' do not include this policy")
    if measure.column not in (*runs, WRONG):
        raise StudyError(f"{measure}: these runs have no column '{measure.column}'")
    chosen = values_at(runs, measure.column, measure.at)
    if measure.since:
        chosen = chosen - values_at(runs, measure.column, measure.since)
    if measure.only == "right":
        chosen = chosen[values_at(runs, "correct", 0) > 0]
        if not len(chosen):
            raise CheckSkipped("no run recommends the winner at the end", RIGHT_RUNS)
    return estimate(chosen, measure.statistic)


def _not_computed(name: str, found: Mapping[str, Any]) -> CheckSkipped:
    """Return the reason why a value is missing; a computed part without its data has no values at all."""
    if not found:
        return CheckSkipped(f"'{name}' was not computed: its data were not found", DATA)
    return CheckSkipped(f"'{name}' was not computed: the runs of this tier do not determine it")


def values_at(runs: pd.DataFrame, column: str, at: float) -> np.ndarray:
    """Return a column of one policy at a recorded step, shape (runs,); step 0 is the last step."""
    last = runs["step"].max()
    if at > last:
        raise CheckSkipped(f"needs {at:,.0f} duels; this tier has {last:,.0f}")
    rows = runs[runs["step"] == (at or last)].sort_values("run")
    if rows.empty:
        raise StudyError(f"nothing was recorded at step {at:,.0f}; choose 1, 2 or 5 times a power of ten")
    if column == WRONG:
        return 1.0 - rows["correct"].to_numpy(float)
    return rows[column].to_numpy(float)


def estimate(values: np.ndarray, statistic: str) -> Estimate:
    """Return a statistic with its standard error, which is NaN for extremes."""
    n = len(values)
    spread = values.std(ddof=1) / n**0.5 if n > 1 else _UNKNOWN
    if statistic == "mean":
        return Estimate(float(values.mean()), float(spread), n)
    if statistic == "median":
        return Estimate(float(np.median(values)), _median_error(values), n)
    if statistic == "count":
        return Estimate(float(values.sum()), float(n * spread), n)
    if statistic in ("min", "max"):
        return Estimate(float(getattr(values, statistic)()), _UNKNOWN, n)
    raise StudyError(f"no statistic '{statistic}'; expected one of {', '.join(STATISTICS)}")


def _median_error(values: np.ndarray) -> float:
    """Return the standard error of the median from two order statistics, which heavy tails do not affect.

    Their ranks are one standard deviation of a binomial count, sqrt(n) / 2, below and above the middle.
    """
    if len(values) < 2:
        return _UNKNOWN
    middle, reach = (len(values) - 1) / 2, len(values) ** 0.5 / 2
    low, high = np.interp([middle - reach, middle + reach], np.arange(len(values)), np.sort(values))
    return float(high - low) / 2


_NO_ESTIMATE = Estimate(_UNKNOWN, _UNKNOWN, 0)


def _outcome(test: Test, found: Sequence[Estimate]) -> _Outcome:
    one, *more = found
    if isinstance(test, Order):
        return _order(test, one, more[0])
    if isinstance(test, Ratio):
        return _ratio(test, one, more[0])
    if isinstance(test, Exact):
        off = abs(one.value - test.expected)
        return _Outcome(one, _NO_ESTIMATE, one.value, one.se, _UNKNOWN, bool(off <= test.tolerance))
    if isinstance(test, Report):
        if more:
            return _ratio(Ratio(test.value, test.value), one, more[0])._replace(z=_UNKNOWN, passed=None)
        return _Outcome(one, _NO_ESTIMATE, one.value, one.se, _UNKNOWN, None)
    inside = _margin(one.value, test.low, test.high)
    return _Outcome(one, _NO_ESTIMATE, one.value, one.se, _in_standard_errors(inside, one.se), inside >= 0)


def _order(test: Order, less: Estimate, more: Estimate) -> _Outcome:
    difference, se = more.value - less.value, float(np.hypot(less.se, more.se))
    z = _in_standard_errors(difference, se)
    return _Outcome(less, more, difference, se, z, z >= test.z)


def _ratio(test: Ratio, top: Estimate, bottom: Estimate) -> _Outcome:
    if bottom.value == 0.0:
        return _Outcome(top, bottom, _UNKNOWN, _UNKNOWN, _UNKNOWN, False)
    ratio = top.value / bottom.value
    # First-order error propagation; the two sides are independent runs.
    se = float(np.hypot(top.se, ratio * bottom.se) / abs(bottom.value))
    inside = _margin(ratio, test.low, test.high)
    return _Outcome(top, bottom, ratio, se, _in_standard_errors(inside, se), inside >= 0)


def _margin(value: float, low: float, high: float) -> float:
    """Return the distance of `value` from the nearer limit, negative outside the range."""
    return min(value - low, high - value)


def _in_standard_errors(distance: float, se: float) -> float:
    """Return distance / se, which is infinite for a number without error."""
    if se == 0.0:
        return float(np.sign(distance) * np.inf) if distance else 0.0
    return distance / se


def in_words(test: Test) -> str:
    """Return a test as text, such as 'mean regret[easy: rcs] < mean regret[easy: rucb], z >= 3'."""
    if isinstance(test, Order):
        return f"{test.less} < {test.more}, z >= {test.z:g}"
    if isinstance(test, Ratio):
        return f"{test.top} / {test.bottom}{_range(test.low, test.high)}"
    if isinstance(test, Between):
        return f"{test.value}{_range(test.low, test.high)}"
    if isinstance(test, Exact):
        off = f" within {test.tolerance:g}" if test.tolerance else ""
        return f"{test.value} = {test.expected:g}{off}"
    return f"{test.value} / {test.over}" if test.over else str(test.value)


def _range(low: float, high: float) -> str:
    if low == -np.inf:
        return f" <= {high:g}"
    return f" >= {low:g}" if high == np.inf else f" in [{low:g}, {high:g}]"
