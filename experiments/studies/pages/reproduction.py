"""Write docs/reproduction.md from files of checks: verdicts by paper, main findings, and every claim."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from rankduel.base.errors import RecordsError
from rankduel.base.files import write_text
from rankduel.experiments.studies import all_studies
from rankduel.experiments.studies.pages.captions import with_policy_titles
from rankduel.experiments.studies.pages.markdown import anchor, code, escape, plain, with_superscripts
from rankduel.experiments.studies.play import CHECKS, folder_of
from rankduel.experiments.studies.shared import papers
from rankduel.experiments.studies.study import (
    FAILS,
    HOLDS,
    REPORT,
    SKIPPED,
    STAND_IN,
    TIERS,
    WARNS,
    Figure,
    Finding,
    Study,
    Table,
)
from rankduel.experiments.studies.verdicts import Record, measurement_text, read_records, summary

_TOP = """# Published claims, measured here

This page compares the claims of papers on dueling bandits with what this package measures. Claims tested on
the data of the paper and claims tested on stand-ins are counted apart; a stand-in is a synthetic or another
data set, used if the data were not found. A claim that *fails* on a stand-in is no evidence against the
paper. *Number only* is a measured value without a test. `rankduel study page` generates the page.
"""
_READING = """## How to read the claims

A study comprises the claims of one experiment. Those that do not hold are listed with the reason; all claims
of the study follow, folded, and its figures. The verdicts:

* *holds*: the test passes;
* *does not hold*: the test fails on the data of the paper;
* *warns*: the test fails on stand-in data;
* *skipped*: no tier that was run is long enough for the test, or its data are missing;
* *report only*: the number is reported without a test.

Below a claim, in small print, are its id and its test, such as `mean regret[six: rucb] @100,000`: a
statistic, a column of the records, the part of the study, the policy, and the step. A measured value is
followed by its standard error (±) and, in parentheses, by the two sides of a comparison, the numbers of runs
n, and the distance z from the limit of the test in standard errors. The column 'reference' has values from
the paper or from independent programs. RankEl (`rankel`) is reconstructed from descriptions in other papers,
so claims about it test that reconstruction.

## Claims by study
"""
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
_UNEXPLAINED = {FAILS: "The cause was not found.", WARNS: "The stand-in may lack what the claim rests on."}


class Line(NamedTuple):
    """A row of the page: a record and the tier that it comes from."""

    tier: str
    record: Record


class _Checked(NamedTuple):
    """A study with its checks, each from the longest tier that does not skip it."""

    id: str
    title: str
    source: str
    lines: Sequence[Line]

    @property
    def heading(self) -> str:
        return f"{self.id}: {self.title}"

    @property
    def records(self) -> list[Record]:
        return [line.record for line in self.lines]


def write_page(out: Path, path: Path) -> list[Line]:
    """Write the page of all files of checks under `out`, and its figures beside it; return its rows."""
    studies = _by_study(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [record for study in studies for record in study.records]
    found = sorted(_findings(studies), key=lambda text: ON_STAND_IN in text)
    blocks = [_TOP, by_paper(records), f"All: {summary(records)}.\n"]
    blocks += ["## Findings\n", "\n".join(found) + "\n"] if found else []
    sections = [_section(study, out, path) for study in studies]
    write_text(path, "\n".join([*blocks, _READING, *sections]))
    return [line for study in studies for line in study.lines]


def _findings(studies: Iterable[_Checked]) -> Iterator[str]:
    known = all_studies()
    for study in studies:
        if study.id in known:
            for text in findings(known[study.id], study.records):
                yield f"- {with_superscripts(text)} ([{study.id}](#{anchor(study.heading)}))"


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
    return (name, *(str(counts[column] or "") for column in _COLUMNS), _reasons_untested(records))


def _reasons_untested(records: Sequence[Record]) -> str:
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


def _by_study(out: Path) -> list[_Checked]:
    """Return every study under `out`, in alphabetical order."""
    files = sorted(out.glob(f"*/{CHECKS}"))
    if not files:
        raise RecordsError(f"{out}: no checks in it; 'rankduel study run --all --out {out}' makes them")
    found: dict[str, list[tuple[dict[str, Any], list[Record]]]] = {}
    for file in files:
        about, records = read_records(file)
        found.setdefault(str(about["study"]), []).append((about, records))
    order = list(TIERS)
    studies = []
    for name, tiers in found.items():
        tiers.sort(key=lambda tier: order.index(tier[0]["tier"]))
        about = tiers[-1][0]
        lines = [_with_titles(line, name, about["source"]) for line in _longest(tiers)]
        studies.append(_Checked(name, about["title"], about["source"], lines))
    return studies


def _longest(tiers: Iterable[tuple[dict[str, Any], list[Record]]]) -> list[Line]:
    lines: dict[str, Line] = {}
    for about, records in tiers:
        for record in records:
            if record.verdict != SKIPPED or record.id not in lines:
                lines[record.id] = Line(about["tier"], record)
    return list(lines.values())


def _with_titles(line: Line, study: str, source: str) -> Line:
    """Return a row with a paper, and with policies of a published study named as in legends."""
    known = all_studies().get(study)
    claim = line.record.source_claim
    titled = with_policy_titles(claim, known) if known else claim
    return Line(line.tier, replace(line.record, source_claim=titled, paper=line.record.paper or source))


def _section(study: _Checked, out: Path, page: Path) -> str:
    stand_ins = dict.fromkeys(record.stand_in for record in study.records if record.stand_in)
    noted = f"Stand-in data: {plain('; '.join(stand_ins))}.\n\n" if stand_ins else ""
    about = f"{plain(study.source)}. {summary(study.records).capitalize()}.\n\n"
    known = all_studies().get(study.id)
    shown = list(figures_and_tables(known, out, page)) if known else []
    return (
        f"### {plain(study.heading)}\n\n{about}{noted}{_failures(study.records)}"
        + _fold(f"Claims ({len(study.lines)})", _claims(study))
        + (_fold(f"Figures and tables ({len(shown)})", "\n".join(shown)) if shown else "")
    )


def _fold(title: str, body: str) -> str:
    # Markdown between the tags needs the empty lines.
    return f"<details>\n<summary>{title}</summary>\n\n{body}\n</details>\n\n"


def _failures(records: Sequence[Record]) -> str:
    """Return a list of the claims that do not hold, and then of those that warn, by reason."""
    blocks = []
    for verdict, unexplained in _UNEXPLAINED.items():
        groups: dict[str, list[Record]] = {}
        for record in records:
            if record.verdict == verdict:
                groups.setdefault(plain(record.why) or unexplained, []).append(record)
        blocks += [_with_reason(reason, group) for reason, group in groups.items()]
    return "".join(blocks) + "\n" if blocks else ""


def _with_reason(reason: str, records: Sequence[Record]) -> str:
    """Return an item of a list: one claim and its reason, or a reason and the claims that share it."""
    claims = [f"{plain(one.source_claim)}. Measured: {plain(measurement_text(one))}." for one in records]
    verdict = f"**{records[0].in_short}**"
    if len(claims) == 1:
        return f"* {verdict}: {claims[0]} {reason}\n"
    return f"* {verdict}, {len(claims)} claims: {reason}\n" + "".join(f"  * {claim}\n" for claim in claims)


def _claims(study: _Checked) -> str:
    rows = ["| verdict | claim | measured | reference |", "|---|---|---|---|"]
    for tier, record in study.lines:
        test = f"{code(record.id.removeprefix(f'{study.id}.'))} {code(record.expr)}"
        cells = (
            f"{record.in_short}<br><sub>{tier}</sub>",
            f"{plain(record.source_claim)}<br><sub>{test}</sub>",
            plain(measurement_text(record)),
            plain(record.reference_value),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


class _Found(NamedTuple):
    path: Path
    tier: str
    is_stand_in: bool

    @property
    def note(self) -> str:
        return f"Tier {self.tier}{', on stand-in data' if self.is_stand_in else ''}."


def figures_and_tables(study: Study, out: Path, page: Path) -> Iterator[str]:
    """Yield the figures and tables of a study under `out` as Markdown for `page`.

    A figure is from the longest tier on the original data, or else on stand-in data. It is copied to a folder
    beside the page.
    """
    for figure in study.figures:
        found = _find(study, f"{figure.name}{{}}.svg", out)
        if found is not None:
            yield _figure(study, figure, found, page)
    for table in study.tables:
        found = _find(study, f"{table.name}{{}}.md", out)
        if found is not None:
            yield _table(table, found)


def _find(study: Study, name: str, out: Path) -> _Found | None:
    for mark in ("", STAND_IN):
        for tier in reversed(TIERS):
            path = folder_of(study, tier, out) / "figures" / name.format(mark)
            if path.is_file():
                return _Found(path, tier, bool(mark))
    return None


def _figure(study: Study, figure: Figure, found: _Found, page: Path) -> str:
    copy = page.with_suffix("") / study.id / found.path.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    for mark in ("", STAND_IN):  # of an earlier page, on other data
        copy.with_name(f"{figure.name}{mark}.svg").unlink(missing_ok=True)
    shutil.copyfile(found.path, copy)
    published = f" *Published:* {plain(figure.published)}" if figure.published else ""
    link = copy.relative_to(page.parent).as_posix()
    return f"**{plain(figure.title)}.** {found.note}{published}\n\n![{escape(figure.title)}]({link})\n"


def _table(table: Table, found: _Found) -> str:
    _, _, body = found.path.read_text("utf-8").partition("\n\n")
    return f"**{plain(table.title)}.** {found.note}\n\n{body}"
