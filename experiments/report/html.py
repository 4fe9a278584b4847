"""Render a page and its sections with the templates in templates/, which escape every value."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import altair as alt
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

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
    """A chart on the page and the file it is saved as."""

    name: str  # of its file, and on the page
    title: str
    caption: str
    make: Callable[[View], Any]  # -> chart
    controls: tuple[str, ...] = ()  # which choices change it


class Table(NamedTuple):
    """A table of text with a caption and, below it, a note."""

    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


class Section(NamedTuple):
    """A part of the page with an entry in the table of contents."""

    title: str
    anchor: str
    headline: str
    figures: Sequence[Figure]
    body: Markup


class _Origin(NamedTuple):
    """How records were made: the command, and settings and versions as pairs of name and text."""

    command: str
    settings: Sequence[tuple[str, str]]
    versions: Sequence[tuple[str, str]]


@cache
def environment() -> Environment:
    """Return the environment of all templates: it escapes every value and refuses a missing one."""
    made = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=PackageLoader("experiments.report"),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.policies["json.dumps_function"] = _json_for_script
    made.policies["json.dumps_kwargs"] = {}
    return made


def _json_for_script(value: Any) -> str:
    """Return JSON on one line for a script element; the filter `tojson` then escapes <, >, & and '."""
    text = json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False, allow_nan=False)
    # JavaScript before 2019 ends a line at these two characters, even inside a string.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def render(template: str, **values: Any) -> Markup:
    """Return what a template makes of these values."""
    return Markup(environment().get_template(template).render(values))


def page_html(title: str, sections: Sequence[Section], footer: str, libraries: str = "") -> str:
    """Return a whole page; `libraries` is JavaScript that draws the charts."""
    figures = [shown for section in sections for shown in section.figures]
    return render(
        "page.html",
        title=title,
        sections=sections,
        footer=footer,
        libraries=_inline_script(libraries),
        report=chart_data(figures),
    )


def _inline_script(source: str) -> Markup:
    """Return JavaScript of an installed package so that it cannot end its script element early."""
    return Markup(source.replace("</script", "<\\/script"))


def run_set_html(
    about: str,
    headline: str,
    figures: Sequence[Figure],
    table: Table,
    settings: Mapping[str, Any],
    looks: Mapping[str, Look] | None = None,
) -> Markup:
    """Return the body of a section about records; with `looks`, a form to choose policies and axes."""
    return render(
        "run_set.html",
        about=about,
        headline=headline,
        figures=figures,
        table=table,
        origin=_origin(settings),
        looks=looks or {},
        choices=CHOICES,
        in_words=_IN_WORDS,
    )


def _origin(settings: Mapping[str, Any]) -> _Origin:
    others = {key: value for key, value in settings.items() if key not in ("command", "versions")}
    command = str(settings.get("command", "unknown"))
    return _Origin(command, list(_flat(others)), list(_flat(settings.get("versions", {}))))


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield ('matrix.digest', '1f2e') and so on."""
    for key in sorted(settings):
        value = settings[key]
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value if isinstance(value, str) else json.dumps(value)


def every_chart(shown: Figure) -> dict[str, Any]:
    """Return the definition for every combination of the choices, by these with a space between."""
    options = itertools.product(*(CHOICES[control] for control in shown.controls))
    # Altair would check every piece of every chart; tests do that, and it would double the time.
    with alt.utils.schemapi.debug_mode(False):
        return {
            " ".join(chosen): shown.make(View(**dict(zip(shown.controls, chosen)))).to_dict(validate=False)
            for chosen in options
        }


def chart_data(figures: Iterable[Figure]) -> dict[str, Any]:
    """Return the charts and their data for the script of the page; data that charts share are there once."""
    datasets: dict[str, Any] = {}
    entries = {}
    for shown in figures:
        specs = every_chart(shown)
        for spec in specs.values():
            used = spec.pop("datasets", {})
            datasets |= used
            spec["datasets"] = sorted(used)
        entries[shown.name] = {"controls": shown.controls, "charts": specs}
    return {"charts": entries, "datasets": datasets, "room": ROOM, "gap": LABEL_GAP}
