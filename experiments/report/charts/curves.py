"""Charts of curves over the duels of a run: regret, accuracy, NDCG and clicks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from rankduel.experiments.report.charts.parts import (
    HIDDEN,
    HOVER,
    PAGE,
    Layout,
    counts_axis,
    inline,
    layered,
    lines_legend,
    number,
    policy_scales,
    published_points,
    scale_of,
    visible,
)
from rankduel.experiments.report.charts.styles import LOWER_BOUND, LineStyle, line_styles
from rankduel.experiments.runs.summaries import QUANTILES

HEADROOM = 1.03  # top of an axis, relative to the highest value
_LABEL_SHARE = 0.28  # largest width of a label, relative to the width of the plot


class View(NamedTuple):
    """The options of a chart of curves."""

    x: str = "log"  # or linear
    y: str = "log"  # or linear
    band: str = "error"  # or quantiles, or none


DEFAULT = View()  # the initial view of a page, and the view of figures for papers
_BANDS = {
    "error": {"bottom": "datum.mean - datum.error", "top": "datum.mean + datum.error"},
    "quantiles": {"bottom": "datum.low", "top": "datum.high"},
    "none": {"bottom": "datum.mean", "top": "datum.mean"},
}


def curve_chart(
    curves: pd.DataFrame,
    title: str,
    view: View = DEFAULT,
    styles: Mapping[str, LineStyle] | None = None,
    layout: Layout = PAGE,
    *,
    interpolate: Any = "linear",
    opacity: float = 0.18,
    tooltip: Sequence[alt.Tooltip] | None = None,
    axis: alt.Axis | None = None,
    known: pd.DataFrame | None = None,
) -> alt.LayerChart:
    """Return a chart of the `curves` of rankduel.experiments.runs.summaries.curves.

    Curves are labelled at their ends, or in a legend if the layout has one. `known` has columns policy, step
    and mean: published values, which are drawn as diamonds.
    """
    known = curves.iloc[:0] if known is None else known
    styles = _styles_for(styles, curves["policy"])
    if layout.legend:
        curves, known = (_with_labels(frame, styles) for frame in (curves, known))
        styles = {style.label: style for style in styles.values()}
    colour, dash = policy_scales(styles, lines_legend(styles, layout) if layout.legend else None)
    if view.y == "log" and not (curves["mean"] > 0).any():  # a logarithmic axis would be empty
        view = view._replace(y="linear")
    if view.y == "log":
        curves, known = (frame[frame["mean"] > 0] for frame in (curves, known))
    ends, low, top = _ends(curves, view, styles, layout, known["mean"])
    x = alt.X("step:Q", title="duels", scale=scale_of(view.x), axis=counts_axis(view.x))
    y_scale = scale_of(view.y, domainMin=low, domainMax=alt.ExprRef("highest"))
    y = alt.Y("mean:Q", title=title, scale=y_scale, axis=axis or counts_axis(view.y))
    base = visible(alt.Chart(inline(curves))).transform_calculate(**_BANDS[view.band]).encode(x=x)
    band = base.transform_calculate(bottom=f"max(datum.bottom, {low})")
    band = band.mark_area(clip=True, opacity=opacity, interpolate=interpolate)
    line = base.mark_line(clip=True, strokeWidth=layout.line, interpolate=interpolate)
    return layered(
        [
            band.encode(y=alt.Y("bottom:Q", title=title, scale=y_scale), y2=alt.Y2("top"), color=colour),
            line.encode(y=y, color=colour, strokeDash=dash),
            *([] if layout.legend else end_labels(ends, colour, layout)),
            *(
                []
                if known.empty
                else [published_points(known, "step", layout).encode(x=x, y=y, color=colour)]
            ),
            _hover_points(base.encode(y=y, color=colour, tooltip=list(tooltip or _CURVE_TOOLTIP))),
        ],
        [HIDDEN, alt.param(name="highest", value=top)],
        layout,
        description=_description(curves, title, styles),
    )


def _styles_for(styles: Mapping[str, LineStyle] | None, policies: pd.Series) -> dict[str, LineStyle]:
    """Return the styles of `policies`, adding those that `styles` lacks, such as the lower bound's."""
    known = styles or {}
    missing = line_styles(policy for policy in policies if policy not in known)
    return {policy: known.get(policy) or missing[policy] for policy in dict.fromkeys(policies)}


def _with_labels(frame: pd.DataFrame, styles: Mapping[str, LineStyle]) -> pd.DataFrame:
    """Return `frame` with labels instead of policies, as a legend shows the values of its field."""
    return frame.assign(policy=[styles[policy].label for policy in frame["policy"]])


def _hover_points(base: alt.Chart) -> alt.Chart:
    """Return points that are visible only under the pointer."""
    near = alt.selection_point(name="near", nearest=True, on="pointermove", clear="pointerout", empty=False)
    seen = alt.OpacityValue(0, condition={"param": "near", "empty": False, "value": 1})
    dots = base.mark_point(clip=True, filled=True, size=70, aria=False).encode(opacity=seen)
    return dots.add_params(near).properties(name=HOVER)


def _description(curves: pd.DataFrame, title: str, styles: Mapping[str, LineStyle]) -> str:
    last = curves[curves["step"] == curves["step"].max()]
    ends = "; ".join(
        f"{styles[policy].label} {number(mean)}" for policy, mean in zip(last["policy"], last["mean"])
    )
    return f"Curves of {title} against duels, up to {last['step'].iloc[0]:,}. At the end: {ends}."


def _ends(
    curves: pd.DataFrame, view: View, styles: Mapping[str, LineStyle], layout: Layout, known: pd.Series
) -> tuple[pd.DataFrame, float, float]:
    """Return the ends and peaks of the curves, with label positions, and the limits of the y axis.

    `known` are the published values, which the axis includes.
    """
    mean = curves["mean"]
    lowest = min([mean.min(), *known])
    reach = {"error": mean + curves["error"], "quantiles": curves["high"], "none": mean}[view.band]
    curves = curves.assign(peak=reach.fillna(mean))
    ends = curves.groupby("policy", sort=False).agg(end=("mean", "last"), peak=("peak", "max")).reset_index()
    ends["label"] = [styles[policy].label for policy in ends["policy"]]
    ends["peak"] = ends["peak"].clip(lower=max(known, default=None))
    top = axis_top(ends["peak"])
    if view.y == "log":
        low = 10 ** np.floor(np.log10(lowest))
        share = np.log(ends["end"] / low) / np.log(top / low)
    else:  # from zero, unless all values are far above it
        low = 0.0 if lowest < 0.5 * top else lowest - 0.1 * (top - lowest)
        share = (ends["end"] - low) / (top - low)
    return with_label_positions(ends, share, layout), float(low), top


def with_label_positions(ends: pd.DataFrame, share: pd.Series, layout: Layout) -> pd.DataFrame:
    """Return `ends` with columns `at` (end of the curve) and `beside` (its label), in pixels from the top.

    `share` is the height of each end, relative to the plot.
    """
    at = (layout.height * (1 - share)).round(1)
    return ends.assign(at=at, beside=spread_out(at.tolist(), layout.label_gap, 0, layout.height))


def axis_top(peaks: Iterable[float]) -> float:
    """Return the upper end of an axis that shows all `peaks`."""
    return HEADROOM * max(peaks) or 1.0


def spread_out(places: Sequence[float], gap: float, first: float, last: float) -> list[float]:
    """Return `places` moved so that neighbours are at least `gap` apart, within [first, last] if they fit.

    A first pass moves each place down until it is `gap` from the place above. A second pass moves places
    beyond `last` up again, and with them those that are then too close.
    """
    order = np.argsort(places, kind="stable")
    moved = np.array(places, float)
    least = first
    for i in order:
        moved[i] = least = max(moved[i], least)
        least += gap
    most = last
    for i in order[::-1]:
        moved[i] = most = min(moved[i], most)
        most -= gap
    return moved.tolist()


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def end_labels(ends: pd.DataFrame, colour: alt.Color, layout: Layout) -> list[alt.Chart]:
    """Return the labels at the ends of the curves and the lines that connect them.

    Positions are in pixels, so that the script of the page can move them when policies are hidden.
    """
    at, beside = (alt.Y(f"{place}:Q", scale=None, axis=None) for place in ("at", "beside"))
    base = visible(alt.Chart(alt.InlineData(values=_rows(ends), name="ends"))).encode(color=colour)
    limit = alt.ExprRef(f"max({9 * layout.font}, {_LABEL_SHARE} * width)")
    names = base.mark_text(align="left", baseline="middle", dx=12, fontSize=layout.font, limit=limit)
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
    """Return slope * ln(t) at these steps, with the columns of the curves of policies."""
    steps = np.unique(np.asarray(list(steps)))
    unknown = dict.fromkeys(("error", "low", "high"), np.nan)
    return pd.DataFrame({"policy": LOWER_BOUND, "step": steps, "mean": slope * np.log(steps), **unknown})


def regret_chart(
    curves: pd.DataFrame,
    slope: float | None,
    view: View = DEFAULT,
    styles: Mapping[str, LineStyle] | None = None,
    layout: Layout = PAGE,
) -> alt.LayerChart:
    """Return a chart of cumulative regret with the lower bound `slope` * ln(t).

    The bound is left out of a linear axis on which it would be far above the curves.
    """
    if slope is not None and (view.y == "log" or bound_fits(curves, slope)):
        curves = pd.concat([curves, bound_curve(slope, curves["step"])])
    return curve_chart(curves, "cumulative regret", view, styles, layout)


def bound_fits(curves: pd.DataFrame, slope: float) -> bool:
    return slope * np.log(curves["step"].max()) <= 1.5 * curves["mean"].max()


def accuracy_chart(
    curves: pd.DataFrame,
    view: View = DEFAULT,
    styles: Mapping[str, LineStyle] | None = None,
    layout: Layout = PAGE,
    *,
    known: pd.DataFrame | None = None,
) -> alt.LayerChart:
    """Return a chart of the share of runs that recommend the winner.

    `curves` are those of rankduel.experiments.runs.summaries.share_curves; `known` is as for `curve_chart`.
    """
    band = "none" if view.band == "none" else "quantiles"  # columns low and high hold Wilson's interval
    return curve_chart(
        curves,
        "share of runs that recommend the winner",
        View(view.x, "linear", band),
        styles,
        layout,
        interpolate="step-after",
        opacity=0.1,  # the bands of shares are wide and overlap
        tooltip=_SHARE_TOOLTIP,
        axis=alt.Axis(format=".0%", tickCount=5),
        known=known,
    )


_SHARE_TOOLTIP = [
    *_CURVE_TOOLTIP[:2],
    alt.Tooltip("mean:Q", title="recommend the winner", format=".0%"),
    alt.Tooltip("low:Q", title="95 % interval from", format=".0%"),
    alt.Tooltip("high:Q", title="to", format=".0%"),
]


def page_chart(
    curves: pd.DataFrame,
    title: str,
    view: View = DEFAULT,
    styles: Mapping[str, LineStyle] | None = None,
    layout: Layout = PAGE,
) -> alt.LayerChart:
    """Return a chart of NDCG or clicks of the pages, on a linear y axis."""
    return curve_chart(curves, title, view._replace(y="linear"), styles, layout)
