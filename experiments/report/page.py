"""A report: one page that needs no network, and the same charts as files for papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bandits import condorcet_winner, lower_bound
from experiments.report.charts import curves as curve_charts
from experiments.report.charts import matrix_and_final
from experiments.report.charts.parts import LOWER_BOUND, in_figures, looks, runs_in_words
from experiments.report.files import save_chart
from experiments.report.html import (
    Figure,
    Section,
    Table,
    charts_footer,
    page_html,
    plain_names,
    run_set_html,
)
from experiments.report.multileave import is_multileave, multileave_figures, multileave_section
from experiments.report.pair import pair_figure, pair_section, pairs
from experiments.runs.records import RunSet
from experiments.runs.summaries import curves, final, final_estimates
from experiments.statistics import estimate
from rankduel.base.files import write_text
from rankduel.base.text import counted

# An id on the page is the name of a run set or pair and one of these, and so never one of the libraries' ids.
ENDINGS = tuple(
    f"-{kind}" for kind in "section regret accuracy final-regret time ndcg clicks matrix e-bin".split()
)


def write_report(run_sets: Sequence[RunSet], path: str | Path) -> None:
    """Write the page, completely or not at all; the same records give the same bytes."""
    names, paired = _named(run_sets)
    sections = [run_set_section(name, run_set) for name, run_set in zip(names, run_sets)]
    sections += [pair_section(name, *pair) for name, pair in paired.items()]
    title = f"Dueling bandits: {run_sets[0].name if len(run_sets) == 1 else 'report'}"
    write_text(path, page_html(title, sections, charts_footer()))


def write_figures(run_sets: Sequence[RunSet], folder: str | Path, kind: str) -> list[Path]:
    """Every chart of the page as a file, drawn as the page opens with it."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names, paired = _named(run_sets)
    figures = [shown for name, run_set in zip(names, run_sets) for shown in run_set_figures(name, run_set)]
    figures += [pair_figure(name, *pair) for name, pair in paired.items()]
    paths = [folder / f"{shown.name}.{kind}" for shown in figures]
    for shown, path in zip(figures, paths):
        save_chart(shown.make(curve_charts.DEFAULT), path)
    return paths


def _named(run_sets: Sequence[RunSet]) -> tuple[list[str], dict[str, tuple[RunSet, RunSet]]]:
    """Return a name for each run set, and the pairs of live and proxy by theirs."""
    paired = pairs(run_sets)
    wanted = [run_set.name for run_set in run_sets]
    wanted += [f"live-versus-proxy-{number}" for number in range(1, len(paired) + 1)]
    names = plain_names(wanted, ENDINGS)
    return names[: len(run_sets)], dict(zip(names[len(run_sets) :], paired))


def run_set_section(name: str, run_set: RunSet) -> Section:
    if is_multileave(run_set):
        return multileave_section(name, run_set)
    figures = run_set_figures(name, run_set)
    headline = run_set_headline(run_set)
    lines = [*run_set.table["policy"], *([LOWER_BOUND] if bound_slope(run_set) else [])]
    body = run_set_html(
        _about(run_set), headline, figures, final_table(run_set), run_set.settings, looks(lines)
    )
    return Section(run_set.name, f"{name}-section", headline, figures, body)


def _about(run_set: RunSet) -> str:
    settings = run_set.settings
    against = "simulated clicks (live)" if settings["mode"] == "live" else "draws from the matrix (proxy)"
    runs = runs_in_words(final(run_set.table)["policy"].value_counts())
    problem, horizon = settings.get("problem", run_set.name), settings["horizon"]
    return (
        f"{problem}: {counted(len(run_set.preferences), 'ranker')}, {counted(horizon, 'duel')} against "
        f"{against}, {runs} of each policy.{_unmeasured(settings)}"
    )


def _unmeasured(settings: Mapping[str, Any]) -> str:
    is_unmeasured = settings.get("arena", {}).get("measure") == "none"
    return " NDCG and clicks of the pages were not measured (--measure none)." if is_unmeasured else ""


def run_set_headline(run_set: RunSet) -> str:
    """Who was best, by how much, and whether these runs can tell."""
    ranked = list(final_estimates(run_set.table, "regret").items())
    (best, least), *others = ranked
    duels = counted(run_set.settings["horizon"], "duel")
    text = f"{best} had a mean regret of {in_figures(least)} after {duels}"
    if not others:
        return f"{text}."
    second, more = others[0]
    text = f"{text}, the least of {len(ranked)} policies. Next is {second} with {in_figures(more)}"
    if np.isnan(least.low + more.low):
        return f"{text}. Single runs do not tell whether that is chance."
    if least.overlaps(more):
        return f"{text}: the 95 % intervals overlap, so these runs do not settle which of the two is better."
    return f"{text}: the 95 % intervals do not overlap."


def run_set_figures(name: str, run_set: RunSet) -> list[Figure]:
    if is_multileave(run_set):
        return multileave_figures(name, run_set)
    table, duels = run_set.table, counted(run_set.settings["horizon"], "duel")
    dots = "A tick for each run, a dot for the mean, a bar for its 95 % interval, and both in figures."
    found = [
        _regret_figure(name, run_set),
        Figure(
            f"{name}-accuracy",
            "Accuracy",
            "The share of runs that, asked at that moment, recommend the winner, or one of several.",
            partial(curve_charts.accuracy_chart, curves(table, "correct")),
            ("x",),
        ),
        Figure(
            f"{name}-final-regret",
            f"Regret after {duels}",
            dots,
            lambda view: matrix_and_final.final_chart(table, "regret", f"regret after {duels}"),
        ),
    ]
    if table["seconds"].notna().all():
        found.append(
            Figure(
                f"{name}-time",
                "Time per run",
                f"{dots} As measured: another machine, or another load, gives other times.",
                lambda view: matrix_and_final.final_chart(table, "seconds", "seconds per run"),
            )
        )
    found += [_page_figure(name, run_set, column) for column in ("ndcg", "clicks") if column in table]
    return [*found, _matrix_figure(name, run_set)]


def bound_slope(run_set: RunSet) -> float | None:
    """C* of Komiyama et al., where it is defined and finite."""
    matrix = run_set.preferences.matrix
    is_condorcet = (
        condorcet_winner(matrix) >= 0 and run_set.settings.get("regret", "condorcet") == "condorcet"
    )
    slope = lower_bound(matrix)[0] if is_condorcet else np.inf
    return slope if 0 < slope < np.inf else None


def _regret_figure(name: str, run_set: RunSet) -> Figure:
    shown = curves(run_set.table, "regret")
    slope = bound_slope(run_set)
    caption = "Mean over the runs of the regret so far, with a band as chosen above."
    if slope is not None:
        caption += (
            f" Dotted: C* ln t with C* = {slope:,.4g}, the information-theoretic lower bound of Komiyama et "
            "al. (COLT 2015). It is a slope, which in the long run no consistent policy beats, and not a "
            "floor: at small t good policies are below it."
        )
    if slope is not None and not curve_charts.bound_fits(shown, slope):
        end = slope * np.log(shown["step"].max())
        caption += f" It ends at {end:,.0f}, far above the curves, so only the logarithmic axis shows it."
    make = partial(curve_charts.regret_chart, shown, slope)
    return Figure(f"{name}-regret", "Regret", caption, make, ("x", "y", "band"))


def _page_figure(name: str, run_set: RunSet, column: str) -> Figure:
    title, axis = {"ndcg": ("Quality of the pages", "NDCG"), "clicks": ("Clicks", "clicks per page")}[column]
    caption = "What users see while the policy learns: a mean over all pages since the point before."
    make = partial(curve_charts.curve_chart, curves(run_set.table, column), axis)
    return Figure(f"{name}-{column}", title, caption, make, ("x", "band"))


def _matrix_figure(name: str, run_set: RunSet) -> Figure:
    preferences, most = run_set.preferences, matrix_and_final.MOST_RANKERS
    winner = condorcet_winner(preferences.matrix)
    framed = [preferences.names[winner]] if winner >= 0 else []
    caption = f"How often the ranker of the row beats that of the column ({_origin(run_set)}). "
    caption += f"Framed: {framed[0]}, the Condorcet winner." if framed else "There is no Condorcet winner."
    if len(preferences) > most:
        caption += f" These are the {most} strongest of {len(preferences)} rankers."
    return Figure(
        f"{name}-matrix", "Preferences", caption, lambda view: matrix_and_final.heatmap(preferences, framed)
    )


def _origin(run_set: RunSet) -> str:
    return str(run_set.settings["matrix"].get("about", "given"))


def final_table(run_set: RunSet) -> Table:
    """Return regret and the rest at the end of the runs, a row a policy."""
    headings = ("policy", "runs", "regret", "median", "weak regret", "non-winner duels", "real duels")
    rows = [
        _final_row(str(policy), group) for policy, group in final(run_set.table).groupby("policy", sort=False)
    ]
    caption = f"After {counted(run_set.settings['horizon'], 'duel')}: mean [95 % interval] over the runs"
    notion = run_set.settings.get("regret", "condorcet")
    explained = (
        f"Regret: the mean {notion} loss of both rankers of a duel, summed; weak: of the better one. "
        "Non-winner duels: with a ranker that is not the winner. Real duels: of two different rankers. "
        "Right: runs that recommend the winner, or one of several."
    )
    return Table(caption, (*headings, "right", "seconds per run"), rows, explained)


def _is_known(group: pd.DataFrame, column: str) -> bool:
    """Not every number is there for every policy: pages of many have no better one of two, for example."""
    return column in group and bool(group[column].notna().all())


def _span(group: pd.DataFrame, column: str) -> str:
    return in_figures(estimate(group[column])) if _is_known(group, column) else "–"


def _count(group: pd.DataFrame, column: str) -> str:
    return f"{group[column].mean():,.0f}" if _is_known(group, column) else "–"


def _final_row(policy: str, group: pd.DataFrame) -> tuple[str, ...]:
    spans = [_span(group, column) for column in ("regret", "weak_regret")]
    counts = [_count(group, column) for column in ("nonwinner_duels", "informative_steps")]
    right, seconds = f"{group['correct'].mean():.0%}", f"{group['seconds'].mean():.3g}"
    return (
        policy,
        str(len(group)),
        spans[0],
        f"{group['regret'].median():,.4g}",
        spans[1],
        *counts,
        right,
        seconds,
    )
