"""The page of reproductions: one line per published claim, from the checks alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.studies.checks import REPORT, SKIPPED, Record, read_records, summary
from experiments.studies.playing import CHECKS
from experiments.studies.study import TIERS
from rankduel.base.errors import RecordsError
from rankduel.base.files import write_text

_TOP = """# Published claims, measured here

Made by `rankduel study page`; nothing on this page was written by hand. Each line is a claim of a paper, the
test it was put to, and what came out: *holds*, *does not hold* (with the reason, as far as it was verified),
*warns* (the claim did not show on data that only stand in for those of the paper), *skipped* (no tier that
was run is long enough to say), or *report only*. z is the distance from the border of the test in standard
errors. 'Known' is what independent programs or the papers themselves give. RankEl (`rankel`) is reconstructed
from descriptions by others, not from its paper, so claims about it test that reconstruction.
"""


class Line(NamedTuple):
    tier: str
    record: Record


def write_page(out: Path, path: Path) -> list[Line]:
    """From all checks under a folder; returns the lines."""
    studies = _by_study(out)
    sections = [_section(about, lines) for about, lines in studies]
    lines = [line for _, found in studies for line in found]
    total = f"\n**{summary([line.record for line in lines])}.**\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, "\n".join([_TOP, total, *sections]))
    return lines


def _by_study(out: Path) -> list[tuple[dict[str, Any], list[Line]]]:
    """(what the study is, its lines), the verdict of each claim from the longest tier that has one."""
    files = sorted(out.glob(f"*/{CHECKS}"))
    if not files:
        raise RecordsError(f"{out}: no checks in it; 'rankduel study run --all --out {out}' makes them")
    found: dict[str, list[tuple[dict[str, Any], list[Record]]]] = {}
    for file in files:
        about, records = read_records(file)
        found.setdefault(str(about["study"]), []).append((about, records))
    order = list(TIERS)
    merged = []
    for tiers in found.values():
        tiers.sort(key=lambda tier: order.index(tier[0]["tier"]))
        merged.append((tiers[-1][0], _longest(tiers)))
    return merged


def _longest(tiers: Iterable[tuple[dict[str, Any], list[Record]]]) -> list[Line]:
    lines: dict[str, Line] = {}
    for about, records in tiers:
        for record in records:
            if record.verdict != SKIPPED or record.id not in lines:
                lines[record.id] = Line(about["tier"], record)
    return list(lines.values())


def _section(about: dict[str, Any], lines: Sequence[Line]) -> str:
    stand_ins = dict.fromkeys(line.record.stand_in for line in lines if line.record.stand_in)
    noted = "".join(f"\nOn {stand_in}.\n" for stand_in in stand_ins)
    rows = "\n".join(_row(line) for line in lines)
    return (
        f"## {about['study']}: {about['title']}\n\n{about['source']}\n{noted}\n"
        "| claim | test | measured | known | tier | verdict |\n|---|---|---|---|---|---|\n"
        f"{rows}\n\n{_reasons(lines)}"
    )


def _row(line: Line) -> str:
    record = line.record
    cells = (
        record.source_claim,
        record.expr,
        measured(record),
        record.reference_value,
        line.tier,
        record.in_short,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _reasons(lines: Sequence[Line]) -> str:
    """Sentences for what does not hold."""
    reasons = [
        line.record for line in lines if line.record.why and line.record.verdict not in (SKIPPED, REPORT)
    ]
    return "".join(f"* `{record.id}`: {record.why}\n" for record in reasons)


def measured(record: Record) -> str:
    """'1.41 ± 0.05 (14,330 / 20,250; n = 20, 20; z = 4.2)'; for a skipped one the reason."""
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
    """Four digits; whole numbers whole."""
    if np.isnan(value):
        return "unknown"
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"
