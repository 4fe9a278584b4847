"""The first screen of the page of reproductions: a table of verdicts by paper, and the main findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rankduel.experiments.studies.pages.wording import plain
from rankduel.experiments.studies.shared import papers
from rankduel.experiments.studies.study import FAILS, HOLDS, REPORT, SKIPPED, WARNS, Finding, Study
from rankduel.experiments.studies.verdicts import Record

ON_STAND_IN = " (On stand-in data.)"  # end of a finding
_HEADINGS = (
    "source of the claim",
    "holds",
    "does not hold",
    "number only",
    "stand-ins: holds",
    "stand-ins: fails",
    "stand-ins: number only",
    "not tested, and why",
)
_COLUMNS = (
    (HOLDS, False),
    (FAILS, False),
    (REPORT, False),
    (HOLDS, True),
    (WARNS, True),
    (REPORT, True),
)


def by_paper(records: Sequence[Record]) -> str:
    """Return a Markdown table with a row per paper, most claims first, and a row of totals."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record.paper, []).append(record)
    ordered = sorted(groups.items(), key=lambda group: (group[0] == papers.NONE, -len(group[1])))
    rows = [_HEADINGS, ("---", *["--:"] * len(_COLUMNS), "---")]
    rows += [_row(plain(paper), found) for paper, found in ordered]
    rows += [_row("**all**", records)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(name: str, records: Sequence[Record]) -> tuple[str, ...]:
    counts = Counter((record.verdict, record.on_stand_in) for record in records)
    return (name, *(str(counts[column] or "") for column in _COLUMNS), _untested(records))


def _untested(records: Sequence[Record]) -> str:
    """Return '3 lack longer or more runs, 2 lack data that were not found'; "" if all were tested."""
    lacking = Counter(record.lacks or "something else" for record in records if record.verdict == SKIPPED)
    return ", ".join(f"{n} lack {what}" for what, n in lacking.most_common())


def findings(study: Study, records: Sequence[Record]) -> Iterator[str]:
    """Yield the text of every finding whose checks have the verdicts that it states."""
    known = {record.id.removeprefix(f"{study.id}."): record for record in records}
    for finding in study.findings:
        used = {name: known.get(use.check) for name, use in finding.uses.items()}
        found = {name: record for name, record in used.items() if record is not None}
        if len(found) == len(used) and _is_true(finding, found):
            note = ON_STAND_IN if any(record.on_stand_in for record in found.values()) else ""
            yield finding.text.format(**found) + note


def _is_true(finding: Finding, records: Mapping[str, Record]) -> bool:
    return all(records[name].verdict == use.verdict for name, use in finding.uses.items())
