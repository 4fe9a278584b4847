"""Final results: a line for each policy, each run a tick, the mean with its interval and in figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from experiments.report.charts.looks import INK, Look, looks
from experiments.report.charts.parts import (
    HIDDEN,
    PAGE,
    Sheet,
    counts_axis,
    in_figures,
    inline,
    layered,
    policy_scales,
    scale_of,
    visible,
)
from experiments.runs.summaries import final, final_estimates

_FAR = 20  # a largest mean so many times the smallest asks for a logarithmic axis


def final_chart(
    table: pd.DataFrame,
    column: str,
    title: str,
    shown: Mapping[str, Look] | None = None,
    sheet: Sheet = PAGE,
    order: Sequence[str] | None = None,
) -> alt.LayerChart:
    """One line per policy at the horizon, in this order; else the policy with the least regret first."""
    estimates = final_estimates(table, column)
    shown = shown or looks(table["policy"])
    order = [policy for policy in order or estimates if policy in estimates]
    means = pd.DataFrame(
        {"policy": policy, "place": place, **estimates[policy]._asdict()}
        for place, policy in enumerate(order)
    )
    means["figures"] = [in_figures(estimates[policy]) for policy in order]
    means["label"] = [shown[policy].label for policy in order]
    runs = final(table)[["policy", column]].rename(columns={column: "value"}).dropna()
    runs = runs.assign(
        label=[shown[policy].label for policy in runs["policy"]],
        place=[order.index(policy) for policy in runs["policy"]],
    )
    colour, _ = policy_scales({policy: shown[policy] for policy in order})
    axis = alt.Axis(ticks=False, domain=False, labelLimit=16 * sheet.font)
    # By place, not by a list of names: Vega looks these up in an object, which has some of its own.
    y = alt.Y("label:N", sort=alt.EncodingSortField("place", op="min"), title=None, axis=axis)
    kind = "log" if runs["value"].min() > 0 and means["mean"].max() > _FAR * means["mean"].min() else "linear"
    title = f"{title} (log scale)" if kind == "log" else title
    scale = scale_of(kind, domainMin=0 if kind == "linear" else 0.9 * float(runs["value"].min()))
    ticks = visible(alt.Chart(inline(runs))).mark_tick(opacity=0.45, thickness=1, size=sheet.font)
    spans = visible(alt.Chart(inline(means))).encode(y=y, color=colour, tooltip=_tooltip(title))
    x = alt.X("mean:Q", title=title, scale=scale, axis=counts_axis(kind, (1, 2, 5)))
    return layered(
        [
            ticks.encode(x=alt.X("value:Q", title=title, scale=scale), y=y, color=colour),
            spans.mark_rule(strokeWidth=1.2 * sheet.line, clip=True).encode(
                x=alt.X("low:Q", title=title, scale=scale), x2="high:Q"
            ),
            spans.mark_point(filled=True, size=40 * sheet.line, opacity=1).encode(x=x),
            spans.mark_text(align="left", dx=sheet.font, fontSize=sheet.font).encode(
                x=alt.value("width"), text="figures:N", color=alt.value(INK)
            ),
        ],
        [HIDDEN],
        sheet,
        width=0.8 * sheet.width,
        height=alt.Step(2.4 * sheet.font),
        description=_in_words(means, title),
    )


def _tooltip(title: str) -> list[alt.Tooltip]:
    return [alt.Tooltip("policy:N"), alt.Tooltip("figures:N", title=f"{title}, mean and 95 % interval")]


def _in_words(means: pd.DataFrame, title: str) -> str:
    lines = "; ".join(f"{label} {text}" for label, text in zip(means["label"], means["figures"]))
    return f"Means and 95 % intervals of {title}: {lines}."
