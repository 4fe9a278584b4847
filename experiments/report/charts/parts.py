"""What all charts share: colours and dashes of policies, axes, data, and how a page hides a policy.

Colours are those of Okabe and Ito, told apart by colour-blind readers too, without yellow, which print loses;
past seven policies, dashes tell them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from experiments.statistics import Estimate
from rankduel.base.text import counted

LOWER_BOUND = "C* ln t: long-run slope"
INK, PALE = "#222222", "#767676"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", INK)
_DASHES = ((), (7, 3), (2, 2), (8, 3, 2, 3))
WIDTH, HEIGHT = 620, 340
_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
# Control characters but tab and line feed: XML cannot hold them, and vl-convert aborts the process on NUL.
# Line and paragraph separators: they end a string of a Vega expression. Marks that turn the direction of what
# follows. Code points that are no characters: they cannot be written in UTF-8, or not in XML.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


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


class Look(NamedTuple):
    colour: str
    dash: tuple[int, ...]  # nothing: a solid line


def looks(policies: Iterable[str]) -> dict[str, Look]:
    """A colour and a dash for each policy; the lower bound is grey and dotted."""
    chosen = {
        policy: Look(COLOURS[i % len(COLOURS)], _DASHES[i // len(COLOURS) % len(_DASHES)])
        for i, policy in enumerate(dict.fromkeys(policies))
    }
    return {**chosen, **({LOWER_BOUND: Look(PALE, (1, 3))} if LOWER_BOUND in chosen else {})}


def scale_of(kind: Any, **more: Any) -> alt.Scale:
    more |= {"zero": False} if kind == "linear" else {}
    return alt.Scale(type=kind, nice=False, **more)


def counts_axis(kind: str, between: Sequence[int] = (1,)) -> alt.Axis:
    """1,000 and 0.1 up to ten thousand, then 100k and 1M: short enough for a phone. Logarithms by decades."""
    marks: dict[str, Any] = {"tickCount": 6}
    if kind == "log":
        marks = {"values": [digit * 10.0**k for k in range(-6, 16) for digit in between]}
    return alt.Axis(
        labelExpr="abs(datum.value) >= 1e4 ? format(datum.value, '~s') : format(datum.value, ',~g')",
        labelOverlap="greedy",
        gridColor="#e8e8e8",
        domainColor=PALE,
        tickColor=PALE,
        **marks,
    )


def policy_scales(shown: dict[str, Look]) -> tuple[alt.Color, alt.StrokeDash]:
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


def in_figures(found: Estimate) -> str:
    """'312 [290, 334]', or the mean alone where the interval is unknown; three digits of the largest."""
    largest = np.nanmax(np.abs(found))
    decimals = max(0, 2 - int(np.floor(np.log10(largest)))) if largest > 0 else 0
    mean, low, high = (f"{value:,.{decimals}f}" for value in found)
    return mean if np.isnan(found.low) else f"{mean} [{low}, {high}]"


def layered(layers: Sequence[Any], params: Sequence[Any], **properties: Any) -> alt.LayerChart:
    """One chart of all layers. In one call: for each further one, Altair copies all there is."""
    names = [param.param for param in params]
    return alt.LayerChart(layer=list(layers), params=names, config=house_style(), **properties)


def house_style() -> alt.Config:
    """Dark on white, as print wants it."""
    text: dict[str, Any] = {"labelColor": INK, "titleColor": INK, "labelFontSize": 11}
    text["titleFontWeight"] = "normal"
    return alt.Config(
        font=_FONT,
        background="white",
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(titleFontSize=12, **text),
        legend=alt.LegendConfig(**text),
    )
