"""The section of a run set: its charts, its table of final results, and the origin of its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from rankduel.bandits import condorcet_winner, lower_bound
from rankduel.experiments.report.charts import curves as curve_charts
from rankduel.experiments.report.charts.curves import View
from rankduel.experiments.report.charts.finals import final_chart
from rankduel.experiments.report.charts.heatmap import MOST_RANKERS, heatmap
from rankduel.experiments.report.charts.parts import PAGE, Layout, estimate_text, number, runs_text
from rankduel.experiments.report.charts.styles import LOWER_BOUND, LineStyle, line_styles
from rankduel.experiments.report.headlines import problem_of, run_set_headline
from rankduel.experiments.report.html import Figure, Section, Table, run_set_html
from rankduel.experiments.report.multileave import is_multileave, multileave_figures, multileave_section
from rankduel.experiments.report.names import ranker_in_words
from rankduel.experiments.runs.columns import Chart, Reported, columns_in
from rankduel.experiments.runs.run_set import RunSet
from rankduel.experiments.runs.summaries import curves, final, share_curves
from rankduel.experiments.statistics import estimate
from rankduel.experiments.winners.certainty import is_undecided

# The values of the setting `about` of a matrix, for readers of a caption.
_MATRIX_METHODS = {"exact": "computed exactly", "given": "read from a file, without intervals"}


def run_set_section(
    name: str,
    run_set: RunSet,
    styles: Mapping[str, LineStyle],
    *,
    with_matrix: bool = True,
    same: Sequence[str] = (),
) -> Section:
    """Return the section of a run set, with the map of its matrix if `with_matrix`.

    `same` are the names of other run sets with the same runs, which have no section.
    """
    if is_multileave(run_set):
        return multileave_section(name, run_set, styles)
    figures = run_set_figures(name, run_set, styles, with_matrix=with_matrix)
    lines = [*run_set.table["policy"].unique(), *([LOWER_BOUND] if bound_slope(run_set) else [])]
    known = {**styles, **line_styles([LOWER_BOUND])}
    chosen = {line: known[line] for line in dict.fromkeys(lines)}
    about = _about(run_set) + (f" {', '.join(same)} has the same runs." if same else "")
    body = run_set_html(about, figures, final_table(run_set, styles), run_set.settings, chosen)
    return Section(run_set.name, f"{name}-section", run_set_headline(run_set, styles), figures, body)


def _about(run_set: RunSet) -> str:
    settings = run_set.settings
    is_live = settings["mode"] == "live"
    decided_by = "simulated clicks (live)" if is_live else "draws from the preference matrix (proxy)"
    runs = runs_text(final(run_set.table)["policy"].value_counts())
    return (
        f"{problem_of(run_set)}: {len(run_set.preferences)} rankers, {settings['horizon']:,} duels decided "
        f"by {decided_by}, {runs} of each policy.{_unmeasured(settings)}"
    )


def _unmeasured(settings: Mapping[str, Any]) -> str:
    is_unmeasured = settings.get("arena", {}).get("measure") == "none"
    return " NDCG and clicks of the pages were not measured (--measure none)." if is_unmeasured else ""


def run_set_figures(
    name: str,
    run_set: RunSet,
    styles: Mapping[str, LineStyle] | None = None,
    *,
    with_matrix: bool = True,
    order: Sequence[str] | None = None,
) -> list[Figure]:
    """Return all charts of a run set; the chart of final results lists the policies in `order` if given."""
    styles = styles or line_styles(run_set.table["policy"].unique())
    if is_multileave(run_set):
        return multileave_figures(name, run_set, styles)
    table = run_set.table
    found = [
        _regret_figure(name, run_set, styles),
        _accuracy_figure(name, run_set, styles),
        _final_figure(name, run_set, styles, order),
        *(_page_figure(name, run_set, one.name, one.chart, styles) for one in columns_in(table) if one.chart),
    ]
    return [*found, _matrix_figure(name, run_set)] if with_matrix else found


def bound_slope(run_set: RunSet) -> float | None:
    """Return the slope C* of the lower bound of Komiyama et al. (COLT 2015); None if it does not exist."""
    matrix = run_set.preferences.matrix
    is_condorcet = (
        condorcet_winner(matrix) >= 0 and run_set.settings.get("regret", "condorcet") == "condorcet"
    )
    slope = lower_bound(matrix)[0] if is_condorcet else np.inf
    return slope if 0 < slope < np.inf else None


def _regret_figure(name: str, run_set: RunSet, styles: Mapping[str, LineStyle]) -> Figure:
    drawn = curves(run_set.table, "regret")
    slope = bound_slope(run_set)
    caption = (
        "Cumulative regret, mean over the runs. The band is one standard error unless another is chosen."
    )
    if slope is not None:
        caption += (
            f" Dotted: C* ln t with C* = {number(slope)}, the asymptotic lower bound of Komiyama et al. "
            "(COLT 2015). It bounds the growth of the regret of every consistent policy as t grows; at "
            "small t a policy may be below it."
        )
    if slope is not None and not curve_charts.bound_fits(drawn, slope):
        end = slope * np.log(drawn["step"].max())
        caption += f" It ends at {end:,.0f}, far above the curves, and is drawn on the logarithmic axis only."

    def make(view: View, layout: Layout = PAGE) -> alt.LayerChart:
        return curve_charts.regret_chart(drawn, slope, view, styles, layout)

    return Figure(f"{name}-regret", "Regret", caption, make, ("x", "y", "band"))


def _accuracy_figure(name: str, run_set: RunSet, styles: Mapping[str, LineStyle]) -> Figure:
    drawn = share_curves(run_set.table, "correct")
    caption = (
        "Share of runs whose recommendation at that step is the winner, or one of several winners. The "
        "band is the 95 % interval of the share (Wilson)."
    )

    def make(view: View, layout: Layout = PAGE) -> alt.LayerChart:
        return curve_charts.accuracy_chart(drawn, view, styles, layout)

    return Figure(f"{name}-accuracy", "Accuracy", caption, make, ("x", "band"))


def _final_figure(
    name: str, run_set: RunSet, styles: Mapping[str, LineStyle], order: Sequence[str] | None
) -> Figure:
    duels = f"{run_set.settings['horizon']:,} duels"
    caption = "Ticks: single runs. Dot, bar and numbers: the mean of the runs and its 95 % interval."

    def make(view: View, layout: Layout = PAGE) -> alt.LayerChart:
        return final_chart(run_set.table, "regret", f"regret after {duels}", styles, layout, order)

    return Figure(f"{name}-final-regret", f"Regret after {duels}", caption, make)


def _page_figure(
    name: str, run_set: RunSet, column: str, chart: Chart, styles: Mapping[str, LineStyle]
) -> Figure:
    length = run_set.settings.get("arena", {}).get("length")
    title, axis = (text.format(at=f"@{length}" if isinstance(length, int) else "") for text in chart)
    caption = (
        "Mean over the pages shown to users since the previous point of the curve, while the policy learns. "
        "The band is one standard error unless another is chosen."
    )
    drawn = curves(run_set.table, column)

    def make(view: View, layout: Layout = PAGE) -> alt.LayerChart:
        return curve_charts.page_chart(drawn, axis, view, styles, layout)

    return Figure(f"{name}-{column}", title, caption, make, ("x", "band"))


def _matrix_figure(name: str, run_set: RunSet) -> Figure:
    preferences = run_set.preferences
    winner = condorcet_winner(preferences.matrix)
    framed = [preferences.names[winner]] if winner >= 0 else []
    about = run_set.settings["matrix"].get("about", "given")
    caption = "Probability that the ranker of the row beats the ranker of the column"
    caption += f" ({_MATRIX_METHODS.get(about, about)}). "
    caption += (
        f"Framed: {ranker_in_words(preferences, framed[0])}, the Condorcet winner."
        if framed
        else "There is no Condorcet winner."
    )
    undecided = int(is_undecided(preferences).sum()) // 2
    if undecided:
        pairs = f"{undecided:,} of {len(preferences.pairs):,} pairs"
        caption += f" Pale and hatched: {pairs} whose interval contains 1/2, so that either may be better."
    if len(preferences) > MOST_RANKERS:
        caption += f" Shown: the {MOST_RANKERS} of {len(preferences)} rankers that beat the most others."

    def make(view: View, layout: Layout = PAGE) -> alt.LayerChart:
        return heatmap(preferences, framed, layout)

    return Figure(f"{name}-matrix", "Preference matrix", caption, make)


def final_table(
    run_set: RunSet, styles: Mapping[str, LineStyle], order: Sequence[str] | None = None
) -> Table:
    """Return a table of the results at the horizon, one row per policy, in `order` or by mean regret."""
    columns = [(one.name, one.reported) for one in columns_in(run_set.table) if one.reported]
    groups = {str(policy): group for policy, group in final(run_set.table).groupby("policy", sort=False)}
    rows = [
        (full_label(policy, styles), *_final_row(groups[policy], columns))
        for policy in order or groups
        if policy in groups
    ]
    caption = f"After {run_set.settings['horizon']:,} duels: mean [95 % interval] over the runs"
    notion = str(run_set.settings.get("regret", "condorcet"))
    notion = f"{notion[:1].upper()}{notion[1:]}"
    note = " ".join(one.note.format(notion=notion) for _, one in columns)
    return Table(caption, ("policy", "runs", *_headings(columns)), rows, note)


_Columns = Sequence[tuple[str, Reported]]  # names of columns, and how they are reported


def _headings(columns: _Columns) -> list[str]:
    """Return the headings of the columns; beside the mean regret is its median."""
    return [
        heading
        for name, one in columns
        for heading in (one.heading, *(["median regret"] if name == "regret" else []))
    ]


def full_label(policy: str, styles: Mapping[str, LineStyle]) -> str:
    """Return the label of a policy, with its settings."""
    label, settings = styles[policy].label, policy.partition("(")[2]
    return f"{label} ({settings}" if settings and settings not in label else label


def _is_known(group: pd.DataFrame, column: str) -> bool:
    """Return whether every run has a number; pages of more than two rankers have no weak regret."""
    return column in group and bool(group[column].notna().all())


def _mean_with_interval(group: pd.DataFrame, column: str) -> str:
    return estimate_text(estimate(group[column])) if _is_known(group, column) else "–"


def _mean_count(group: pd.DataFrame, column: str) -> str:
    return f"{group[column].mean():,.0f}" if _is_known(group, column) else "–"


_FORMS = {
    "interval": _mean_with_interval,
    "count": _mean_count,
    "share": lambda group, column: f"{group[column].mean():.0%}",
    "seconds": lambda group, column: number(group[column].mean(), 3),
}


def _final_row(group: pd.DataFrame, columns: _Columns) -> tuple[str, ...]:
    cells = [str(len(group))]
    for name, one in columns:
        cells.append(_FORMS[one.form](group, name))
        if name == "regret":
            cells.append(number(group["regret"].median()))
    return tuple(cells)
