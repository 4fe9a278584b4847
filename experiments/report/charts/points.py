"""Charts of points: lines through them with bars of errors, and bubbles whose areas are shares."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from experiments.report.charts.parts import (
    COLOURS,
    HEIGHT,
    HIDDEN,
    WIDTH,
    counts_axis,
    inline,
    layered,
    looks,
    policy_scales,
    scale_of,
)

_CLOSE = 40  # points on a line; with more they would touch, and the line is enough
_PLACES = 25  # of bubbles along x
_LARGEST = (WIDTH / _PLACES - 2) ** 2  # of a bubble: its area in pixels, as wide as its place


def line_chart(
    frame: pd.DataFrame, x_title: str, y_title: str, x: str = "linear", y: str = "linear"
) -> alt.LayerChart:
    """From a table of policy (or whatever a line is), x, mean, low, high."""
    colour, dash = policy_scales(looks(frame["policy"]))
    colour = colour.legend(title=None, orient="right")
    along = alt.X("x:Q", title=x_title, scale=scale_of(x), axis=counts_axis(x, (1, 2, 5)))
    scale = scale_of(y)
    up = alt.Y("mean:Q", title=y_title, scale=scale, axis=counts_axis(y, (1, 2, 5)))
    base = alt.Chart(inline(frame)).encode(x=along, color=colour)
    low = alt.Y("low:Q", title=y_title, scale=scale)
    high = alt.Y2("high")
    dots = base.mark_point(filled=True, size=40).encode(y=up, tooltip=_LINE_TOOLTIP)
    return layered(
        [
            base.mark_line(strokeWidth=2).encode(y=up, strokeDash=dash),
            base.mark_rule().encode(y=low, y2=high),
            *([dots] if frame["policy"].value_counts().max() <= _CLOSE else []),
        ],
        [HIDDEN],
        width=WIDTH,
        height=HEIGHT,
        description=f"{y_title} against {x_title}.",
    )


_LINE_TOOLTIP: list[Any] = [
    alt.Tooltip("policy:N"),
    alt.Tooltip("x:Q"),
    alt.Tooltip("mean:Q", format=",.4~g"),
]


def bubble_chart(frame: pd.DataFrame, x_title: str, y_title: str) -> alt.LayerChart:
    """From a table of x, y (whole numbers) and share; where x has many values, neighbours go together."""
    shown = in_places(frame)
    together = int((shown["to"] - shown["from"]).max()) + 1
    x_title += f" (means of up to {together} neighbours)" if together > 1 else ""
    low = int(shown["y"].min())
    high = int(shown["y"].max())
    axis = counts_axis("linear")
    y_axis = alt.Axis(
        values=list(range(low, high + 1)), format="d", gridColor="#e8e8e8", labelOverlap="greedy"
    )
    area = alt.Size(
        "share:Q",
        title="share",
        scale=alt.Scale(domain=[0, 1], range=[2, _LARGEST]),  # from 2: so that the rarest are seen
        legend=alt.Legend(values=[0.01, 0.1, 0.5, 1], format=".0%", symbolFillColor=COLOURS[0]),
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
        width=WIDTH,
        height=min(2 * HEIGHT, 34 * max(5, high - low + 1)),
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
