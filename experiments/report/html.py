"""Render a page and its sections with the templates in templates/, which escape every value."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import altair as alt
import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from experiments.report.charts.curves import ROOM, View
from experiments.report.charts.looks import DARK, Look
from experiments.report.charts.parts import PAGE, printable, vega_lite_version
from experiments.report.origin import origin_of
from experiments.runs.summaries import QUANTILES

# What a reader may choose; a page opens with the first of each, which are those of View().
CHOICES = {"x": ("log", "linear"), "y": ("log", "linear"), "band": ("error", "quantiles", "none")}
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
    make: Callable[..., Any]  # (view, sheet=PAGE) -> chart
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


@cache
def environment() -> Environment:
    """Return the environment of all templates: it escapes every value and refuses a missing one."""
    made = Environment(
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else printable(value),
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
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False, allow_nan=False)


def render(template: str, **values: Any) -> Markup:
    """Return what a template makes of these values."""
    return Markup(environment().get_template(template).render(values))


def page_html(title: str, sections: Sequence[Section], footer: str, lead: str = "") -> str:
    """Return a whole page, which runs scripts only if it has charts to draw.

    The only section needs no title below that of the page, and none repeats the `lead`.
    """
    figures = [shown for section in sections for shown in section.figures]
    style = Markup(f"{_source('page.css')}{_dark_swatches()}")
    scripts = [_libraries(), _source("page.js")] if figures else []
    return render(
        "page.html",
        title=title,
        lead=lead,
        sections=sections,
        footer=footer,
        policy=_policy(style, scripts),
        style=style,
        scripts=scripts,
        report=chart_data(figures),
    )


def chart_html(chart: alt.TopLevelMixin, title: str) -> str:
    """Return a page with one chart, described in words below it."""
    words = chart.to_dict().get("description", "")
    shown = Figure(f"{plain_names([title])[0]}-chart", "", words, lambda view: chart)
    section = Section("", "chart-section", "", [shown], render("chart.html", figure=shown))
    return page_html(title, [section], charts_footer())


def charts_footer() -> str:
    """Return the last line of a page with charts: what made it."""
    return f"Made by rankduel. Charts: Altair {alt.__version__}, Vega {vl_convert.get_vega_version()}."


def _policy(style: str, scripts: Sequence[str]) -> str:
    """Return a content-security policy: these scripts and this style by their digests, and nothing else."""
    allowed = {
        "default-src": ["'none'"],
        "script-src": [_digest(script) for script in scripts] or ["'none'"],
        "style-src": [_digest(style)],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    return "; ".join(" ".join([what, *sources]) for what, sources in allowed.items())


def _digest(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def _source(name: str) -> Markup:
    """Return a file of templates/ as it is."""
    loader = environment().loader
    assert loader is not None
    return Markup(loader.get_source(environment(), name)[0])


@cache
def _dark_swatches() -> str:
    """Return rules that give lines of the page's own drawings their colours for dark pages."""
    rules = "".join(f'.controls [stroke="{light}"]{{stroke:{dark}}}' for light, dark in DARK.items())
    return f"@media screen and (prefers-color-scheme:dark){{{rules}}}"


@cache
def _libraries() -> Markup:
    """Return Vega, Vega-Lite and Vega-Embed, which draw the charts, fit for a script element."""
    # The snippet goes where all three are in scope; this one makes the last known to the page.
    source = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=vega_lite_version())
    # A browser reads every line end as a line feed, and then computes the digest.
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    return Markup(source.replace("</script", "<\\/script").replace("<!--", "<\\!--"))


def plain_names(names: Iterable[str], endings: Sequence[str] = ("",)) -> list[str]:
    """Return names for files and addresses, no two alike, whatever their case and with whichever ending."""
    plain: list[str] = []
    taken: set[str] = set()
    for name in names:
        bare = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.") or "study"
        tries = itertools.chain([bare], (f"{bare}-{number}" for number in itertools.count(2)))
        chosen = next(one for one in tries if taken.isdisjoint(_ended(one, endings)))
        taken.update(_ended(chosen, endings))
        plain.append(chosen)
    return plain


def _ended(name: str, endings: Sequence[str]) -> set[str]:
    return {f"{name}{ending}".lower() for ending in endings}


def run_set_html(
    about: str,
    figures: Sequence[Figure],
    table: Table,
    settings: Mapping[str, Any],
    looks: Mapping[str, Look],
) -> Markup:
    """Return the body of a section about records, with a form to choose policies and axes."""
    used = {control for shown in figures for control in shown.controls}
    return render(
        "run_set.html",
        about=about,
        figures=figures,
        table=table,
        origin=origin_of(settings),
        looks=looks,
        choices={name: options for name, options in CHOICES.items() if name in used},
        in_words=_IN_WORDS,
    )


def every_chart(shown: Figure) -> dict[str, Any]:
    """Return the definition for every combination of the choices, by these with a space between."""
    options = itertools.product(*(CHOICES[control] for control in shown.controls))
    # Altair would check every piece of every chart; tests do that, and it would double the time.
    with alt.utils.schemapi.debug_mode(False):
        return {
            " ".join(chosen): printable(
                shown.make(View(**dict(zip(shown.controls, chosen)))).to_dict(validate=False)
            )
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
    return {"charts": entries, "datasets": datasets, "room": ROOM, "gap": PAGE.label_gap, "dark": DARK}
