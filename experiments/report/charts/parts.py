"""What all charts share: how large they are, axes, data, numbers as text, and how a page hides a policy."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from experiments.report.charts.looks import GRID, INK, PALE, PAPER, Look
from experiments.statistics import Estimate
from rankduel.base.text import counted

_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
# Control characters but tab and line feed: XML cannot hold them, and vl-convert aborts the process on NUL.
# Line and paragraph separators: they end a string of a Vega expression. Marks that turn the direction of what
# follows. Code points that are no characters: they cannot be written in UTF-8, or not in XML.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


class Sheet(NamedTuple):
    """How large a chart is drawn, in pixels: of a page, or points on paper."""

    width: float = 620  # of the plot, without what is beside it
    height: float = 340
    font: float = 11

    @property
    def line(self) -> float:
        """The width of a line."""
        return self.font / 5.5

    @property
    def label_gap(self) -> float:
        """From one label at the end of a curve to the next."""
        return self.font + 3


PAGE = Sheet()
PHONE = Sheet(width=250, height=230)


def printable(value: Any) -> Any:
    r"""Return a value with every string in it fit for a page or a drawing: a NUL becomes ``\x00``."""
    if isinstance(value, str):
        return _UNPRINTABLE.sub(lambda found: repr(found[0])[1:-1], value)
    if isinstance(value, Mapping):
        return {printable(key): printable(one) for key, one in value.items()}
    return [printable(one) for one in value] if isinstance(value, (list, tuple)) else value


def vega_lite_version() -> str:
    """Return the version of Vega-Lite that these charts are written in, as vl-convert names it."""
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def scale_of(kind: Any, **more: Any) -> alt.Scale:
    more |= {"zero": False} if kind == "linear" else {}
    return alt.Scale(type=kind, nice=False, **more)


def counts_axis(kind: str, between: Sequence[int] = (1,)) -> alt.Axis:
    """1,000 and 0.1 up to ten thousand, then 100k and 1M: short enough for a phone. Logarithms by decades."""
    marks: dict[str, Any] = {"tickCount": 6}
    if kind == "log":
        marks = {"values": [digit * 10.0**k for k in range(-6, 16) for digit in between]}
    return alt.Axis(
        labelExpr="abs(datum.value) >= 1e4 ? format(datum.value, '~s') : format(datum.value, ',~r')",
        labelOverlap="greedy",
        **marks,
    )


def policy_scales(shown: Mapping[str, Look]) -> tuple[alt.Color, alt.StrokeDash]:
    colours = alt.Scale(domain=list(shown), range=[look.colour for look in shown.values()])
    dashes = alt.Scale(domain=list(shown), range=[list(look.dash or (1, 0)) for look in shown.values()])
    return (
        alt.Color("policy:N", scale=colours, legend=None),
        alt.StrokeDash("policy:N", scale=dashes, legend=None),
    )


HOVER = "hover"  # the name of a layer that is only there to answer the pointer
HIDDEN = alt.param(name="hidden", value=[])  # policies; a page sets it


def visible(chart: alt.Chart) -> alt.Chart:
    return chart.transform_filter("indexof(hidden, datum.policy) < 0")


def inline(frame: pd.DataFrame) -> alt.InlineData:
    """A table as comma-separated text of five digits: objects would be three times as long."""
    numbers = {str(column): pd.api.types.is_numeric_dtype(frame[column]) for column in frame}
    parse = {column: "number" if number else "string" for column, number in numbers.items()}
    text = frame.to_csv(index=False, float_format="%.5g", lineterminator="\n")
    return alt.InlineData(values=text, format=alt.CsvDataFormat(type="csv", parse=parse))


def runs_in_words(counts: pd.Series) -> str:
    """Return '1 run', '3 runs' or '2 to 3 runs' for the number of runs of each policy."""
    if counts.min() < counts.max():
        return f"{counts.min():,} to {counts.max():,} runs"
    return counted(int(counts.max()), "run")


def number(value: float, digits: int = 4) -> str:
    """Return '11,306', '312.4' or '0.01234': so many digits, all of whole numbers; '–' if unknown."""
    if not np.isfinite(value):
        return "–"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.{_decimals(value, digits)}f}"


def in_figures(found: Estimate) -> str:
    """'312 [290, 334]', or the mean alone where the interval is unknown; three digits of the largest."""
    decimals = _decimals(np.nanmax(np.abs(found)), 3)
    mean, low, high = (f"{value:,.{decimals}f}" for value in found)
    return mean if np.isnan(found.low) else f"{mean} [{low}, {high}]"


def _decimals(value: float, digits: int) -> int:
    """Return after how many decimals a number has so many digits."""
    return max(0, digits - 1 - int(np.floor(np.log10(abs(value))))) if value else 0


def layered(layers: Sequence[Any], params: Sequence[Any], sheet: Sheet, **properties: Any) -> alt.LayerChart:
    """One chart of all layers. In one call: for each further one, Altair copies all there is."""
    names = [param.param for param in params]
    size = {"width": sheet.width, "height": sheet.height} | properties
    return alt.LayerChart(layer=list(layers), params=names, config=house_style(sheet), **size)


def house_style(sheet: Sheet) -> alt.Config:
    """Dark on white, as print wants it; a page that is dark maps these colours by `DARK`."""
    text: dict[str, Any] = {"labelColor": INK, "titleColor": INK, "labelFontSize": sheet.font}
    text |= {"titleFontWeight": "normal", "titleFontSize": sheet.font}
    return alt.Config(
        font=_FONT,
        background=PAPER,
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(gridColor=GRID, domainColor=PALE, tickColor=PALE, **text),
        header=alt.HeaderConfig(labelColor=INK, titleColor=INK, labelFontSize=sheet.font),
        legend=alt.LegendConfig(**text),
        title=alt.TitleConfig(color=INK, fontSize=sheet.font + 1, fontWeight="normal"),
    )
