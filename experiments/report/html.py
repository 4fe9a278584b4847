"""The pieces a report is put together from, as HTML. All text from outside is escaped here."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import altair as alt

from experiments.report.charts.curves import LABEL_GAP, ROOM, View
from experiments.report.charts.parts import Look
from experiments.runs.summaries import QUANTILES

# What a reader may choose; a page opens with the first of each, which are those of View().
CHOICES = {"x": ("log", "linear"), "y": ("linear", "log"), "band": ("error", "quantiles", "none")}
_IN_WORDS = {
    "x": "duels",
    "y": "regret",
    "error": "standard error",
    "quantiles": f"{QUANTILES[0]:.0%} to {QUANTILES[1]:.0%} of runs",
}


class Figure(NamedTuple):
    name: str  # of its file, and on the page
    title: str
    caption: str
    make: Callable[[View], Any]  # -> chart
    controls: tuple[str, ...] = ()  # which choices change it


class Section(NamedTuple):
    title: str
    anchor: str
    headline: str
    figures: Sequence[Figure]
    parts: Sequence[str]  # HTML


def every_chart(shown: Figure) -> dict[str, Any]:
    """The definition for every combination of the choices, by these with a space between."""
    options = itertools.product(*(CHOICES[control] for control in shown.controls))
    # Altair would check every piece of every chart; tests do that, and it would double the time.
    with alt.utils.schemapi.debug_mode(False):
        return {
            " ".join(chosen): shown.make(View(**dict(zip(shown.controls, chosen)))).to_dict(validate=False)
            for chosen in options
        }


def section_html(section: Section) -> str:
    inside = "\n".join([f"<h2>{escape(section.title)}</h2>", *section.parts])
    return f'<section id="{section.anchor}">\n{inside}\n</section>'


def contents_html(sections: Sequence[Section]) -> str:
    lines = (
        f'<li><a href="#{section.anchor}">{escape(section.title)}</a><br>'
        f'<span class="note">{escape(section.headline)}</span></li>'
        for section in sections
    )
    return f'<nav aria-label="Contents"><ul>{"".join(lines)}</ul></nav>'


def figure_html(shown: Figure) -> str:
    return (
        f'<figure id="{shown.name}"><h3>{escape(shown.title)}</h3><div class="chart"></div>'
        f"<figcaption>{escape(shown.caption)}</figcaption></figure>"
    )


def table_html(caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
    body = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f'<div class="wide"><table><caption>{escape(caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def settings_html(caption: str, settings: Mapping[str, Any]) -> str:
    rows = (f"<tr><td>{escape(key)}</td><td>{escape(value)}</td></tr>" for key, value in _flat(settings))
    return f'<table class="settings"><caption>{escape(caption)}</caption>{"".join(rows)}</table>'


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, str]]:
    """('matrix.digest', '1f2e') and so on."""
    for key in sorted(settings):
        value = settings[key]
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value if isinstance(value, str) else json.dumps(value)


def controls_html(looks: Mapping[str, Look]) -> str:
    """Which policies to show, each with its line, and how to draw."""
    boxes = "".join(
        f'<label><input type="checkbox" name="policy" value="{escape(policy)}" checked>'
        f"{_swatch(look)}{escape(policy)}</label>"
        for policy, look in looks.items()
    )
    fields = [f"<fieldset><legend>show</legend>{boxes}</fieldset>"]
    for name, options in CHOICES.items():
        radios = "".join(
            f'<label><input type="radio" name="{name}" value="{option}"{" checked" if not i else ""}>'
            f"{_IN_WORDS.get(option, option)}</label>"
            for i, option in enumerate(options)
        )
        fields.append(f"<fieldset><legend>{_IN_WORDS.get(name, name)}</legend>{radios}</fieldset>")
    # Without autocomplete: a browser would keep choices of an earlier visit, but not the charts for them.
    return f'<form class="controls" autocomplete="off">{"".join(fields)}</form>'


def _swatch(look: Look) -> str:
    dash = " ".join(map(str, look.dash))
    return (
        '<svg width="26" height="8" aria-hidden="true"><line x1="0" y1="4" x2="26" y2="4" '
        f'stroke="{look.colour}" stroke-width="3" stroke-dasharray="{dash}"/></svg>'
    )


def embedded(figures: Iterable[Figure]) -> str:
    """Charts and their data as JSON for a script element; data that charts share are there once."""
    datasets: dict[str, Any] = {}
    entries = {}
    for shown in figures:
        specs = every_chart(shown)
        for spec in specs.values():
            used = spec.pop("datasets", {})
            datasets |= used
            spec["datasets"] = sorted(used)
        entries[shown.name] = {"controls": shown.controls, "charts": specs}
    report = {"charts": entries, "datasets": datasets, "room": ROOM, "gap": LABEL_GAP}
    text = json.dumps(report, separators=(",", ":"), sort_keys=True, ensure_ascii=False, allow_nan=False)
    # Text from records must not end the script element; '<' only occurs in strings, where this is the same.
    return text.replace("<", "\\u003c")


def inline_script(source: str) -> str:
    """JavaScript that cannot end its script element early."""
    return source.replace("</script", "<\\/script")
