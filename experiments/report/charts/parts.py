"""Parts that all charts share: layout, axes, inline data, numbers as text, and hiding of policies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from rankduel.base.text import counted
from rankduel.experiments.report.charts.styles import GRID, INK, PALE, PAPER, LineStyle
from rankduel.experiments.statistics import Estimate

_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
# Control characters except tab and line feed, which XML cannot contain (vl-convert aborts on NUL); line and
# paragraph separators, which end a string in a Vega expression; marks that reverse the direction of text;
# surrogates and noncharacters, which UTF-8 or XML cannot contain.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")

_LETTER_WIDTH, _SYMBOL_WIDTH = 0.55, 3.0  # of a legend, in font sizes


class Layout(NamedTuple):
    """The size of a chart, in pixels on a page or points on paper."""

    width: float = 620  # of the plot, without axes and labels
    height: float = 340
    font: float = 11
    legend: bool = False  # name curves in a legend above the plot, not at their ends

    @property
    def line(self) -> float:
        """Width of a line."""
        return self.font / 5.5

    @property
    def label_gap(self) -> float:
        """Least distance between two labels at the ends of curves."""
        return self.font + 3


PAGE = Layout()
PHONE = Layout(width=290, height=230, legend=True)  # labels beside so small a plot would be cut
PUBLISHED = "published"  # entry of the legend for values from the source


def printable(value: Any) -> Any:
    r"""Return `value` with unprintable characters of its strings escaped: a NUL becomes ``\x00``."""
    if isinstance(value, str):
        return _UNPRINTABLE.sub(lambda found: repr(found[0])[1:-1], value)
    if isinstance(value, Mapping):
        return {printable(key): printable(one) for key, one in value.items()}
    return [printable(one) for one in value] if isinstance(value, (list, tuple)) else value


def vega_lite_version() -> str:
    """Return the version of Vega-Lite that Altair writes, in the notation of vl-convert."""
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def scale_of(kind: Any, **more: Any) -> alt.Scale:
    more |= {"zero": False} if kind == "linear" else {}
    return alt.Scale(type=kind, nice=False, **more)


def counts_axis(kind: str, between: Sequence[int] = (1,)) -> alt.Axis:
    """Return an axis with labels such as 0.1, 1,000, 100k and 1M, which are short enough for a phone.

    A logarithmic axis has ticks at the multiples `between` of every power of ten.
    """
    ticks: dict[str, Any] = {"tickCount": 6}
    if kind == "log":
        ticks = {"values": [digit * 10.0**k for k in range(-6, 16) for digit in between]}
    return alt.Axis(
        labelExpr="abs(datum.value) >= 1e4 ? format(datum.value, '~s') : format(datum.value, ',~r')",
        labelOverlap="greedy",
        **ticks,
    )


def policy_scales(
    shown: Mapping[str, LineStyle], legend: alt.Legend | None = None
) -> tuple[alt.Color, alt.StrokeDash]:
    colours = alt.Scale(domain=list(shown), range=[look.colour for look in shown.values()])
    dashes = alt.Scale(domain=list(shown), range=[list(look.dash or (1, 0)) for look in shown.values()])
    return (
        alt.Color("policy:N", scale=colours, legend=legend),
        alt.StrokeDash("policy:N", scale=dashes, legend=legend),
    )


def lines_legend(labels: Iterable[str], layout: Layout) -> alt.Legend:
    """Return a legend above the chart, with as many columns as the longest label allows."""
    longest = max((len(label) for label in labels), default=0)
    column = (_LETTER_WIDTH * longest + _SYMBOL_WIDTH) * layout.font
    columns = max(1, int(layout.width // column))
    lines: dict[str, Any] = {"symbolType": "stroke", "symbolStrokeWidth": layout.line, "symbolOpacity": 1}
    return alt.Legend(title=None, orient="top", columns=columns, labelLimit=layout.width, **lines)


def published_points(known: pd.DataFrame, place: str, layout: Layout) -> alt.Chart:
    """Return published values as outlined diamonds with an entry in a legend, without x, y and colour.

    `known` has columns policy, mean and the one that `place` names: step or x.
    """
    base = visible(alt.Chart(inline(known[["policy", place, "mean"]].assign(kind=PUBLISHED))))
    # The outline is not encoded by colour: Vega-Lite would leave it out of the symbol of the legend.
    marks = base.mark_point(
        filled=True, stroke=INK, strokeWidth=0.6 * layout.line, opacity=1, size=50 * layout.line
    )
    legend = alt.Legend(title=None, orient="top", symbolFillColor=PALE)
    return marks.encode(
        shape=alt.Shape("kind:N", scale=alt.Scale(domain=[PUBLISHED], range=["diamond"]), legend=legend),
        tooltip=[
            alt.Tooltip("policy:N"),
            alt.Tooltip(f"{place}:Q", title="duels" if place == "step" else place, format=",~r"),
            alt.Tooltip("mean:Q", title=PUBLISHED, format=",.4~r"),
        ],
    )


HOVER = "hover"  # name of the layer that reacts to the pointer
HIDDEN = alt.param(name="hidden", value=[])  # hidden policies, set by the script of the page


def visible(chart: alt.Chart) -> alt.Chart:
    """Return the chart without the rows of hidden policies."""
    return chart.transform_filter("indexof(hidden, datum.policy) < 0")


def inline(frame: pd.DataFrame) -> alt.InlineData:
    """Return a table as CSV with five digits, which is a third as long as JSON objects."""
    numbers = {str(column): pd.api.types.is_numeric_dtype(frame[column]) for column in frame}
    parse = {column: "number" if number else "string" for column, number in numbers.items()}
    text = frame.to_csv(index=False, float_format="%.5g", lineterminator="\n")
    return alt.InlineData(values=text, format=alt.CsvDataFormat(type="csv", parse=parse))


def runs_text(counts: pd.Series) -> str:
    """Return '1 run', '3 runs' or '2 to 3 runs' for the number of runs of each policy."""
    if counts.min() < counts.max():
        return f"{counts.min():,} to {counts.max():,} runs"
    return counted(int(counts.max()), "run")


def number(value: float, digits: int = 4) -> str:
    """Return '11,306', '312.4' or '0.01234': `digits` digits, or all of a whole number; '–' for NaN."""
    if not np.isfinite(value):
        return "–"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.{_decimals(value, digits)}f}"


def as_published(value: float) -> str:
    """Return '4,700' or '0.91': all digits of a value from a source, and no others."""
    return f"{value:,.10g}"


def estimate_text(found: Estimate) -> str:
    """Return '312 [290, 334]', or the mean alone if there is no interval; three digits of the largest."""
    decimals = _decimals(np.nanmax(np.abs(found)), 3)
    mean, low, high = (f"{value:,.{decimals}f}" for value in found)
    return mean if np.isnan(found.low) else f"{mean} [{low}, {high}]"


def _decimals(value: float, digits: int) -> int:
    """Return the number of decimals that gives `value` the number of `digits`."""
    return max(0, digits - 1 - int(np.floor(np.log10(abs(value))))) if value else 0


def layered(
    layers: Sequence[Any], params: Sequence[Any], layout: Layout, **properties: Any
) -> alt.LayerChart:
    """Return one chart of all `layers`; one call, as Altair copies all layers whenever one is added."""
    names = [param.param for param in params]
    size = {"width": layout.width, "height": layout.height} | properties
    return alt.LayerChart(layer=list(layers), params=names, config=house_style(layout), **size)


def house_style(layout: Layout) -> alt.Config:
    """Return the configuration for white pages; dark pages replace the colours by `DARK`."""
    text: dict[str, Any] = {"labelColor": INK, "titleColor": INK, "labelFontSize": layout.font}
    text |= {"titleFontWeight": "normal", "titleFontSize": layout.font}
    return alt.Config(
        font=_FONT,
        background=PAPER,
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(gridColor=GRID, domainColor=PALE, tickColor=PALE, **text),
        header=alt.HeaderConfig(labelColor=INK, titleColor=INK, labelFontSize=layout.font),
        legend=alt.LegendConfig(**text),
        title=alt.TitleConfig(color=INK, fontSize=layout.font + 1, fontWeight="normal"),
    )
