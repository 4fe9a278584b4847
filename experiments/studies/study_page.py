"""One page for studies: claims with verdicts, figures in the layout of the originals, tables."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from experiments.report_html import Section, contents_html, embedded, section_html, table_html
from experiments.studies.checks import Record, summary
from experiments.studies.figures import cells, stand_in_of, write_figures
from experiments.studies.playing import Played
from experiments.studies.reproduction import measured
from letor_data.files import replacing

_HEADINGS = ("claim", "test", "measured", "known", "verdict")


def write_study_page(played: Sequence[Played], path: Path) -> None:
    """Needs no network and no script; whole or not at all."""
    sections = [_section(one) for one in played]
    page = Template(files("experiments").joinpath("report_page.html").read_text("utf-8"))
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
    rows = [_row(record) for record in one.records]
    parts = [
        f'<p class="about">{escape(study.question)}</p>',
        f'<p class="headline">{escape(headline)}</p>',
        *notes,
        table_html("Claims", _HEADINGS, rows),
        *(f'<p class="note">{escape(r.id)}: {escape(r.why)}</p>' for r in one.records if r.why),
        *_pictures(one),
        *_tables(one),
    ]
    return Section(study.title, f"{study.id}-{one.tier}", headline, [], parts)


def _row(record: Record) -> tuple[str, ...]:
    verdict = f"{record.verdict} (stand-in)" if record.stand_in else record.verdict
    return (record.source_claim, record.expr, measured(record), record.reference_value, verdict)


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
