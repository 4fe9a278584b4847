"""Charts of points: lines with error bars, and bubbles whose areas are shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from experiments.report.charts.parts import (
    HIDDEN,
    PAGE,
    Layout,
    counts_axis,
    inline,
    layered,
    policy_scales,
    scale_of,
)
from experiments.report.charts.styles import COLOURS, GRID, INK, LineStyle, line_styles

_MOST_POINTS = 40  # a line with more points is drawn without marks, which would touch
_MOST_BINS = 25  # bins of bubbles along x
_LEGEND_COLUMN = 13  # width of a name in the legend, in font sizes


def line_chart(
    frame: pd.DataFrame,
    x_title: str,
    y_title: str,
    x: str = "linear",
    y: str = "linear",
    *,
    styles: Mapping[str, LineStyle] | None = None,
    layout: Layout = PAGE,
    known: pd.DataFrame | None = None,
) -> alt.LayerChart:
    """Return a chart of lines with error bars from a table with columns policy, x, mean, low, high.

    A line is named by its policy, which may be any text. `known` has columns policy, x and mean: published
    values, which are drawn as hollow diamonds.
    """
    styles = styles or line_styles(frame["policy"])
    named = {styles[line].label: styles[line] for line in dict.fromkeys(frame["policy"])}
    frame = frame.assign(policy=[styles[line].label for line in frame["policy"]])
    colour, dash = policy_scales(named)
    colour = colour.legend(_legend(layout))
    dash = dash.legend(_legend(layout))
    along = alt.X("x:Q", title=x_title, scale=scale_of(x), axis=counts_axis(x, (1, 2, 5)))
    scale = scale_of(y)
    up = alt.Y("mean:Q", title=y_title, scale=scale, axis=counts_axis(y, (1, 2, 5)))
    base = alt.Chart(inline(frame)).encode(x=along, color=colour)
    low = alt.Y("low:Q", title=y_title, scale=scale)
    high = alt.Y2("high")
    dots = base.mark_point(filled=True, size=20 * layout.line).encode(y=up, tooltip=_LINE_TOOLTIP)
    return layered(
        [
            base.mark_line(strokeWidth=layout.line).encode(y=up, strokeDash=dash),
            base.mark_rule().encode(y=low, y2=high),
            *([dots] if frame["policy"].value_counts().max() <= _MOST_POINTS else []),
            *([] if known is None or known.empty else [_published(known, along, up, layout)]),
        ],
        [HIDDEN],
        layout,
        description=f"{y_title} against {x_title}.",
    )


def _legend(layout: Layout) -> alt.Legend:
    """Return a legend above the chart, with as many columns as fit."""
    columns = max(1, int(layout.width // (_LEGEND_COLUMN * layout.font)))
    lines: dict[str, Any] = {"symbolType": "stroke", "symbolStrokeWidth": layout.line}
    return alt.Legend(title=None, orient="top", columns=columns, labelLimit=layout.width, **lines)


def _published(known: pd.DataFrame, along: alt.X, up: alt.Y, layout: Layout) -> alt.Chart:
    base = alt.Chart(inline(known)).encode(x=along, y=up, tooltip=_PUBLISHED_TOOLTIP)
    return base.mark_point(shape="diamond", filled=False, size=40 * layout.line, color=INK, opacity=1)


_LINE_TOOLTIP: list[Any] = [
    alt.Tooltip("policy:N"),
    alt.Tooltip("x:Q"),
    alt.Tooltip("mean:Q", format=",.4~r"),
]
_PUBLISHED_TOOLTIP: list[Any] = [
    *_LINE_TOOLTIP[:2],
    alt.Tooltip("mean:Q", title="published", format=",.4~r"),
]


def bubble_chart(frame: pd.DataFrame, x_title: str, y_title: str, layout: Layout = PAGE) -> alt.LayerChart:
    """Return a chart of bubbles from a table with columns x, y (whole numbers) and share, the area.

    If x has many values, neighbouring values share a bubble.
    """
    bins = binned_shares(frame)
    widest = int((bins["to"] - bins["from"]).max()) + 1
    x_title += f" (means over up to {widest} neighbouring values)" if widest > 1 else ""
    low = int(bins["y"].min())
    high = int(bins["y"].max())
    largest = (layout.width / _MOST_BINS - 2) ** 2  # area of a bubble as wide as its bin
    axis = counts_axis("linear")
    y_axis = alt.Axis(values=list(range(low, high + 1)), format="d", gridColor=GRID, labelOverlap="greedy")
    area = alt.Size(
        "share:Q",
        title="share",
        scale=alt.Scale(domain=[0, 1], range=[2, largest]),  # from 2, so that small shares are visible
        legend=alt.Legend(values=[0.01, 0.1, 0.5, 1], format=".0%", symbolFillColor=COLOURS[0], orient="top"),
    )
    bubbles = alt.Chart(inline(bins)).mark_circle(opacity=1, color=COLOURS[0])
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
        layout,
        height=min(2 * layout.height, 3 * layout.font * max(5, high - low + 1)),
        description=f"{y_title} against {x_title}: areas are shares.",
    )


_BUBBLE_TOOLTIP: list[Any] = [
    alt.Tooltip("from:Q"),
    alt.Tooltip("to:Q"),
    alt.Tooltip("y:Q"),
    alt.Tooltip("share:Q", format=".3~%"),
]


def binned_shares(frame: pd.DataFrame, most: int = _MOST_BINS) -> pd.DataFrame:
    """Return x, y, from, to, share: mean shares of neighbouring x in at most `most` bins."""
    every = np.unique(frame["x"])
    bins = pd.DataFrame(
        [
            (value, group.mean(), group[0], group[-1], len(group))
            for group in np.array_split(every, min(most, len(every)))
            for value in group
        ],
        columns=["x", "middle", "from", "to", "values"],
    )
    # A missing row is a share of 0: divide by the number of x values in the bin, not by the number of rows.
    joined = frame.merge(bins, on="x")
    joined["share"] /= joined["values"]
    sums = joined.groupby(["middle", "y", "from", "to"])["share"].sum().reset_index()
    return sums.rename(columns={"middle": "x"})
