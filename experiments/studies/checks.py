"""Claims against numbers: every check ends in a record with a verdict.

holds           the test is passed
does not hold   it is not, on the data of the source
warns           it is not, on data that only stand in for those of the source
skipped         the tier is too short, or has too few runs, to say anything
report only     a number that nobody judges
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd

from experiments.studies.study import (
    STATISTICS,
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
    Tier,
    full_name,
)
from rankduel.base.errors import RecordsError, StudyError
from rankduel.base.files import write_text
from rankduel.base.settings import Setting
from rankduel.base.text import read_text
from rankduel.base.toml import read_table

HOLDS, FAILS, WARNS, SKIPPED, REPORT = "holds", "does not hold", "warns", "skipped", "report only"
VERDICTS = (HOLDS, FAILS, WARNS, SKIPPED, REPORT)
_UNKNOWN = float("nan")
_MOST_BYTES = 1 << 24  # of a file of checks
_Count = Annotated[int, Setting("of runs", at_least=0)]


@dataclass(frozen=True)
class Record:
    id: str
    expr: str
    lhs: float
    rhs: float
    n_lhs: _Count
    n_rhs: _Count
    value: float
    se: float
    z: float  # how many standard errors on the right side of the border; of the nearest border of a range
    verdict: Annotated[str, Setting("of the check", choices=VERDICTS)]
    source_claim: str
    reference_value: str
    stand_in: str = ""  # what stood in for the data of the source
    why: str = ""  # it was skipped, or does not hold

    @property
    def in_short(self) -> str:
        """The verdict, with a mark if data only stood in for others."""
        return f"{self.verdict} (stand-in)" if self.stand_in and self.verdict != SKIPPED else self.verdict

    @property
    def unexplained(self) -> bool:
        return self.verdict == FAILS and not self.why


class Results(NamedTuple):
    """All that a study found, by part."""

    tables: Mapping[str, pd.DataFrame]
    values: Mapping[str, Mapping[str, Any]]
    stand_ins: Mapping[str, str]


class Estimate(NamedTuple):
    value: float
    se: float
    n: int


class TooShort(Exception):
    """The tier, or the data, have not what a check needs."""


class _Outcome(NamedTuple):
    lhs: Estimate
    rhs: Estimate
    value: float
    se: float
    z: float
    passed: bool | None  # None: nobody judges it


def run_checks(study: Study, results: Results) -> list[Record]:
    return [run_check(check, results, f"{study.id}.{check.id}") for check in study.checks]


def run_check(check: Check, results: Results, name: str) -> Record:
    expr = in_words(check.test)
    used = dict.fromkeys(results.stand_ins.get(measure.part, "") for measure in check.measures)
    stand_in = "; ".join(filter(None, used))
    about = (check.claim, check.reference, stand_in)
    try:
        if check.real and stand_in:
            raise TooShort("is about the real data")
        outcome = _outcome(check.test, [sample(measure, results) for measure in check.measures])
        fewest = min(side.n for side in (outcome.lhs, outcome.rhs) if side.n)
        if fewest < check.runs:
            raise TooShort(f"needs {check.runs} runs, this tier has {fewest}")
    except TooShort as reason:
        unknown = (_UNKNOWN, _UNKNOWN, 0, 0, _UNKNOWN, _UNKNOWN, _UNKNOWN)
        return Record(name, expr, *unknown, SKIPPED, *about, why=str(reason))
    verdict = _verdict(outcome.passed, bool(stand_in))
    lhs, rhs = outcome.lhs, outcome.rhs
    numbers = (lhs.value, rhs.value, lhs.n, rhs.n, outcome.value, outcome.se, outcome.z)
    why = check.explanation if verdict == FAILS else ""
    return Record(name, expr, *numbers, verdict, *about, why=why)


def _verdict(passed: bool | None, is_stand_in: bool) -> str:
    if passed is None:
        return REPORT
    return HOLDS if passed else WARNS if is_stand_in else FAILS


def sample(measure: Measure, results: Results) -> Estimate:
    """What the runs or a computed part say about a measure."""
    if measure.part in results.values:
        found = results.values[measure.part]
        if measure.policy not in found:
            raise TooShort(f"'{measure.policy}' was not computed: the tier is too short, or data are missing")
        return estimate(np.atleast_1d(np.asarray(found[measure.policy], float)), measure.statistic)
    if measure.part not in results.tables:
        raise TooShort(f"'{measure.part}' was not played")
    table = results.tables[measure.part]
    runs = table[table["policy"] == measure.policy]
    if runs.empty:  # not written as records name it, which a policy of a file always is
        runs = table[table["policy"] == full_name(measure.policy)]
    if runs.empty:
        raise StudyError(f"{measure}: {measure.part} was not played with this policy")
    if measure.column not in (*runs, WRONG):
        raise StudyError(f"{measure}: these runs have no column '{measure.column}'")
    chosen = values_at(runs, measure.column, measure.at)
    if measure.since:
        chosen = chosen - values_at(runs, measure.column, measure.since)
    if measure.only == "right":
        chosen = chosen[values_at(runs, "correct", 0) > 0]
        if not len(chosen):
            raise TooShort("no run is right in the end")
    return estimate(chosen, measure.statistic)


def values_at(runs: pd.DataFrame, column: str, at: float) -> np.ndarray:
    """(runs,) of one policy, at a step that was recorded; 0 is the last."""
    last = runs["step"].max()
    if at > last:
        raise TooShort(f"needs {at:,.0f} duels, this tier has {last:,.0f}")
    rows = runs[runs["step"] == (at or last)].sort_values("run")
    if rows.empty:
        raise StudyError(f"nothing was recorded at step {at:,.0f}; choose 1, 2 or 5 times a power of ten")
    if column == WRONG:
        return 1.0 - rows["correct"].to_numpy(float)
    return rows[column].to_numpy(float)


def estimate(values: np.ndarray, statistic: str) -> Estimate:
    """A statistic with its standard error; that of extremes is unknown."""
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
    """From the values one standard deviation of ranks to both sides, so that no tail matters."""
    if len(values) < 2:
        return _UNKNOWN
    middle, reach = (len(values) - 1) / 2, len(values) ** 0.5 / 2
    low, high = np.interp([middle - reach, middle + reach], np.arange(len(values)), np.sort(values))
    return float(high - low) / 2


_NOTHING = Estimate(_UNKNOWN, _UNKNOWN, 0)


def _outcome(test: Test, found: Sequence[Estimate]) -> _Outcome:
    one, *more = found
    if isinstance(test, Order):
        return _order(test, one, more[0])
    if isinstance(test, Ratio):
        return _ratio(test, one, more[0])
    if isinstance(test, Exact):
        off = abs(one.value - test.expected)
        return _Outcome(one, _NOTHING, one.value, one.se, _UNKNOWN, bool(off <= test.tolerance))
    if isinstance(test, Report):
        if more:
            return _ratio(Ratio(test.value, test.value), one, more[0])._replace(z=_UNKNOWN, passed=None)
        return _Outcome(one, _NOTHING, one.value, one.se, _UNKNOWN, None)
    inside = _inside(one.value, test.low, test.high)
    return _Outcome(one, _NOTHING, one.value, one.se, _distances(inside, one.se), inside >= 0)


def _order(test: Order, less: Estimate, more: Estimate) -> _Outcome:
    difference, se = more.value - less.value, float(np.hypot(less.se, more.se))
    z = _distances(difference, se)
    return _Outcome(less, more, difference, se, z, z >= test.z)


def _ratio(test: Ratio, top: Estimate, bottom: Estimate) -> _Outcome:
    if bottom.value == 0.0:
        return _Outcome(top, bottom, _UNKNOWN, _UNKNOWN, _UNKNOWN, False)
    ratio = top.value / bottom.value
    # To first order; the two sides are taken as independent.
    se = float(np.hypot(top.se, ratio * bottom.se) / abs(bottom.value))
    inside = _inside(ratio, test.low, test.high)
    return _Outcome(top, bottom, ratio, se, _distances(inside, se), inside >= 0)


def _inside(value: float, low: float, high: float) -> float:
    """How far inside the range, below zero outside."""
    return min(value - low, high - value)


def _distances(far: float, se: float) -> float:
    """In standard errors. Without chance any distance is infinitely many."""
    if se == 0.0:
        return float(np.sign(far) * np.inf) if far else 0.0
    return far / se


def in_words(test: Test) -> str:
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


def summary(records: Sequence[Record]) -> str:
    """'12 hold, 1 skipped', in the order of VERDICTS."""
    counts = Counter(record.verdict for record in records)
    words = {HOLDS: "hold", FAILS: "do not hold", WARNS: "warn"}
    return ", ".join(f"{counts[v]} {words.get(v, v)}" for v in VERDICTS if counts[v]) or "no checks"


def write_records(records: Sequence[Record], path: Path, about: Mapping[str, Any]) -> None:
    rows = [{key: _plain(value) for key, value in asdict(record).items()} for record in records]
    text = json.dumps({**about, "checks": rows}, indent=1, sort_keys=True, allow_nan=False)
    write_text(path, text + "\n")


@dataclass(frozen=True)
class _File:
    """What `write_records` writes for a study."""

    study: str
    title: str
    source: str
    tier: Tier
    checks: Sequence[Record]
    versions: Mapping[str, str] = field(default_factory=dict)


def read_records(path: Path) -> tuple[dict[str, Any], list[Record]]:
    """Return what a file of checks is about, and its records."""
    text = read_text(path, RecordsError, _MOST_BYTES)
    try:
        about = json.loads(text)
        found = read_table(_File, _with_numbers(about), "it", RecordsError)
    except (ValueError, RecursionError) as problem:
        reason = "nested too deeply" if isinstance(problem, RecursionError) else problem
        raise RecordsError(
            f"{path}: damaged ({reason}); remove it and run 'rankduel study check' again"
        ) from None
    del about["checks"]
    return about, list(found.checks)


_NUMBERS = ("lhs", "rhs", "value", "se", "z")


def _plain(value: Any) -> Any:
    """JSON has no infinity; as text it is read back."""
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else str(value)
    return value


def _with_numbers(about: Any) -> Any:
    """Return the content of a file of checks with the numbers that JSON has not; the rest as it is."""
    if not isinstance(about, dict) or not isinstance(about.get("checks"), list):
        return about
    return about | {"checks": [_numbers(row) if isinstance(row, dict) else row for row in about["checks"]]}


def _numbers(row: dict[str, Any]) -> dict[str, Any]:
    return row | {key: _number(row[key]) for key in _NUMBERS if key in row}


def _number(value: Any) -> Any:
    """Return the number that `_plain` wrote; whatever it did not write as it is."""
    if value is None:
        return _UNKNOWN
    return float(value) if value in ("inf", "-inf") else value
