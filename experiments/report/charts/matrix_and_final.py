"""Charts of reports and papers: a table in, an Altair chart out; the same on a page and in a file.

Curves are in experiments/report/charts/curves.py; here are the dots of final results and the map of a matrix.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from experiments.matrix.preferences import Preferences
from experiments.report.charts.parts import (
    HIDDEN,
    INK,
    WIDTH,
    counts_axis,
    in_figures,
    inline,
    layered,
    looks,
    policy_scales,
    scale_of,
    visible,
)
from experiments.runs.summaries import final, final_estimates, short_names
from experiments.winners.notions import copeland_order

MOST_RANKERS = 200  # a picture of more has cells too small to see


def final_chart(table: pd.DataFrame, column: str, title: str) -> alt.LayerChart:
    """One line per policy at the horizon: each run a tick, the mean with its 95 % interval."""
    estimates = final_estimates(table, column)
    names = short_names(estimates)
    means = pd.DataFrame(
        {"policy": policy, "place": place, **found._asdict(), "figures": in_figures(found)}
        for place, (policy, found) in enumerate(estimates.items())
    )
    runs = final(table)[["policy", column]].rename(columns={column: "value"}).dropna()
    runs = runs.assign(place=runs["policy"].map(dict(zip(means["policy"], means["place"]))))
    colour, _ = policy_scales(looks(table["policy"]))
    # Places, not names: Vega looks sorted names up in an object, which has some of its own ('constructor').
    y = alt.Y("place:O", title=None, axis=_names_axis(labelLimit=170))
    kind = "log" if runs["value"].min() > 0 and means["mean"].max() > 20 * means["mean"].min() else "linear"
    title = f"{title} (log scale)" if kind == "log" else title
    scale = scale_of(kind, domainMin=0 if kind == "linear" else 0.9 * float(runs["value"].min()))
    ticks = visible(alt.Chart(inline(runs))).mark_tick(opacity=0.45, thickness=1, size=12)
    spans = visible(alt.Chart(inline(means))).encode(y=y, color=colour, tooltip=_final_tooltip(title))
    x = alt.X("mean:Q", title=title, scale=scale, axis=counts_axis(kind, (1, 2, 5)))
    return layered(
        [
            ticks.encode(x=alt.X("value:Q", title=title, scale=scale), y=y, color=colour),
            spans.mark_rule(strokeWidth=2.5, clip=True).encode(
                x=alt.X("low:Q", title=title, scale=scale), x2="high:Q"
            ),
            spans.mark_point(filled=True, size=80, opacity=1).encode(x=x),
            spans.mark_text(align="left", dx=16, fontSize=11, color=INK).encode(
                x=alt.value("width"), text="figures:N", color=alt.value(INK)
            ),
        ],
        [HIDDEN, alt.param(name="names", value=list(names.values()))],
        width=WIDTH - 120,
        height=alt.Step(26),
        description=_final_in_words(means, title),
    )


def _final_tooltip(title: str) -> list[alt.Tooltip]:
    return [alt.Tooltip("policy:N"), alt.Tooltip("figures:N", title=f"{title}, mean and 95 % interval")]


def _final_in_words(means: pd.DataFrame, title: str) -> str:
    lines = "; ".join(f"{policy} {text}" for policy, text in zip(means["policy"], means["figures"]))
    return f"Means and 95 % intervals of {title}: {lines}."


def heatmap(preferences: Preferences, highlight: Collection[str] | None = None) -> alt.LayerChart:
    """How often each ranker (row) beats each other (column), best first; rows of `highlight` are framed."""
    order = copeland_order(preferences.matrix)[:MOST_RANKERS]
    names = [preferences.names[place] for place in order]
    framed = [place for place, name in enumerate(names) if name in (highlight or ())]
    matrix = preferences.matrix[np.ix_(order, order)]
    side = len(names) * min(40, max(3, 560 // len(names)))  # whole pixels: else hairlines between the cells
    # A browser is slow with ten thousand elements; a picture of them it draws at once.
    renderer = "canvas" if len(names) > 60 else "svg"
    return layered(
        [*_odds_layers(matrix), *_frames(framed, len(names))],
        [alt.param(name="names", value=names)],
        width=side,
        height=side,
        description=_heatmap_in_words(len(preferences), names),
        usermeta={"embedOptions": {"renderer": renderer}},
    )


def _odds_layers(matrix: np.ndarray) -> list[alt.Chart]:
    """Coloured cells, and the numbers in them where there is room."""
    far = max(0.05, float(np.abs(matrix - 0.5).max()))
    column = alt.X("column:O", title="opponent", axis=_names_axis(orient="top", labelAngle=-90))
    cells = alt.Chart(_cells(matrix)).encode(y=_ranker_rows(), x=column)
    cells = cells.transform_calculate(ranker="names[datum.row]", opponent="names[datum.column]")
    coloured = cells.mark_rect().encode(color=_odds_colour(far), tooltip=_ODDS_TOOLTIP)
    if len(matrix) > 12:
        return [coloured]
    ink = alt.condition(abs(alt.datum.p - 0.5) > 0.7 * far, alt.value("white"), alt.value(INK))
    return [coloured, cells.mark_text(fontSize=11).encode(text=alt.Text("p:Q", format=".2f"), color=ink)]


def _frames(rows: list[int], size: int) -> list[alt.Chart]:
    if not rows:
        return []
    base = alt.Chart(alt.InlineData(values=[{"row": row} for row in rows]))
    frames = base.mark_rect(fill=None, stroke=INK, strokeWidth=2 if size <= 60 else 1)
    return [frames.encode(y=_ranker_rows(), x=alt.value(0), x2=alt.value("width"))]


def _ranker_rows() -> alt.Y:
    return alt.Y("row:O", title="ranker, by rankers beaten", axis=_names_axis())


def _heatmap_in_words(rankers: int, names: list[str]) -> str:
    shown = f"the {len(names)} strongest of {rankers}" if len(names) < rankers else f"{rankers}"
    return (
        f"Matrix of preferences of {shown} rankers, by rankers beaten, from {names[0]} to {names[-1]}: "
        "how often the ranker of the row beats that of the column."
    )


def _cells(matrix: np.ndarray) -> alt.InlineData:
    rows, columns = np.indices(matrix.shape)
    return inline(pd.DataFrame({"row": rows.ravel(), "column": columns.ravel(), "p": matrix.ravel()}))


def _names_axis(**more: Any) -> alt.Axis:
    """Names instead of places; where they would touch, some are left out."""
    usual: dict[str, Any] = {"labelOverlap": "greedy", "labelLimit": 110, "labelPadding": 4}
    return alt.Axis(ticks=False, domain=False, labelExpr="names[datum.value]", **usual | more)


def _odds_colour(far: float) -> alt.Color:
    """White where a pair is even; blue and orange are told apart by nearly everybody."""
    scale = alt.Scale(
        domain=[0.5 - far, 0.5 - far / 2, 0.5, 0.5 + far / 2, 0.5 + far],
        interpolate="rgb",
        range=["#8f3b00", "#e8a15c", "#ffffff", "#6aaed6", "#08457e"],
    )
    return alt.Color("p:Q", title="row beats column", scale=scale, legend=alt.Legend(format=".2~f"))


_ODDS_TOOLTIP = [
    alt.Tooltip("ranker:N"),
    alt.Tooltip("opponent:N"),
    alt.Tooltip("p:Q", title="ranker wins", format=".4f"),
]
