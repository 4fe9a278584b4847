"""Verdicts of checks: their records, counts, and files.

holds           the test passes
does not hold   the test fails on the data of the source
warns           the test fails on stand-in data
skipped         the tier is too short, has too few runs, or data are missing
report only     the number is reported without a test
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from rankduel.base.errors import RecordsError
from rankduel.base.files import write_text
from rankduel.base.settings import Setting
from rankduel.base.text import read_text
from rankduel.base.toml import read_table
from rankduel.experiments.studies.study import FAILS, HOLDS, REPORT, SKIPPED, WARNS, Tier

VERDICTS = (HOLDS, FAILS, WARNS, SKIPPED, REPORT)
# What a skipped check lacks.
DATA, LONGER, RIGHT_RUNS = "data that were not found", "longer or more runs", "a run that finds the winner"
_MOST_BYTES = 1 << 24  # largest file of checks
_Count = Annotated[int, Setting("number of runs", at_least=0)]


@dataclass(frozen=True)
class Record:
    """The outcome of a check."""

    id: str
    expr: str  # the test as text
    lhs: float
    rhs: float
    n_lhs: _Count
    n_rhs: _Count
    value: float  # the tested number: lhs, rhs - lhs, or lhs / rhs
    se: float
    z: float  # distance inside the nearest limit of the test, in standard errors; negative outside
    verdict: Annotated[str, Setting("verdict of the check", choices=VERDICTS)]
    source_claim: str
    reference_value: str
    stand_in: str = ""  # description of the stand-in data, if any
    why: str = ""  # reason why the check was skipped, warns or does not hold
    lacks: Annotated[str, Setting("what a skipped check lacks", choices=("", DATA, LONGER, RIGHT_RUNS))] = ""
    paper: str = ""  # the paper that makes the claim

    @property
    def on_stand_in(self) -> bool:
        """Whether the verdict comes from stand-in data."""
        return bool(self.stand_in) and self.verdict != SKIPPED

    @property
    def in_short(self) -> str:
        """The verdict, marked if it comes from stand-in data."""
        return f"{self.verdict} (stand-in)" if self.on_stand_in else self.verdict

    @property
    def unexplained(self) -> bool:
        return self.verdict == FAILS and not self.why


def summary(records: Sequence[Record]) -> str:
    """Return the number of records per verdict, such as '12 hold, 1 skipped; on stand-in data 2 warn'."""
    original = _counts(record for record in records if not record.on_stand_in)
    replaced = _counts(record for record in records if record.on_stand_in)
    return "; ".join(filter(None, (original, replaced and f"on stand-in data {replaced}"))) or "no checks"


def _counts(records: Iterable[Record]) -> str:
    """Return '12 hold, 1 skipped', in the order of VERDICTS."""
    counts = Counter(record.verdict for record in records)
    words = {HOLDS: "hold", FAILS: "do not hold", WARNS: "warn"}
    return ", ".join(f"{counts[v]} {words.get(v, v)}" for v in VERDICTS if counts[v])


def measurement_text(record: Record) -> str:
    """Return '1.41 ± 0.05 (14,330 and 20,250; n = 20, 20; z = 4.2)', or the reason for skipping the check."""
    if record.verdict == SKIPPED:
        return record.why
    text = number(record.value) + ("" if np.isnan(record.se) else f" ± {number(record.se)}")
    sides = [(record.lhs, record.n_lhs), (record.rhs, record.n_rhs)]
    more = []
    if record.n_rhs:
        more.append(" and ".join(number(value) for value, _ in sides))
    if record.n_lhs > 1:
        more.append("n = " + ", ".join(str(n) for _, n in sides if n))
    if np.isfinite(record.z):
        more.append(f"z = {record.z:.1f}")
    return f"{text} ({'; '.join(more)})" if more else text


def number(value: float) -> str:
    """Return a number with four digits, or all digits of a whole number."""
    if np.isnan(value):
        return "unknown"
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"


def write_records(records: Sequence[Record], path: Path, about: Mapping[str, Any]) -> None:
    rows = [{key: _plain(value) for key, value in asdict(record).items()} for record in records]
    text = json.dumps({**about, "checks": rows}, indent=1, sort_keys=True, allow_nan=False)
    write_text(path, text + "\n")


@dataclass(frozen=True)
class _File:
    """The content of a file that `write_records` writes."""

    study: str
    title: str
    source: str
    tier: Tier
    checks: Sequence[Record]
    versions: Mapping[str, str] = field(default_factory=dict)


def read_records(path: Path) -> tuple[dict[str, Any], list[Record]]:
    """Return the study, title, source and tier of a file of checks, and its records."""
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
    """Return a value that JSON can represent: NaN as null, an infinity as text."""
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else str(value)
    return value


def _with_numbers(about: Any) -> Any:
    """Return the content of a file of checks with NaN and infinities restored."""
    if not isinstance(about, dict) or not isinstance(about.get("checks"), list):
        return about
    return about | {"checks": [_numbers(row) if isinstance(row, dict) else row for row in about["checks"]]}


def _numbers(row: dict[str, Any]) -> dict[str, Any]:
    return row | {key: _number(row[key]) for key in _NUMBERS if key in row}


def _number(value: Any) -> Any:
    """Invert `_plain`; return any other value unchanged."""
    if value is None:
        return float("nan")
    return float(value) if value in ("inf", "-inf") else value
