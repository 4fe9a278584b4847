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

from rankduel.experiments.report.charts.curves import HEADROOM, View
from rankduel.experiments.report.charts.parts import PAGE, printable, vega_lite_version
from rankduel.experiments.report.charts.styles import DARK, LineStyle
from rankduel.experiments.report.origin import origin_of
from rankduel.experiments.runs.summaries import QUANTILES

# Options of the controls on a page. The first of each is the default, as in View().
CHOICES = {"x": ("log", "linear"), "y": ("log", "linear"), "band": ("error", "quantiles", "none")}
_LABELS = {
    "x": "axis of duels",
    "y": "axis of regret",
    "band": "band around the mean",
    "error": "one standard error",
    "quantiles": f"{QUANTILES[0]:.0%} to {QUANTILES[1]:.0%} of runs",
}


class Figure(NamedTuple):
    """A chart on the page, with the name of the file it is saved to."""

    name: str  # stem of the file, and id on the page
    title: str
    caption: str
    make: Callable[..., Any]  # (view, layout=PAGE) -> chart
    controls: tuple[str, ...] = ()  # keys of CHOICES that change the chart


class Table(NamedTuple):
    """A table of text with a caption above and a note below."""

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
    """Return the Jinja environment of all templates; it escapes every value and rejects missing ones."""
    templates = Environment(
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else printable(value),
        undefined=StrictUndefined,
        loader=PackageLoader("rankduel.experiments.report"),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.policies["json.dumps_function"] = _json_for_script
    templates.policies["json.dumps_kwargs"] = {}
    return templates


def _json_for_script(value: Any) -> str:
    """Return JSON on one line for a script element; the filter `tojson` then escapes <, >, & and '."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False, allow_nan=False)


def render(template: str, **values: Any) -> Markup:
    """Return the output of a template for these values."""
    return Markup(environment().get_template(template).render(values))


def page_html(title: str, sections: Sequence[Section], footer: str, lead: str = "") -> str:
    """Return a complete page; it contains scripts only if a section has charts.

    A single section is shown without a title of its own. A headline that the `lead` contains is not repeated.
    """
    figures = [figure for section in sections for figure in section.figures]
    style = Markup(f"{_source('page.css')}{_dark_swatches()}")
    scripts = [_libraries(), _source("page.js")] if figures else []
    return render(
        "page.html",
        title=title,
        lead=lead,
        sections=sections,
        footer=footer,
        policy=_content_security_policy(style, scripts),
        style=style,
        scripts=scripts,
        report=chart_data(figures),
    )


def chart_html(chart: alt.TopLevelMixin, title: str) -> str:
    """Return a page with one chart and its description below."""
    description = chart.to_dict().get("description", "")
    figure = Figure(f"{plain_names([title])[0]}-chart", "", description, lambda view: chart)
    section = Section("", "chart-section", "", [figure], render("chart.html", figure=figure))
    return page_html(title, [section], charts_footer())


def charts_footer() -> str:
    """Return the footer of a page with charts: the programs that made it."""
    return f"Made by rankduel. Charts: Altair {alt.__version__}, Vega {vl_convert.get_vega_version()}."


def _content_security_policy(style: str, scripts: Sequence[str]) -> str:
    """Return a policy that allows these scripts and this style, by their digests, and nothing else."""
    allowed = {
        "default-src": ["'none'"],
        "script-src": [_digest(script) for script in scripts] or ["'none'"],
        "style-src": [_digest(style)],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    return "; ".join(" ".join([directive, *sources]) for directive, sources in allowed.items())


def _digest(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def _source(name: str) -> Markup:
    """Return a file of templates/ unchanged."""
    loader = environment().loader
    assert loader is not None
    return Markup(loader.get_source(environment(), name)[0])


@cache
def _dark_swatches() -> str:
    """Return CSS rules for the colours of the line samples in the controls on dark pages."""
    rules = "".join(f'.controls [stroke="{light}"]{{stroke:{dark}}}' for light, dark in DARK.items())
    return f"@media screen and (prefers-color-scheme:dark){{{rules}}}"


@cache
def _libraries() -> Markup:
    """Return Vega, Vega-Lite and Vega-Embed as the content of a script element."""
    # The snippet runs inside the bundle, where vegaEmbed is in scope; the page needs it as a global.
    source = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=vega_lite_version())
    # A browser converts every line end to a line feed before it computes the digest.
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    return Markup(source.replace("</script", "<\\/script").replace("<!--", "<\\!--"))


def plain_names(names: Iterable[str], endings: Sequence[str] = ("",)) -> list[str]:
    """Return unique names for files and links, in ASCII; unique without case and with any of `endings`."""
    plain: list[str] = []
    taken: set[str] = set()
    for name in names:
        bare = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.") or "study"
        candidates = itertools.chain([bare], (f"{bare}-{number}" for number in itertools.count(2)))
        chosen = next(one for one in candidates if taken.isdisjoint(_with_endings(one, endings)))
        taken.update(_with_endings(chosen, endings))
        plain.append(chosen)
    return plain


def _with_endings(name: str, endings: Sequence[str]) -> set[str]:
    return {f"{name}{ending}".lower() for ending in endings}


def run_set_html(
    about: str,
    figures: Sequence[Figure],
    table: Table,
    settings: Mapping[str, Any],
    styles: Mapping[str, LineStyle],
) -> Markup:
    """Return the body of the section of a run set, with controls for policies, axes and bands."""
    used = {control for figure in figures for control in figure.controls}
    return render(
        "run_set.html",
        about=about,
        figures=figures,
        table=table,
        origin=origin_of(settings),
        styles=styles,
        choices={name: options for name, options in CHOICES.items() if name in used},
        labels=_LABELS,
    )


def chart_variants(figure: Figure) -> dict[str, Any]:
    """Return the chart for every combination of choices, keyed by the choices joined with spaces."""
    options = itertools.product(*(CHOICES[control] for control in figure.controls))
    # Validation by Altair would double the time; the tests validate every chart.
    with alt.utils.schemapi.debug_mode(False):
        return {
            " ".join(chosen): printable(
                figure.make(View(**dict(zip(figure.controls, chosen)))).to_dict(validate=False)
            )
            for chosen in options
        }


def chart_data(figures: Iterable[Figure]) -> dict[str, Any]:
    """Return all charts and their data for the script of the page; shared data are included once."""
    datasets: dict[str, Any] = {}
    entries = {}
    for figure in figures:
        specs = chart_variants(figure)
        for spec in specs.values():
            used = spec.pop("datasets", {})
            datasets |= used
            spec["datasets"] = sorted(used)
        entries[figure.name] = {"controls": figure.controls, "charts": specs}
    layout = {"headroom": HEADROOM, "gap": PAGE.label_gap, "dark": DARK}
    return {"charts": entries, "datasets": datasets, **layout}
