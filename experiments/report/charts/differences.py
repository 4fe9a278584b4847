"""Chart of the difference between live and proxy regret, with its interval, a panel per policy."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import pandas as pd

from rankduel.experiments.report.charts.parts import PAGE, Layout, counts_axis, house_style, inline, scale_of
from rankduel.experiments.report.charts.styles import PALE, LineStyle, line_styles
from rankduel.experiments.runs.summaries import thinned

_COLUMNS = 3
_NARROWEST = 9  # least width of a panel, in font sizes


def difference_chart(
    by_step: pd.DataFrame, styles: Mapping[str, LineStyle] | None = None, layout: Layout = PAGE
) -> alt.FacetChart:
    """Return a chart of live minus proxy regret, in percent of the final proxy regret, a panel per policy.

    `by_step` is the field of rankduel.experiments.runs.compare.Comparison.
    """
    styles = styles or line_styles(by_step["policy"])
    parts = _in_percent(by_step)
    drawn = list(dict.fromkeys(parts["policy"]))
    parts = parts.assign(
        label=[styles[policy].label for policy in parts["policy"]],
        place=[drawn.index(policy) for policy in parts["policy"]],
    )
    colours = alt.Scale(domain=drawn, range=[styles[policy].colour for policy in drawn])
    base = alt.Chart().encode(
        x=alt.X("step:Q", title="duels", scale=scale_of("log"), axis=counts_axis("log")),
        color=alt.Color("policy:N", scale=colours, legend=None),
    )
    title = "live - proxy, % of final regret"
    axis = alt.Axis(labelExpr="datum.value ? format(datum.value, '+,~r') : '0'", tickCount=5)
    panel = alt.layer(
        _zero_line(),
        base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", title=title, axis=axis), y2=alt.Y2("high")),
        base.mark_line(strokeWidth=layout.line).encode(y=alt.Y("mean:Q", title=title), tooltip=_TOOLTIP),
    )
    columns = max(1, min(_COLUMNS, len(drawn), int(layout.width // (_NARROWEST * layout.font))))
    panel = panel.properties(width=layout.width / columns, height=0.5 * layout.height)
    # Sort by a number, not by a list of names: Vega looks names up in a JavaScript object, which has keys
    # such as 'constructor' already.
    panels = alt.Facet("label:N", title=None, sort=alt.EncodingSortField("place", op="min"))
    chart = panel.facet(facet=panels, columns=columns, data=inline(parts))
    chart = chart.resolve_axis(x="independent")
    description = (
        "Live minus proxy regret against duels, in percent of the final proxy regret, a panel per policy."
    )
    return chart.properties(description=description, config=house_style(layout))


def _zero_line() -> alt.Chart:
    return alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=PALE).encode(y="zero:Q")


def _in_percent(by_step: pd.DataFrame) -> pd.DataFrame:
    """Return columns policy, step, mean, low, high, in percent of the policy's final proxy regret."""
    kept = by_step[by_step["step"].isin(thinned(by_step["step"].to_numpy()))]
    last = by_step[by_step["step"] == by_step["step"].max()].set_index("policy")["proxy"]
    whole = kept["policy"].map(last).clip(lower=1e-12)
    columns = {"mean": "difference", "low": "lo", "high": "hi"}
    found = {name: 100 * kept[column] / whole for name, column in columns.items()}
    return kept[["policy", "step"]].assign(**found)


_TOOLTIP = [
    alt.Tooltip("policy:N"),
    alt.Tooltip("step:Q", title="duels", format=","),
    alt.Tooltip("mean:Q", title="live - proxy, %", format="+.1f"),
    alt.Tooltip("low:Q", title="95 % interval from", format="+.1f"),
    alt.Tooltip("high:Q", title="to", format="+.1f"),
]
