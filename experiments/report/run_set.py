"""The section of a run set: its charts, the table of final results, and how the records were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from bandits import condorcet_winner, lower_bound
from experiments.report.answers import answer, problem_of
from experiments.report.charts import curves as curve_charts
from experiments.report.charts.curves import View
from experiments.report.charts.finals import final_chart
from experiments.report.charts.heatmap import MOST_RANKERS, heatmap
from experiments.report.charts.looks import LOWER_BOUND, Look, looks
from experiments.report.charts.parts import PAGE, Sheet, in_figures, number, runs_in_words
from experiments.report.html import Figure, Section, Table, run_set_html
from experiments.report.multileave import is_multileave, multileave_figures, multileave_section
from experiments.report.names import ranker_in_words
from experiments.runs.records import RunSet
from experiments.runs.summaries import curves, final, share_curves
from experiments.statistics import estimate
from experiments.winners.certainty import is_undecided

_HEADINGS = (
    "policy", "runs", "regret", "median", "weak regret", "non-winner duels", "real duels", "right",
    "seconds per run",
)  # fmt: skip


def run_set_section(
    name: str,
    run_set: RunSet,
    shown: Mapping[str, Look],
    *,
    with_matrix: bool = True,
    same: Sequence[str] = (),
) -> Section:
    """Return the section of a run set; its matrix may be shown by another section.

    `same` are other run sets with the same runs, which have no section.
    """
    if is_multileave(run_set):
        return multileave_section(name, run_set, shown)
    figures = run_set_figures(name, run_set, shown, with_matrix=with_matrix)
    lines = [*run_set.table["policy"], *([LOWER_BOUND] if bound_slope(run_set) else [])]
    known = {**shown, **looks([LOWER_BOUND])}
    chosen = {line: known[line] for line in dict.fromkeys(lines)}
    about = _about(run_set) + (f" {', '.join(same)} has the same runs." if same else "")
    body = run_set_html(about, figures, final_table(run_set, shown), run_set.settings, chosen)
    return Section(run_set.name, f"{name}-section", answer(run_set, shown), figures, body)


def _about(run_set: RunSet) -> str:
    settings = run_set.settings
    against = "simulated clicks (live)" if settings["mode"] == "live" else "draws from the matrix (proxy)"
    runs = runs_in_words(final(run_set.table)["policy"].value_counts())
    return (
        f"{problem_of(run_set)}: {len(run_set.preferences)} rankers, {settings['horizon']:,} duels against "
        f"{against}, {runs} of each policy.{_unmeasured(settings)}"
    )


def _unmeasured(settings: Mapping[str, Any]) -> str:
    is_unmeasured = settings.get("arena", {}).get("measure") == "none"
    return " NDCG and clicks of the pages were not measured (--measure none)." if is_unmeasured else ""


def run_set_figures(
    name: str,
    run_set: RunSet,
    shown: Mapping[str, Look] | None = None,
    *,
    with_matrix: bool = True,
    order: Sequence[str] | None = None,
) -> list[Figure]:
    """Return all charts of a run set, with policies as `shown`; final results in this order if given."""
    shown = shown or looks(run_set.table["policy"])
    if is_multileave(run_set):
        return multileave_figures(name, run_set, shown)
    table = run_set.table
    found = [
        _regret_figure(name, run_set, shown),
        _accuracy_figure(name, run_set, shown),
        _final_figure(name, run_set, shown, order),
        *(_page_figure(name, run_set, column, shown) for column in ("ndcg", "clicks") if column in table),
    ]
    return [*found, _matrix_figure(name, run_set)] if with_matrix else found


def bound_slope(run_set: RunSet) -> float | None:
    """C* of Komiyama et al., where it is defined and finite."""
    matrix = run_set.preferences.matrix
    is_condorcet = (
        condorcet_winner(matrix) >= 0 and run_set.settings.get("regret", "condorcet") == "condorcet"
    )
    slope = lower_bound(matrix)[0] if is_condorcet else np.inf
    return slope if 0 < slope < np.inf else None


def _regret_figure(name: str, run_set: RunSet, shown: Mapping[str, Look]) -> Figure:
    drawn = curves(run_set.table, "regret")
    slope = bound_slope(run_set)
    caption = "Mean over the runs of the regret so far, with a band of one standard error if not changed."
    if slope is not None:
        caption += (
            f" Dotted: C* ln t with C* = {number(slope)}, the information-theoretic lower bound of Komiyama "
            "et al. (COLT 2015). It is a slope, which in the long run no consistent policy beats, and not a "
            "floor: at small t good policies are below it."
        )
    if slope is not None and not curve_charts.bound_fits(drawn, slope):
        end = slope * np.log(drawn["step"].max())
        caption += f" It ends at {end:,.0f}, far above the curves, so only the logarithmic axis shows it."

    def make(view: View, sheet: Sheet = PAGE) -> alt.LayerChart:
        return curve_charts.regret_chart(drawn, slope, view, shown, sheet)

    return Figure(f"{name}-regret", "Regret", caption, make, ("x", "y", "band"))


def _accuracy_figure(name: str, run_set: RunSet, shown: Mapping[str, Look]) -> Figure:
    drawn = share_curves(run_set.table, "correct")
    caption = (
        "The share of runs that, asked at that moment, recommend the winner, or one of several, with a band "
        "of its 95 % interval (Wilson)."
    )

    def make(view: View, sheet: Sheet = PAGE) -> alt.LayerChart:
        return curve_charts.accuracy_chart(drawn, view, shown, sheet)

    return Figure(f"{name}-accuracy", "Accuracy", caption, make, ("x", "band"))


def _final_figure(
    name: str, run_set: RunSet, shown: Mapping[str, Look], order: Sequence[str] | None
) -> Figure:
    duels = f"{run_set.settings['horizon']:,} duels"
    caption = "A tick for each run, a dot for the mean, a bar for its 95 % interval, and both in figures."

    def make(view: View, sheet: Sheet = PAGE) -> alt.LayerChart:
        return final_chart(run_set.table, "regret", f"regret after {duels}", shown, sheet, order)

    return Figure(f"{name}-final-regret", f"Regret after {duels}", caption, make)


def _page_figure(name: str, run_set: RunSet, column: str, shown: Mapping[str, Look]) -> Figure:
    length = run_set.settings.get("arena", {}).get("length")
    ndcg = f"NDCG@{length}" if isinstance(length, int) else "NDCG"
    title, axis = {"ndcg": (f"{ndcg} of the pages", ndcg), "clicks": ("Clicks", "clicks per page")}[column]
    caption = (
        "What users see while the policy learns: a mean over all pages since the point before, with a band "
        "of one standard error if not changed."
    )
    drawn = curves(run_set.table, column)

    def make(view: View, sheet: Sheet = PAGE) -> alt.LayerChart:
        return curve_charts.page_chart(drawn, axis, view, shown, sheet)

    return Figure(f"{name}-{column}", title, caption, make, ("x", "band"))


def _matrix_figure(name: str, run_set: RunSet) -> Figure:
    preferences = run_set.preferences
    winner = condorcet_winner(preferences.matrix)
    framed = [preferences.names[winner]] if winner >= 0 else []
    about = run_set.settings["matrix"].get("about", "given")
    caption = f"How often the ranker of the row beats that of the column ({about}). "
    caption += (
        f"Framed: {ranker_in_words(preferences, framed[0])}, the Condorcet winner."
        if framed
        else "There is no Condorcet winner."
    )
    unknown = int(is_undecided(preferences).sum()) // 2
    if unknown:
        pairs = f"{unknown:,} of {len(preferences.pairs):,} pairs"
        caption += f" Pale and hatched: {pairs} that are not decided, as their interval includes 1/2."
    if len(preferences) > MOST_RANKERS:
        caption += f" These are the {MOST_RANKERS} strongest of {len(preferences)} rankers."

    def make(view: View, sheet: Sheet = PAGE) -> alt.LayerChart:
        return heatmap(preferences, framed, sheet)

    return Figure(f"{name}-matrix", "Preferences", caption, make)


def final_table(run_set: RunSet, shown: Mapping[str, Look], order: Sequence[str] | None = None) -> Table:
    """Return regret and the rest at the end of the runs, a row a policy, in this order or by mean regret."""
    groups = {str(policy): group for policy, group in final(run_set.table).groupby("policy", sort=False)}
    rows = [
        (full_label(policy, shown), *_final_row(groups[policy]))
        for policy in order or groups
        if policy in groups
    ]
    caption = f"After {run_set.settings['horizon']:,} duels: mean [95 % interval] over the runs"
    notion = str(run_set.settings.get("regret", "condorcet"))
    explained = (
        f"Regret: the mean {notion[:1].upper()}{notion[1:]} loss of both rankers of a duel, summed; weak: of "
        "the better one. "
        "Non-winner duels: with a ranker that is not the winner. Real duels: of two different rankers. "
        "Right: runs that recommend the winner, or one of several. Seconds: as measured; another machine, or "
        "another load, gives other times."
    )
    return Table(caption, _HEADINGS, rows, explained)


def full_label(policy: str, shown: Mapping[str, Look]) -> str:
    """The name of a policy, with its settings."""
    label, settings = shown[policy].label, policy.partition("(")[2]
    return f"{label} ({settings}" if settings and settings not in label else label


def _is_known(group: pd.DataFrame, column: str) -> bool:
    """Not every number is there for every policy: pages of many have no better one of two, for example."""
    return column in group and bool(group[column].notna().all())


def _span(group: pd.DataFrame, column: str) -> str:
    return in_figures(estimate(group[column])) if _is_known(group, column) else "–"


def _count(group: pd.DataFrame, column: str) -> str:
    return f"{group[column].mean():,.0f}" if _is_known(group, column) else "–"


def _final_row(group: pd.DataFrame) -> tuple[str, ...]:
    return (
        str(len(group)),
        _span(group, "regret"),
        number(group["regret"].median()),
        _span(group, "weak_regret"),
        *(_count(group, column) for column in ("nonwinner_duels", "informative_steps")),
        f"{group['correct'].mean():.0%}",
        number(group["seconds"].mean(), 3),
    )
