"""Curves over the duels of a run: regret, accuracy, quality of pages, live against proxy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from experiments.report.charts.parts import (
    COLOURS,
    HEIGHT,
    HIDDEN,
    HOVER,
    LOWER_BOUND,
    WIDTH,
    counts_axis,
    house_style,
    inline,
    layered,
    looks,
    policy_scales,
    scale_of,
    visible,
)
from experiments.runs.summaries import QUANTILES, short_names

ROOM = 1.03  # how far an axis goes above the highest peak
LABEL_GAP = 14  # pixels from one label at the end of a curve to the next


class View(NamedTuple):
    """What a reader may choose about a chart of curves."""

    x: str = "log"  # or linear
    y: str = "linear"  # or log
    band: str = "error"  # or quantiles, or none


DEFAULT = View()  # what a page opens with, and what goes into papers
_BANDS = {
    "error": {"bottom": "datum.mean - datum.error", "top": "datum.mean + datum.error"},
    "quantiles": {"bottom": "datum.low", "top": "datum.high"},
    "none": {"bottom": "datum.mean", "top": "datum.mean"},
}


def curve_chart(
    curves: pd.DataFrame, title: str, view: View = DEFAULT, interpolate: Any = "linear"
) -> alt.LayerChart:
    """Curves of experiments.runs.summaries.curves over the steps, with bands, each labelled at its end."""
    colour, dash = policy_scales(looks(curves["policy"]))
    if view.y == "log" and not (curves["mean"] > 0).any():  # nothing that a logarithm could show
        view = view._replace(y="linear")
    if view.y == "log":
        curves = curves[curves["mean"] > 0]
    ends, low, top = _ends(curves, view)
    x = alt.X("step:Q", title="duels", scale=scale_of(view.x), axis=counts_axis(view.x))
    y_scale = scale_of(view.y, domainMin=low, domainMax=alt.ExprRef("highest"))
    y = alt.Y("mean:Q", title=title, scale=y_scale, axis=counts_axis(view.y))
    base = visible(alt.Chart(inline(curves))).transform_calculate(**_BANDS[view.band]).encode(x=x)
    band = base.transform_calculate(bottom=f"max(datum.bottom, {low})").mark_area(clip=True, opacity=0.18)
    near = alt.selection_point(name="near", nearest=True, on="pointermove", clear="pointerout", empty=False)
    dots = base.mark_point(clip=True, filled=True, size=70, aria=False).encode(
        y=y,
        color=colour,
        tooltip=_CURVE_TOOLTIP,
        opacity=alt.OpacityValue(0, condition={"param": "near", "empty": False, "value": 1}),
    )
    return layered(
        [
            band.encode(y=alt.Y("bottom:Q", title=title, scale=y_scale), y2=alt.Y2("top"), color=colour),
            base.mark_line(clip=True, strokeWidth=2, interpolate=interpolate).encode(
                y=y, color=colour, strokeDash=dash
            ),
            *_end_labels(ends, colour),
            dots.add_params(near).properties(name=HOVER),
        ],
        [HIDDEN, alt.param(name="highest", value=top)],
        width=WIDTH,
        height=HEIGHT,
        description=_curves_in_words(curves, title),
    )


def _curves_in_words(curves: pd.DataFrame, title: str) -> str:
    last = curves[curves["step"] == curves["step"].max()]
    ends = "; ".join(f"{policy} {mean:,.4g}" for policy, mean in zip(last["policy"], last["mean"]))
    return f"Curves of {title} against duels, up to {last['step'].iloc[0]:,}. At the end: {ends}."


def _ends(curves: pd.DataFrame, view: View) -> tuple[pd.DataFrame, float, float]:
    """Where the curves end and how high they reach, with labels nudged apart; and both ends of the y axis."""
    mean = curves["mean"]
    reach = {"error": mean + curves["error"], "quantiles": curves["high"], "none": mean}[view.band]
    curves = curves.assign(peak=reach.fillna(mean))
    ends = curves.groupby("policy", sort=False).agg(end=("mean", "last"), peak=("peak", "max")).reset_index()
    ends["label"] = ends["policy"].map(short_names(ends["policy"]))
    top = highest(ends["peak"])
    if view.y == "log":
        low = 10 ** np.floor(np.log10(mean.min()))
        share = np.log(ends["end"] / low) / np.log(top / low)
    else:  # from zero, unless all is far above
        low = 0.0 if mean.min() < 0.5 * top else mean.min() - 0.1 * (top - mean.min())
        share = (ends["end"] - low) / (top - low)
    ends["at"] = (HEIGHT * (1 - share)).round(1)
    ends["beside"] = spread_out(ends["at"].tolist(), LABEL_GAP, 0, HEIGHT)
    return ends, float(low), top


def highest(peaks: Iterable[float]) -> float:
    """The top of an axis, a little above all peaks."""
    return ROOM * max(peaks) or 1.0


def spread_out(places: Sequence[float], gap: float, first: float, last: float) -> list[float]:
    """Places moved as little as it takes that neighbours are a gap apart, within first and last if they fit.

    Each is pushed below those above it, then all that stick out are pushed back up.
    """
    order = np.argsort(places, kind="stable")
    moved = np.array(places, float)
    floor = first
    for i in order:
        moved[i] = floor = max(moved[i], floor)
        floor += gap
    ceiling = last
    for i in order[::-1]:
        moved[i] = ceiling = min(moved[i], ceiling)
        ceiling -= gap
    return moved.tolist()


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def _end_labels(ends: pd.DataFrame, colour: alt.Color) -> list[alt.Chart]:
    """Names at the ends of the curves, in pixels: a page moves them when a reader changes what is shown."""
    at, beside = (alt.Y(f"{place}:Q", scale=None, axis=None) for place in ("at", "beside"))
    base = visible(alt.Chart(alt.InlineData(values=_rows(ends), name="ends"))).encode(color=colour)
    return [
        base.mark_rule(strokeWidth=1).encode(
            x=alt.XValue("width"), x2=alt.X2Value(alt.ExprRef("width + 9")), y=at, y2=alt.Y2("beside")
        ),
        base.mark_text(align="left", baseline="middle", dx=12, fontSize=11, limit=170).encode(
            x=alt.XValue("width"), y=beside, text=alt.Text("label:N")
        ),
    ]


_CURVE_TOOLTIP = [
    alt.Tooltip("policy:N"),
    alt.Tooltip("step:Q", title="duels", format=","),
    alt.Tooltip("mean:Q", format=",.4~g"),
    alt.Tooltip("error:Q", title="standard error", format=",.3~g"),
    alt.Tooltip("low:Q", title=f"{QUANTILES[0]:.0%} quantile", format=",.4~g"),
    alt.Tooltip("high:Q", title=f"{QUANTILES[1]:.0%} quantile", format=",.4~g"),
]


def bound_curve(slope: float, steps: Iterable[int]) -> pd.DataFrame:
    """slope * ln(t), to go with the curves of policies."""
    steps = np.unique(np.asarray(list(steps)))
    unknown = dict.fromkeys(("error", "low", "high"), np.nan)
    return pd.DataFrame({"policy": LOWER_BOUND, "step": steps, "mean": slope * np.log(steps), **unknown})


def regret_chart(curves: pd.DataFrame, slope: float | None, view: View = DEFAULT) -> alt.LayerChart:
    """Regret with the lower bound's slope, unless that would squeeze the curves on a linear axis."""
    if slope is not None and (view.y == "log" or bound_fits(curves, slope)):
        curves = pd.concat([curves, bound_curve(slope, curves["step"])])
    return curve_chart(curves, "cumulative regret", view)


def bound_fits(curves: pd.DataFrame, slope: float) -> bool:
    return slope * np.log(curves["step"].max()) <= 1.5 * curves["mean"].max()


def accuracy_chart(curves: pd.DataFrame, view: View = DEFAULT) -> alt.LayerChart:
    """How many of the runs recommend the winner: a share that jumps, without a band."""
    return curve_chart(curves, "share of runs that are right", view._replace(band="none"), "step-after")


def live_proxy_chart(live: pd.DataFrame, proxy: pd.DataFrame) -> alt.FacetChart:
    """A small panel per policy: regret against simulated clicks and against draws from the matrix."""
    both = pd.concat([live.assign(mode="live"), proxy.assign(mode="proxy")])
    names = short_names(both["policy"])
    place = {policy: place for place, policy in enumerate(names)}
    both = both.assign(label=both["policy"].map(names), place=both["policy"].map(place))
    colours = alt.Scale(domain=["live", "proxy"], range=[COLOURS[0], COLOURS[1]])
    dashes = alt.Scale(domain=["live", "proxy"], range=[[1, 0], [6, 3]])
    lines: dict[str, Any] = {"symbolType": "stroke", "symbolFillColor": "transparent", "symbolOpacity": 1}
    legend = alt.Legend(title=None, orient="top", symbolStrokeWidth=2.5, symbolSize=400, **lines)
    colour = alt.Color("mode:N", scale=colours, legend=legend)
    base = alt.Chart().transform_calculate(**_BANDS["error"])
    base = base.encode(
        x=alt.X("step:Q", title="duels", scale=scale_of("log"), axis=counts_axis("log")), color=colour
    )
    y: dict[str, Any] = {
        "title": "regret",
        "axis": counts_axis("linear"),
        "scale": alt.Scale(domainMin=0, nice=False),
    }
    panel = alt.layer(
        base.mark_area(opacity=0.18, clip=True).encode(y=alt.Y("bottom:Q", **y), y2=alt.Y2("top")),
        base.mark_line(strokeWidth=2, clip=True).encode(
            y=alt.Y("mean:Q", **y),
            strokeDash=alt.StrokeDash("mode:N", scale=dashes, legend=legend),
            tooltip=[alt.Tooltip("mode:N"), *_CURVE_TOOLTIP],
        ),
    ).properties(width=220, height=150)
    # By place, not by a list of names: Vega looks these up in an object, which has some of its own.
    panels = alt.Facet("label:N", title=None, sort=alt.EncodingSortField("place", op="min"))
    chart = panel.facet(facet=panels, columns=3, data=inline(both))
    chart = chart.resolve_scale(y="independent").resolve_axis(x="independent")
    words = (
        "Regret against duels, a panel per policy: live clicks (solid) over draws from the matrix (dashed)."
    )
    return chart.properties(description=words, config=house_style())
