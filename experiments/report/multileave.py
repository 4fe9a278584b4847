"""The multileave panel of a report: how soon pages shared by all rankers order every pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from experiments.report.charts.curves import View, end_labels, highest, placed
from experiments.report.charts.looks import Look, looks
from experiments.report.charts.parts import (
    HIDDEN,
    PAGE,
    Sheet,
    counts_axis,
    inline,
    layered,
    number,
    policy_scales,
    runs_in_words,
    scale_of,
    visible,
)
from experiments.report.html import Figure, Section, Table, run_set_html
from experiments.runs.multileave_error import (
    LIMITS,
    MODE,
    decades,
    error_at,
    error_text,
    impressions_until,
    until_text,
)
from experiments.runs.records import RunSet
from experiments.runs.summaries import curves
from rankduel.base.text import counted

_CAPTION = (
    "The share of pairs of rankers that are in the wrong order so far (E_bin of Schuth et al., CIKM 2014; a "
    "pair without a leader is half wrong): the mean over the runs, with a band of one standard error. All "
    "rankers share every page, except for the random pairs, where each page is interleaved from two rankers."
)
_EXPLAINED = (
    "After: the share after so many impressions, mean ± standard error. Below: from how many "
    "impressions on fewer than that share were wrong until the end, the median of the runs. The right order "
    "is that of the matrix of pairwise interleaving; pairs that tie there are left out. A method need not "
    "come down to zero: even in the long run multileaving may prefer another ranker than interleaving does, "
    "and a pair may be too close for the matrix itself."
)


def is_multileave(run_set: RunSet) -> bool:
    return run_set.settings.get("mode") == MODE


def multileave_section(name: str, run_set: RunSet, shown: Mapping[str, Look]) -> Section:
    figures = multileave_figures(name, run_set, shown)
    named = run_set.table.assign(policy=[shown[method].label for method in run_set.table["policy"]])
    used = {method: shown[method] for method in dict.fromkeys(run_set.table["policy"])}
    table = error_table(run_set.table, shown)
    body = run_set_html(_about(run_set), figures, table, run_set.settings, used)
    return Section(run_set.name, f"{name}-section", headline(named), figures, body)


def multileave_figures(name: str, run_set: RunSet, shown: Mapping[str, Look] | None = None) -> list[Figure]:
    found = curves(run_set.table, "e_bin")

    def make(view: View, sheet: Sheet = PAGE) -> alt.LayerChart:
        return error_chart(found, shown, sheet)

    return [Figure(f"{name}-e-bin", "Pairs in the wrong order", _CAPTION, make)]


def _about(run_set: RunSet) -> str:
    to_order = int((run_set.preferences.pairs["p"] != 0.5).sum())
    runs = runs_in_words(run_set.table.groupby("policy")["run"].nunique())
    return (
        f"{run_set.settings.get('problem', run_set.name)}: "
        f"{counted(len(run_set.preferences), 'ranker')}, {counted(to_order, 'pair')} to order, "
        f"{counted(run_set.settings['horizon'], 'impression')}, "
        f"{runs} of each method."
    )


def headline(table: pd.DataFrame) -> str:
    """Say which method has the fewest pairs wrong at the end, and which had few first."""
    last, limit = int(table["step"].max()), LIMITS[0]
    runs = {str(name): group for name, group in table.groupby("policy", sort=False)}
    wrong = {name: error_at(group, last)[0] for name, group in runs.items()}
    best = [name for name in wrong if wrong[name] == min(wrong.values())]
    text = f"After {counted(last, 'impression')} the fewest pairs in the wrong order are those of "
    text += f"{' and '.join(best)}: "
    text += f"{error_text(runs[best[0]], last)} %."
    needed = {name: impressions_until(group, limit) for name, group in runs.items()}
    first = min(needed, key=lambda name: needed[name])
    below = f"below {100 * limit:.0f} %"
    if np.isinf(needed[first]):
        return f"{text} No method stayed {below}."
    return f"{text} {first} was the first to stay {below}, from {needed[first]:,.0f} impressions on."


def error_table(table: pd.DataFrame, shown: Mapping[str, Look]) -> Table:
    """Return how many pairs are wrong after 10, 100, ... impressions, a row a method."""
    steps = decades(int(table["step"].max()))
    headings = ["method", "runs", *(f"after {step:,}" for step in steps)]
    headings += [f"below {100 * limit:.0f} %" for limit in LIMITS]
    rows = [
        (
            shown[str(name)].label,
            str(runs["run"].nunique()),
            *(error_text(runs, step) for step in steps),
            *(until_text(runs, limit) for limit in LIMITS),
            number(runs.groupby("run")["seconds"].first().mean(), 3),
        )
        for name, runs in table.groupby("policy", sort=False)
    ]
    caption = "Pairs in the wrong order, in %, and impressions needed"
    return Table(caption, [*headings, "s per run"], rows, _EXPLAINED)


def error_chart(
    found: pd.DataFrame, shown: Mapping[str, Look] | None = None, sheet: Sheet = PAGE
) -> alt.LayerChart:
    """E_bin over impressions, a line with a band for each method, named at its end."""
    shown = shown or looks(found["policy"])
    colour, dash = policy_scales(shown)
    top = highest((found["mean"] + found["error"].fillna(0)).tolist())
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
    line = base.mark_line(strokeWidth=sheet.line, clip=True)
    ends = found.groupby("policy", sort=False).agg(end=("mean", "last")).reset_index()
    ends["label"] = [shown[policy].label for policy in ends["policy"]]
    return layered(
        [
            band.encode(y=alt.Y("bottom:Q", **y), y2=alt.Y2("top")),
            line.encode(y=alt.Y("mean:Q", **y), strokeDash=dash, tooltip=_TOOLTIP),
            *end_labels(placed(ends, ends["end"] / top, sheet), colour, sheet),
        ],
        [HIDDEN],
        sheet,
        description=_in_words(found),
    )


def _in_words(found: pd.DataFrame) -> str:
    last = found[found["step"] == found["step"].max()]
    ends = "; ".join(f"{name} {mean:.1%}" for name, mean in zip(last["policy"], last["mean"]))
    steps = f"{last['step'].iloc[0]:,}"
    return f"Share of pairs in the wrong order against impressions, up to {steps}. At the end: {ends}."


_TOOLTIP = [
    alt.Tooltip("policy:N", title="method"),
    alt.Tooltip("step:Q", title="impressions", format=","),
    alt.Tooltip("mean:Q", title="wrong pairs", format=".1%"),
    alt.Tooltip("error:Q", title="standard error", format=".1%"),
]
