"""Charts of points: lines with error bars, and bubbles whose areas are shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from rankduel.experiments.report.charts.parts import (
    HIDDEN,
    PAGE,
    PUBLISHED,
    Layout,
    as_published,
    counts_axis,
    inline,
    layered,
    lines_legend,
    policy_scales,
    published_points,
    scale_of,
)
from rankduel.experiments.report.charts.styles import COLOURS, GRID, INK, LineStyle, line_styles

_MOST_POINTS = 40  # a line with more points is drawn without marks, which would touch
_MOST_BINS = 25  # bins of bubbles along x


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
    levels: Mapping[str, float] | None = None,
) -> alt.LayerChart:
    """Return a chart of lines with error bars from a table with columns policy, x, mean, low, high.

    A line is named by its policy, which may be any text. `known` has columns policy, x and mean: published
    values, which are drawn as diamonds. `levels` are published levels of the y axis by description,
    which are drawn as horizontal rules.
    """
    styles = styles or line_styles(frame["policy"])
    named = {styles[line].label: styles[line] for line in dict.fromkeys(frame["policy"])}
    frame = frame.assign(policy=[styles[line].label for line in frame["policy"]])
    colour, dash = policy_scales(named, lines_legend(named, layout))
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
            *_published(known, styles, layout, {"x": along, "y": up, "color": colour}),
            *(_levels(levels, up, layout) if levels else []),
        ],
        [HIDDEN],
        layout,
        description=f"{y_title} against {x_title}.",
    )


def _published(
    known: pd.DataFrame | None, styles: Mapping[str, LineStyle], layout: Layout, encoding: Mapping[str, Any]
) -> list[alt.Chart]:
    known = pd.DataFrame({"policy": []}) if known is None else known
    known = known[known["policy"].isin(list(styles))]
    if known.empty:
        return []
    known = known.assign(policy=[styles[line].label for line in known["policy"]])
    return [published_points(known, "x", layout).encode(**encoding)]


def _levels(levels: Mapping[str, float], up: alt.Y, layout: Layout) -> list[alt.Chart]:
    """Return dashed rules at published levels, each with its description and value."""
    texts = [f"{PUBLISHED}: {about} {as_published(level)}" for about, level in levels.items()]
    frame = pd.DataFrame({"mean": list(levels.values()), "text": texts})
    base = alt.Chart(inline(frame)).encode(y=up, tooltip=alt.Tooltip("text:N", title=" "))
    label = base.mark_text(align="right", baseline="top", dy=3, fontSize=layout.font, color=INK)
    return [
        base.mark_rule(color=INK, strokeDash=[6, 4], strokeWidth=0.5 * layout.line),
        label.encode(x=alt.XValue("width"), text="text:N"),
    ]


_LINE_TOOLTIP: list[Any] = [
    alt.Tooltip("policy:N"),
    alt.Tooltip("x:Q"),
    alt.Tooltip("mean:Q", format=",.4~r"),
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
