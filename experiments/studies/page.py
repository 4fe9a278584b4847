"""One page for studies: claims with verdicts, figures in the layout of the originals, tables."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from experiments.report.html import Section, Table, page_html, plain_names, render
from experiments.studies.checks import FAILS, HOLDS, REPORT, SKIPPED, WARNS, Record, summary
from experiments.studies.figures import cells, figure_path, stand_in_of, write_figures
from experiments.studies.playing import Played
from experiments.studies.reproduction import measured
from rankduel.base.files import write_text

_STYLES = {HOLDS: "holds", FAILS: "fails", WARNS: "warns", SKIPPED: "unjudged", REPORT: "unjudged"}


class _Claim(NamedTuple):
    """A row of the table of claims."""

    verdict: str
    style: str  # of the verdict
    on_stand_in: bool
    text: str
    test: str
    measured: str
    known: str
    why: str


class _Picture(NamedTuple):
    title: str
    svg: str  # in base64
    note: str


def write_study_page(played: Sequence[Played], path: Path) -> None:
    """Write the page, completely or not at all; it needs no network and no script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = plain_names(f"{one.study.id}-{one.tier}" for one in played)
    sections = [_section(name, one) for name, one in zip(names, played)]
    write_text(path, page_html("Published experiments", sections, "Made by rankduel."))


def _section(name: str, one: Played) -> Section:
    study = one.study
    headline = f"{study.source}. Tier {one.tier}: {summary(one.records)}."
    body = render(
        "study.html",
        about=study.question,
        headline=headline,
        stand_ins=dict.fromkeys(filter(None, one.results.stand_ins.values())),
        claims=[_claim(record) for record in one.records],
        pictures=list(_pictures(one)),
        tables=_tables(one),
    )
    return Section(study.title, name, headline, [], body)


def _claim(record: Record) -> _Claim:
    return _Claim(
        record.verdict,
        _STYLES[record.verdict],
        bool(record.stand_in),
        record.source_claim,
        record.expr,
        measured(record),
        record.reference_value,
        record.why if record.verdict == FAILS else "",
    )


def _pictures(one: Played) -> Iterator[_Picture]:
    written = write_figures(one.study, one.results, one.figures)
    for figure in one.study.figures:
        path = figure_path(figure, one.results, one.figures)
        if path in written:
            stand_in = stand_in_of(figure, one.results)
            note = f" On {stand_in}." if stand_in else ""
            yield _Picture(figure.title, base64.b64encode(path.read_bytes()).decode(), note)


def _tables(one: Played) -> list[Table]:
    found = ((table.title, table.make(one.results.values)) for table in one.study.tables)
    return [Table(title, [str(column) for column in frame], cells(frame)) for title, frame in found]
