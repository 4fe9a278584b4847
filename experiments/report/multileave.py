"""The section of a multileaving run set: the share of ranker pairs in the wrong order over impressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from rankduel.base.text import counted
from rankduel.experiments.multileaving import (
    LIMITS,
    MODE,
    decades,
    error_at,
    error_text,
    impressions_until,
    until_text,
)
from rankduel.experiments.report.charts.curves import View, axis_top, end_labels, with_label_positions
from rankduel.experiments.report.charts.parts import (
    HIDDEN,
    PAGE,
    Layout,
    counts_axis,
    inline,
    layered,
    number,
    policy_scales,
    runs_text,
    scale_of,
    visible,
)
from rankduel.experiments.report.charts.styles import LineStyle, line_styles
from rankduel.experiments.report.html import Figure, Section, Table, run_set_html
from rankduel.experiments.runs.run_set import RunSet
from rankduel.experiments.runs.summaries import curves

_CAPTION = (
    "Share of ranker pairs in the wrong order (E_bin of Schuth et al., CIKM 2014; a pair without a leader "
    "counts one half), mean over the runs. The band is one standard error. All rankers share every page, "
    "except with random pairs, where each page is interleaved from two rankers."
)
_NOTE = (
    "After n: share of pairs in the wrong order after n impressions, mean ± standard error, in percent. "
    "Below x %: number of impressions after which the share stayed below x % to the end, median of the "
    "runs. The correct order is that of the preference matrix of pairwise interleaving; pairs that tie in "
    "the matrix are left out. The share need not reach zero: multileaving and pairwise interleaving may "
    "prefer different rankers, and the matrix may not decide a close pair."
)


def is_multileave(run_set: RunSet) -> bool:
    return run_set.settings.get("mode") == MODE


def multileave_section(name: str, run_set: RunSet, styles: Mapping[str, LineStyle]) -> Section:
    figures = multileave_figures(name, run_set, styles)
    named = run_set.table.assign(policy=[styles[method].label for method in run_set.table["policy"]])
    used = {method: styles[method] for method in dict.fromkeys(run_set.table["policy"])}
    table = error_table(run_set.table, styles)
    body = run_set_html(_about(run_set), figures, table, run_set.settings, used)
    return Section(run_set.name, f"{name}-section", headline(named), figures, body)


def multileave_figures(
    name: str, run_set: RunSet, styles: Mapping[str, LineStyle] | None = None
) -> list[Figure]:
    found = curves(run_set.table, "e_bin")

    def make(view: View, layout: Layout = PAGE) -> alt.LayerChart:
        return error_chart(found, styles, layout)

    return [Figure(f"{name}-e-bin", "Pairs in the wrong order", _CAPTION, make)]


def _about(run_set: RunSet) -> str:
    to_order = int((run_set.preferences.pairs["p"] != 0.5).sum())
    runs = runs_text(run_set.table.groupby("policy")["run"].nunique())
    return (
        f"{run_set.settings.get('problem', run_set.name)}: "
        f"{counted(len(run_set.preferences), 'ranker')}, {counted(to_order, 'pair')} to order, "
        f"{counted(run_set.settings['horizon'], 'impression')}, "
        f"{runs} of each method."
    )


def headline(table: pd.DataFrame) -> str:
    """Return sentences: the method with the fewest wrong pairs at the end, and the first to have few."""
    last, limit = int(table["step"].max()), LIMITS[0]
    runs = {str(name): group for name, group in table.groupby("policy", sort=False)}
    wrong = {name: error_at(group, last)[0] for name, group in runs.items()}
    best = [name for name in wrong if wrong[name] == min(wrong.values())]
    text = f"After {counted(last, 'impression')}, {' and '.join(best)} "
    text += f"{'has' if len(best) == 1 else 'have'} the fewest pairs in the wrong order: "
    text += f"{error_text(runs[best[0]], last)} %."
    needed = {name: impressions_until(group, limit) for name, group in runs.items()}
    first = min(needed, key=lambda name: needed[name])
    below = f"below {100 * limit:.0f} %"
    if np.isinf(needed[first]):
        return f"{text} No method stayed {below}."
    return f"{text} {first} was the first to stay {below}, after {needed[first]:,.0f} impressions."


def error_table(table: pd.DataFrame, styles: Mapping[str, LineStyle]) -> Table:
    """Return a table of the share of wrong pairs after 10, 100, ... impressions, one row per method."""
    steps = decades(int(table["step"].max()))
    headings = ["method", "runs", *(f"after {step:,}" for step in steps)]
    headings += [f"below {100 * limit:.0f} % after" for limit in LIMITS]
    rows = [
        (
            styles[str(name)].label,
            str(runs["run"].nunique()),
            *(error_text(runs, step) for step in steps),
            *(until_text(runs, limit) for limit in LIMITS),
            number(runs.groupby("run")["seconds"].first().mean(), 3),
        )
        for name, runs in table.groupby("policy", sort=False)
    ]
    caption = "Pairs in the wrong order, in percent, and impressions needed to stay below a share"
    return Table(caption, [*headings, "seconds per run"], rows, _NOTE)


def error_chart(
    found: pd.DataFrame, styles: Mapping[str, LineStyle] | None = None, layout: Layout = PAGE
) -> alt.LayerChart:
    """Return a chart of E_bin over impressions: a line with a band per method, labelled at its end."""
    styles = styles or line_styles(found["policy"])
    colour, dash = policy_scales(styles)
    top = axis_top((found["mean"] + found["error"].fillna(0)).tolist())
    x = alt.X("step:Q", title="impressions", scale=scale_of("log"), axis=counts_axis("log"))
    y: dict[str, Any] = {
        "title": "pairs in the wrong order",
        "scale": scale_of("linear", domain=[0, top]),
        "axis": alt.Axis(format=".0%", tickCount=6),
    }
    base = visible(alt.Chart(inline(found))).encode(x=x, color=colour)
    band = base.transform_calculate(
        bottom="max(datum.mean - datum.error, 0)", top="datum.mean + datum.error"
    ).mark_area(opacity=0.18, clip=True)
    line = base.mark_line(strokeWidth=layout.line, clip=True)
    ends = found.groupby("policy", sort=False).agg(end=("mean", "last")).reset_index()
    ends["label"] = [styles[policy].label for policy in ends["policy"]]
    return layered(
        [
            band.encode(y=alt.Y("bottom:Q", **y), y2=alt.Y2("top")),
            line.encode(y=alt.Y("mean:Q", **y), strokeDash=dash, tooltip=_TOOLTIP),
            *end_labels(with_label_positions(ends, ends["end"] / top, layout), colour, layout),
        ],
        [HIDDEN],
        layout,
        description=_description(found),
    )


def _description(found: pd.DataFrame) -> str:
    last = found[found["step"] == found["step"].max()]
    ends = "; ".join(f"{name} {mean:.1%}" for name, mean in zip(last["policy"], last["mean"]))
    steps = f"{last['step'].iloc[0]:,}"
    return f"Share of pairs in the wrong order against impressions, up to {steps}. At the end: {ends}."


_TOOLTIP = [
    alt.Tooltip("policy:N", title="method"),
    alt.Tooltip("step:Q", title="impressions", format=","),
    alt.Tooltip("mean:Q", title="pairs in the wrong order", format=".1%"),
    alt.Tooltip("error:Q", title="standard error", format=".1%"),
]
