"""One page for studies: claims with verdicts, figures in the layout of the originals, tables."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from experiments.report.html import Section, contents_html, embedded, section_html, table_html
from experiments.studies.checks import FAILS, HOLDS, REPORT, SKIPPED, WARNS, Record, summary
from experiments.studies.figures import cells, stand_in_of, write_figures
from experiments.studies.playing import Played
from experiments.studies.reproduction import measured
from rankduel.base.files import replacing

_CLASSES = {HOLDS: "holds", FAILS: "fails", WARNS: "warns", SKIPPED: "unjudged", REPORT: "unjudged"}


def write_study_page(played: Sequence[Played], path: Path) -> None:
    """Needs no network and no script; whole or not at all."""
    sections = [_section(one) for one in played]
    page = Template(files("experiments.report").joinpath("templates/page.html").read_text("utf-8"))
    text = page.substitute(
        title="Published experiments",
        contents=contents_html(sections) if len(sections) > 1 else "",
        sections="\n".join(map(section_html, sections)),
        footer="Made by rankduel.",
        libraries="",
        report=embedded([]),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_text(text, "utf-8")


def _section(one: Played) -> Section:
    study = one.study
    headline = f"{study.source}. Tier {one.tier}: {summary(one.records)}."
    used = dict.fromkeys(filter(None, one.results.stand_ins.values()))
    notes = [f'<p class="note"><strong>On {escape(stand_in)}.</strong></p>' for stand_in in used]
    parts = [
        f'<p class="about">{escape(study.question)}</p>',
        f'<p class="headline">{escape(headline)}</p>',
        *notes,
        _claims_html(one.records),
        *_pictures(one),
        *_tables(one),
    ]
    return Section(study.title, f"{study.id}-{one.tier}", headline, [], parts)


def _claims_html(records: Sequence[Record]) -> str:
    rows = "\n".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in _cells(record))}</tr>" for record in records
    )
    head = "".join(f'<th scope="col">{heading}</th>' for heading in ("verdict", "claim", "measured"))
    return (
        f'<table class="claims"><caption>Claims</caption>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table>"
    )


def _cells(record: Record) -> tuple[str, str, str]:
    """As HTML: the verdict; the claim and its test; what was measured, what is known, and why it is so."""
    verdict = f'<span class="{_CLASSES[record.verdict]}">{escape(record.verdict)}</span>'
    if record.stand_in:
        verdict += "<small>on a stand-in</small>"
    claim = f"{escape(record.source_claim)}<small>{escape(record.expr)}</small>"
    known = f"<small>known: {escape(record.reference_value)}</small>" if record.reference_value else ""
    why = f"<small>{escape(record.why)}</small>" if record.verdict == FAILS and record.why else ""
    return verdict, claim, f"{escape(measured(record))}{known}{why}"


def _pictures(one: Played) -> list[str]:
    written = {path.stem: path for path in write_figures(one.study, one.results, one.figures)}
    parts = []
    for figure in one.study.figures:
        stand_in = stand_in_of(figure, one.results)
        path = written.get(figure.name + ("-stand-in" if stand_in else ""))
        if path is not None:
            note = f" On {stand_in}." if stand_in else ""
            image = base64.b64encode(path.read_bytes()).decode()
            parts.append(
                f'<figure><h3>{escape(figure.title)}</h3><img alt="{escape(figure.title)}" '
                f'src="data:image/svg+xml;base64,{image}"><figcaption>{escape(note)}</figcaption></figure>'
            )
    return parts


def _tables(one: Played) -> list[str]:
    found = ((table.title, table.make(one.results.values)) for table in one.study.tables)
    return [table_html(title, [str(column) for column in frame], cells(frame)) for title, frame in found]
