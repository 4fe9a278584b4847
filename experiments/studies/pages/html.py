"""Write an HTML page about studies: claims with verdicts, figures in the layout of the originals, tables."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import altair as alt

from rankduel.base.files import write_text
from rankduel.experiments.report.charts.parts import PAGE, PHONE
from rankduel.experiments.report.charts.styles import DARK
from rankduel.experiments.report.files import chart_svg
from rankduel.experiments.report.html import Section, Table, page_html, plain_names, render
from rankduel.experiments.studies.pages.captions import caption, with_policy_titles
from rankduel.experiments.studies.pages.figures import draw, published_values, stand_in_of, write_figures
from rankduel.experiments.studies.pages.markdown import cells
from rankduel.experiments.studies.play import Played
from rankduel.experiments.studies.study import FAILS, HOLDS, REPORT, SKIPPED, WARNS, Study
from rankduel.experiments.studies.verdicts import Record, measurement_text, summary

_STYLES = {HOLDS: "holds", FAILS: "fails", WARNS: "warns", SKIPPED: "unjudged", REPORT: "unjudged"}
_NOTE = (
    "Verdicts: 'holds' and 'does not hold' are the outcome of the test on the data of the source; 'warns' "
    "is a failed test on stand-in data, which is no evidence against the claim; 'skipped' is a test that "
    "this tier is too short for, or whose data are missing; 'report only' is a number without a test. "
    "Small print below a claim: its test, as statistic, column, [part: policy] and step (@). Measured: "
    "value ± standard error; then, where they apply, the two sides of a comparison, the numbers of runs n, "
    "and the distance z from the limit of the test in standard errors. Reference: values from the source "
    "or from an independent program. Figures show values from the source only, as diamonds or rules that "
    "are marked 'published'."
)


class _Claim(NamedTuple):
    """A row of the table of claims."""

    verdict: str
    style: str  # CSS class of the verdict
    on_stand_in: bool
    text: str
    test: str
    measured: str
    known: str
    why: str


class _Picture(NamedTuple):
    """A figure as two SVG drawings in base64."""

    title: str
    wide: str
    narrow: str  # for phones
    caption: str


def write_study_page(played: Sequence[Played], path: Path) -> None:
    """Write the page of these studies atomically; it is self-contained and has no scripts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = plain_names(f"{one.study.id}-{one.tier}" for one in played)
    sections = [_section(name, one) for name, one in zip(names, played)]
    title = played[0].study.title if len(played) == 1 else "Published experiments"
    write_text(path, page_html(title, sections, "Made by rankduel."))


def _section(name: str, one: Played) -> Section:
    study = one.study
    headline = f"{study.source}. Tier {one.tier}: {summary(one.records)}."
    marked = _is_mixed(one)
    write_figures(study, one.results, one.figures)
    body = render(
        "study.html",
        about=study.question,
        stand_ins=list(dict.fromkeys(filter(None, one.results.stand_ins.values()))),
        is_mixed=marked,
        claims=[_claim(record, study, marked) for record in one.records],
        note=_NOTE,
        pictures=list(_pictures(one, marked)),
        tables=_tables(one),
    )
    return Section(study.title, name, headline, [], body)


def _is_mixed(one: Played) -> bool:
    """Return whether some claims were tested on stand-in data and others on the original data."""
    judged = [record for record in one.records if record.verdict != SKIPPED]
    return len({bool(record.stand_in) for record in judged}) > 1


def _claim(record: Record, study: Study, marked: bool) -> _Claim:
    return _Claim(
        record.verdict,
        _STYLES[record.verdict],
        marked and record.on_stand_in,
        with_policy_titles(record.source_claim, study),
        with_policy_titles(record.expr, study),
        measurement_text(record),
        record.reference_value,
        record.why if record.verdict in (FAILS, WARNS) else "",
    )


def _pictures(one: Played, marked: bool) -> Iterator[_Picture]:
    for figure in one.study.figures:
        wide, narrow = (
            draw(one.study, figure, one.results, layout, titled=False) for layout in (PAGE, PHONE)
        )
        if wide is not None and narrow is not None:
            known = published_values(one.study, figure, one.results)
            text = caption(one.study, figure, one.tier, one.results, known)
            note = " On stand-in data." if marked and stand_in_of(figure, one.results) else ""
            yield _Picture(figure.title, _as_image(wide), _as_image(narrow), text + note)


def _as_image(chart: alt.LayerChart) -> str:
    """Return SVG in base64 that follows the reader's dark or light colour scheme."""
    svg = chart_svg(chart)
    start = svg.index(">") + 1
    return base64.b64encode((svg[:start] + _dark_style() + svg[start:]).encode()).decode()


@cache
def _dark_style() -> str:
    rules = "".join(
        f'[{paint}="{light}"]{{{paint}:{dark}}}'
        for light, dark in DARK.items()
        for paint in ("fill", "stroke")
    )
    return f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"


def _tables(one: Played) -> list[Table]:
    found = ((table.title, table.make(one.results.values)) for table in one.study.tables)
    return [Table(title, [str(column) for column in frame], cells(frame)) for title, frame in found]
