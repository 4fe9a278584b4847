"""Chart of final results: a row per policy with single runs, their mean, and its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from rankduel.experiments.report.charts.parts import (
    HIDDEN,
    PAGE,
    Layout,
    counts_axis,
    estimate_text,
    inline,
    layered,
    policy_scales,
    scale_of,
    visible,
)
from rankduel.experiments.report.charts.styles import INK, LineStyle, line_styles
from rankduel.experiments.runs.summaries import final, final_estimates

_LOG_RATIO = 20  # use a logarithmic axis if the largest mean exceeds the smallest by this factor


def final_chart(
    table: pd.DataFrame,
    column: str,
    title: str,
    styles: Mapping[str, LineStyle] | None = None,
    layout: Layout = PAGE,
    order: Sequence[str] | None = None,
) -> alt.LayerChart:
    """Return a chart of `column` at the horizon, a row per policy, in `order` or the least mean first."""
    estimates = final_estimates(table, column)
    styles = styles or line_styles(table["policy"])
    order = [policy for policy in order or estimates if policy in estimates]
    means = pd.DataFrame(
        {"policy": policy, "place": place, **estimates[policy]._asdict()}
        for place, policy in enumerate(order)
    )
    means["figures"] = [estimate_text(estimates[policy]) for policy in order]
    means["label"] = [styles[policy].label for policy in order]
    runs = final(table)[["policy", column]].rename(columns={column: "value"}).dropna()
    runs = runs.assign(
        label=[styles[policy].label for policy in runs["policy"]],
        place=[order.index(policy) for policy in runs["policy"]],
    )
    colour, _ = policy_scales({policy: styles[policy] for policy in order})
    axis = alt.Axis(ticks=False, domain=False, labelLimit=16 * layout.font)
    # Sort by a number, not by a list of names: Vega looks names up in a JavaScript object, which has keys
    # such as 'constructor' already.
    y = alt.Y("label:N", sort=alt.EncodingSortField("place", op="min"), title=None, axis=axis)
    is_wide = runs["value"].min() > 0 and means["mean"].max() > _LOG_RATIO * means["mean"].min()
    kind = "log" if is_wide else "linear"
    title = f"{title} (log scale)" if kind == "log" else title
    scale = scale_of(kind, domainMin=0 if kind == "linear" else 0.9 * float(runs["value"].min()))
    ticks = visible(alt.Chart(inline(runs))).mark_tick(opacity=0.45, thickness=1, size=layout.font)
    spans = visible(alt.Chart(inline(means))).encode(y=y, color=colour, tooltip=_tooltip(title))
    x = alt.X("mean:Q", title=title, scale=scale, axis=counts_axis(kind, (1, 2, 5)))
    return layered(
        [
            ticks.encode(x=alt.X("value:Q", title=title, scale=scale), y=y, color=colour),
            spans.mark_rule(strokeWidth=1.2 * layout.line, clip=True).encode(
                x=alt.X("low:Q", title=title, scale=scale), x2="high:Q"
            ),
            spans.mark_point(filled=True, size=40 * layout.line, opacity=1).encode(x=x),
            spans.mark_text(align="left", dx=layout.font, fontSize=layout.font).encode(
                x=alt.value("width"), text="figures:N", color=alt.value(INK)
            ),
        ],
        [HIDDEN],
        layout,
        width=0.8 * layout.width,
        height=alt.Step(2.4 * layout.font),
        description=_description(means, title),
    )


def _tooltip(title: str) -> list[alt.Tooltip]:
    return [alt.Tooltip("policy:N"), alt.Tooltip("figures:N", title=f"{title}, mean and 95 % interval")]


def _description(means: pd.DataFrame, title: str) -> str:
    lines = "; ".join(f"{label} {text}" for label, text in zip(means["label"], means["figures"]))
    return f"Means and 95 % intervals of {title}: {lines}."
