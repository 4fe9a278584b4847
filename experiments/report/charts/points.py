"""Charts of points: lines through them with bars of errors, and bubbles whose areas are shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from experiments.report.charts.looks import COLOURS, GRID, INK, Look, looks
from experiments.report.charts.parts import (
    HIDDEN,
    PAGE,
    Sheet,
    counts_axis,
    inline,
    layered,
    policy_scales,
    scale_of,
)

_CLOSE = 40  # points on a line; with more they would touch, and the line is enough
_PLACES = 25  # of bubbles along x
_LEGEND_COLUMN = 13  # heights of a letter: the room of a name in the legend


def line_chart(
    frame: pd.DataFrame,
    x_title: str,
    y_title: str,
    x: str = "linear",
    y: str = "linear",
    *,
    shown: Mapping[str, Look] | None = None,
    sheet: Sheet = PAGE,
    known: pd.DataFrame | None = None,
) -> alt.LayerChart:
    """From a table of policy (or whatever a line is), x, mean, low, high.

    `known` has policy, x and mean of values that others published; they are hollow diamonds.
    """
    shown = shown or looks(frame["policy"])
    named = {shown[line].label: shown[line] for line in dict.fromkeys(frame["policy"])}
    frame = frame.assign(policy=[shown[line].label for line in frame["policy"]])
    colour, dash = policy_scales(named)
    colour = colour.legend(_legend(sheet))
    dash = dash.legend(_legend(sheet))
    along = alt.X("x:Q", title=x_title, scale=scale_of(x), axis=counts_axis(x, (1, 2, 5)))
    scale = scale_of(y)
    up = alt.Y("mean:Q", title=y_title, scale=scale, axis=counts_axis(y, (1, 2, 5)))
    base = alt.Chart(inline(frame)).encode(x=along, color=colour)
    low = alt.Y("low:Q", title=y_title, scale=scale)
    high = alt.Y2("high")
    dots = base.mark_point(filled=True, size=20 * sheet.line).encode(y=up, tooltip=_LINE_TOOLTIP)
    return layered(
        [
            base.mark_line(strokeWidth=sheet.line).encode(y=up, strokeDash=dash),
            base.mark_rule().encode(y=low, y2=high),
            *([dots] if frame["policy"].value_counts().max() <= _CLOSE else []),
            *([] if known is None or known.empty else [_published(known, along, up, sheet)]),
        ],
        [HIDDEN],
        sheet,
        description=f"{y_title} against {x_title}.",
    )


def _legend(sheet: Sheet) -> alt.Legend:
    """Names above the chart, in as many columns as there is room for."""
    columns = max(1, int(sheet.width // (_LEGEND_COLUMN * sheet.font)))
    lines: dict[str, Any] = {"symbolType": "stroke", "symbolStrokeWidth": sheet.line}
    return alt.Legend(title=None, orient="top", columns=columns, labelLimit=sheet.width, **lines)


def _published(known: pd.DataFrame, along: alt.X, up: alt.Y, sheet: Sheet) -> alt.Chart:
    base = alt.Chart(inline(known)).encode(x=along, y=up, tooltip=_PUBLISHED_TOOLTIP)
    return base.mark_point(shape="diamond", filled=False, size=40 * sheet.line, color=INK, opacity=1)


_LINE_TOOLTIP: list[Any] = [
    alt.Tooltip("policy:N"),
    alt.Tooltip("x:Q"),
    alt.Tooltip("mean:Q", format=",.4~r"),
]
_PUBLISHED_TOOLTIP: list[Any] = [
    *_LINE_TOOLTIP[:2],
    alt.Tooltip("mean:Q", title="published", format=",.4~r"),
]


def bubble_chart(frame: pd.DataFrame, x_title: str, y_title: str, sheet: Sheet = PAGE) -> alt.LayerChart:
    """From a table of x, y (whole numbers) and share; where x has many values, neighbours go together."""
    shown = in_places(frame)
    together = int((shown["to"] - shown["from"]).max()) + 1
    x_title += f" (means of up to {together} neighbours)" if together > 1 else ""
    low = int(shown["y"].min())
    high = int(shown["y"].max())
    largest = (sheet.width / _PLACES - 2) ** 2  # the area of a bubble as wide as its place
    axis = counts_axis("linear")
    y_axis = alt.Axis(values=list(range(low, high + 1)), format="d", gridColor=GRID, labelOverlap="greedy")
    area = alt.Size(
        "share:Q",
        title="share",
        scale=alt.Scale(domain=[0, 1], range=[2, largest]),  # from 2: so that the rarest are seen
        legend=alt.Legend(values=[0.01, 0.1, 0.5, 1], format=".0%", symbolFillColor=COLOURS[0], orient="top"),
    )
    bubbles = alt.Chart(inline(shown)).mark_circle(opacity=1, color=COLOURS[0])
    return layered(
        [
            bubbles.encode(
                x=alt.X("x:Q", title=x_title, scale=scale_of("linear", padding=14), axis=axis),
                y=alt.Y("y:Q", title=y_title, scale=alt.Scale(domain=[low - 0.5, high + 0.5]), axis=y_axis),
                size=area,
                tooltip=_BUBBLE_TOOLTIP,
            )
        ],
        [],
        sheet,
        height=min(2 * sheet.height, 3 * sheet.font * max(5, high - low + 1)),
        description=f"{y_title} against {x_title}: areas are shares.",
    )


_BUBBLE_TOOLTIP: list[Any] = [
    alt.Tooltip("from:Q"),
    alt.Tooltip("to:Q"),
    alt.Tooltip("y:Q"),
    alt.Tooltip("share:Q", format=".3~%"),
]


def in_places(frame: pd.DataFrame, most: int = _PLACES) -> pd.DataFrame:
    """x, y, from, to, share: the mean shares of neighbouring x, so that no more than `most` are left."""
    every = np.unique(frame["x"])
    places = pd.DataFrame(
        [
            (value, group.mean(), group[0], group[-1], len(group))
            for group in np.array_split(every, min(most, len(every)))
            for value in group
        ],
        columns=["x", "middle", "from", "to", "values"],
    )
    # An x without a row for some y has a share of 0 there: hence sums over all its values, not means of rows.
    joined = frame.merge(places, on="x")
    joined["share"] /= joined["values"]
    sums = joined.groupby(["middle", "y", "from", "to"])["share"].sum().reset_index()
    return sums.rename(columns={"middle": "x"})
