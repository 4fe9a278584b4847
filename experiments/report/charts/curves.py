"""Curves over the duels of a run: regret, accuracy, quality of pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from experiments.report.charts.looks import LOWER_BOUND, Look, looks
from experiments.report.charts.parts import (
    HIDDEN,
    HOVER,
    PAGE,
    Sheet,
    counts_axis,
    inline,
    layered,
    number,
    policy_scales,
    scale_of,
    visible,
)
from experiments.runs.summaries import QUANTILES

ROOM = 1.03  # how far an axis goes above the highest peak
_LABEL_SHARE = 0.28  # of the width of a plot: the most that a label beside it takes


class View(NamedTuple):
    """What a reader may choose about a chart of curves."""

    x: str = "log"  # or linear
    y: str = "log"  # or linear
    band: str = "error"  # or quantiles, or none


DEFAULT = View()  # what a page opens with, and what goes into papers
_BANDS = {
    "error": {"bottom": "datum.mean - datum.error", "top": "datum.mean + datum.error"},
    "quantiles": {"bottom": "datum.low", "top": "datum.high"},
    "none": {"bottom": "datum.mean", "top": "datum.mean"},
}


def curve_chart(
    curves: pd.DataFrame,
    title: str,
    view: View = DEFAULT,
    shown: Mapping[str, Look] | None = None,
    sheet: Sheet = PAGE,
    *,
    interpolate: Any = "linear",
    opacity: float = 0.18,
    tooltip: Sequence[alt.Tooltip] | None = None,
    axis: alt.Axis | None = None,
    known: pd.DataFrame | None = None,
) -> alt.LayerChart:
    """Curves of experiments.runs.summaries.curves over the steps, with bands, each labelled at its end.

    `known` has policy, step and mean of values that others found; they are hollow diamonds.
    """
    known = curves.iloc[:0] if known is None else known
    shown = _of_these(shown, curves["policy"])
    colour, dash = policy_scales(shown)
    if view.y == "log" and not (curves["mean"] > 0).any():  # nothing that a logarithm could show
        view = view._replace(y="linear")
    if view.y == "log":
        curves = curves[curves["mean"] > 0]
    ends, low, top = _ends(curves, view, shown, sheet, known["mean"].max())
    x = alt.X("step:Q", title="duels", scale=scale_of(view.x), axis=counts_axis(view.x))
    y_scale = scale_of(view.y, domainMin=low, domainMax=alt.ExprRef("highest"))
    y = alt.Y("mean:Q", title=title, scale=y_scale, axis=axis or counts_axis(view.y))
    base = visible(alt.Chart(inline(curves))).transform_calculate(**_BANDS[view.band]).encode(x=x)
    band = base.transform_calculate(bottom=f"max(datum.bottom, {low})")
    band = band.mark_area(clip=True, opacity=opacity, interpolate=interpolate)
    line = base.mark_line(clip=True, strokeWidth=sheet.line, interpolate=interpolate)
    return layered(
        [
            band.encode(y=alt.Y("bottom:Q", title=title, scale=y_scale), y2=alt.Y2("top"), color=colour),
            line.encode(y=y, color=colour, strokeDash=dash),
            *([] if known.empty else [_diamonds(known, sheet).encode(x=x, y=y, color=colour)]),
            *end_labels(ends, colour, sheet),
            _pointed_at(base.encode(y=y, color=colour, tooltip=list(tooltip or _CURVE_TOOLTIP))),
        ],
        [HIDDEN, alt.param(name="highest", value=top)],
        sheet,
        description=_curves_in_words(curves, title, shown),
    )


def _of_these(shown: Mapping[str, Look] | None, policies: pd.Series) -> dict[str, Look]:
    """The looks of these policies; of the lower bound too, which is not one of a report's policies."""
    known = shown or {}
    missing = looks(policy for policy in policies if policy not in known)
    return {policy: known.get(policy) or missing[policy] for policy in dict.fromkeys(policies)}


def _diamonds(known: pd.DataFrame, sheet: Sheet) -> alt.Chart:
    """Values that others found."""
    base = visible(alt.Chart(inline(known[["policy", "step", "mean"]])))
    marks = base.mark_point(shape="diamond", filled=False, size=50 * sheet.line, strokeWidth=0.8 * sheet.line)
    return marks.encode(tooltip=[*_CURVE_TOOLTIP[:2], alt.Tooltip("mean:Q", title="known", format=",.4~r")])


def _pointed_at(base: alt.Chart) -> alt.Chart:
    """Dots that are seen under the pointer only."""
    near = alt.selection_point(name="near", nearest=True, on="pointermove", clear="pointerout", empty=False)
    seen = alt.OpacityValue(0, condition={"param": "near", "empty": False, "value": 1})
    dots = base.mark_point(clip=True, filled=True, size=70, aria=False).encode(opacity=seen)
    return dots.add_params(near).properties(name=HOVER)


def _curves_in_words(curves: pd.DataFrame, title: str, shown: Mapping[str, Look]) -> str:
    last = curves[curves["step"] == curves["step"].max()]
    ends = "; ".join(
        f"{shown[policy].label} {number(mean)}" for policy, mean in zip(last["policy"], last["mean"])
    )
    return f"Curves of {title} against duels, up to {last['step'].iloc[0]:,}. At the end: {ends}."


def _ends(
    curves: pd.DataFrame, view: View, shown: Mapping[str, Look], sheet: Sheet, known: float
) -> tuple[pd.DataFrame, float, float]:
    """Where the curves end and how high they reach, with labels nudged apart; and both ends of the y axis.

    The axis reaches to the largest `known` value too, if there is one.
    """
    mean = curves["mean"]
    reach = {"error": mean + curves["error"], "quantiles": curves["high"], "none": mean}[view.band]
    curves = curves.assign(peak=reach.fillna(mean))
    ends = curves.groupby("policy", sort=False).agg(end=("mean", "last"), peak=("peak", "max")).reset_index()
    ends["label"] = [shown[policy].label for policy in ends["policy"]]
    ends["peak"] = ends["peak"].clip(lower=known if known > 0 else None)
    top = highest(ends["peak"])
    if view.y == "log":
        low = 10 ** np.floor(np.log10(mean.min()))
        share = np.log(ends["end"] / low) / np.log(top / low)
    else:  # from zero, unless all is far above
        low = 0.0 if mean.min() < 0.5 * top else mean.min() - 0.1 * (top - mean.min())
        share = (ends["end"] - low) / (top - low)
    return placed(ends, share, sheet), float(low), top


def placed(ends: pd.DataFrame, share: pd.Series, sheet: Sheet) -> pd.DataFrame:
    """Return `ends` with where curves end and where their labels go, in pixels from the top."""
    at = (sheet.height * (1 - share)).round(1)
    return ends.assign(at=at, beside=spread_out(at.tolist(), sheet.label_gap, 0, sheet.height))


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


def end_labels(ends: pd.DataFrame, colour: alt.Color, sheet: Sheet) -> list[alt.Chart]:
    """Names at the ends of the curves, in pixels: a page moves them when a reader changes what is shown."""
    at, beside = (alt.Y(f"{place}:Q", scale=None, axis=None) for place in ("at", "beside"))
    base = visible(alt.Chart(alt.InlineData(values=_rows(ends), name="ends"))).encode(color=colour)
    room = alt.ExprRef(f"max({9 * sheet.font}, {_LABEL_SHARE} * width)")
    names = base.mark_text(align="left", baseline="middle", dx=12, fontSize=sheet.font, limit=room)
    return [
        base.mark_rule(strokeWidth=1).encode(
            x=alt.XValue("width"), x2=alt.X2Value(alt.ExprRef("width + 9")), y=at, y2=alt.Y2("beside")
        ),
        names.encode(x=alt.XValue("width"), y=beside, text=alt.Text("label:N")),
    ]


_CURVE_TOOLTIP = [
    alt.Tooltip("policy:N"),
    alt.Tooltip("step:Q", title="duels", format=","),
    alt.Tooltip("mean:Q", format=",.4~r"),
    alt.Tooltip("error:Q", title="standard error", format=",.3~r"),
    alt.Tooltip("low:Q", title=f"{QUANTILES[0]:.0%} quantile", format=",.4~r"),
    alt.Tooltip("high:Q", title=f"{QUANTILES[1]:.0%} quantile", format=",.4~r"),
]


def bound_curve(slope: float, steps: Iterable[int]) -> pd.DataFrame:
    """slope * ln(t), to go with the curves of policies."""
    steps = np.unique(np.asarray(list(steps)))
    unknown = dict.fromkeys(("error", "low", "high"), np.nan)
    return pd.DataFrame({"policy": LOWER_BOUND, "step": steps, "mean": slope * np.log(steps), **unknown})


def regret_chart(
    curves: pd.DataFrame,
    slope: float | None,
    view: View = DEFAULT,
    shown: Mapping[str, Look] | None = None,
    sheet: Sheet = PAGE,
) -> alt.LayerChart:
    """Regret with the lower bound's slope, unless that would squeeze the curves on a linear axis."""
    if slope is not None and (view.y == "log" or bound_fits(curves, slope)):
        curves = pd.concat([curves, bound_curve(slope, curves["step"])])
    return curve_chart(curves, "cumulative regret", view, shown, sheet)


def bound_fits(curves: pd.DataFrame, slope: float) -> bool:
    return slope * np.log(curves["step"].max()) <= 1.5 * curves["mean"].max()


def accuracy_chart(
    curves: pd.DataFrame,
    view: View = DEFAULT,
    shown: Mapping[str, Look] | None = None,
    sheet: Sheet = PAGE,
) -> alt.LayerChart:
    """How many of the runs recommend the winner: curves of experiments.runs.summaries.share_curves."""
    band = "none" if view.band == "none" else "quantiles"  # both ends of the band are in the curves
    return curve_chart(
        curves,
        "share of runs that are right",
        View(view.x, "linear", band),
        shown,
        sheet,
        interpolate="step-after",
        opacity=0.1,  # the bands of shares are wide and overlap
        tooltip=_SHARE_TOOLTIP,
        axis=alt.Axis(format=".0%", tickCount=5),
    )


_SHARE_TOOLTIP = [
    *_CURVE_TOOLTIP[:2],
    alt.Tooltip("mean:Q", title="right", format=".0%"),
    alt.Tooltip("low:Q", title="95 % interval from", format=".0%"),
    alt.Tooltip("high:Q", title="to", format=".0%"),
]


def page_chart(
    curves: pd.DataFrame,
    title: str,
    view: View = DEFAULT,
    shown: Mapping[str, Look] | None = None,
    sheet: Sheet = PAGE,
) -> alt.LayerChart:
    """NDCG or clicks of the pages that users saw, which a logarithm would not show better."""
    return curve_chart(curves, title, view._replace(y="linear"), shown, sheet)
