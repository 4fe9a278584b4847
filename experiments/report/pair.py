"""Live against proxy: the same policies on simulated clicks and on draws from the matrix of those clicks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import altair as alt
import numpy as np
import pandas as pd

from experiments.report.answers import agreement, labels_of
from experiments.report.charts.curves import View
from experiments.report.charts.differences import difference_chart
from experiments.report.charts.looks import Look
from experiments.report.charts.parts import PAGE, Sheet, in_figures, runs_in_words
from experiments.report.html import Figure, Section, Table, render
from experiments.runs.compare import Comparison, compare_runs
from experiments.runs.records import RunSet
from experiments.runs.summaries import final, final_estimates
from experiments.statistics import Estimate
from rankduel.base.text import counted

_EXPLAINED = (
    "p is the chance to see as much of a difference where there is none: of the means by Welch's test, of "
    "the whole law of final regret by that of Kolmogorov and Smirnov. Of many policies, some have a small p "
    "by chance alone; the sentence above the chart allows for that."
)


def pairs(run_sets: Sequence[RunSet]) -> list[tuple[RunSet, RunSet]]:
    """Live and proxy studies of the same matrix and horizon, with at least one policy in common."""
    return [
        (live, proxy)
        for live in run_sets
        for proxy in run_sets
        if (live.settings["mode"], proxy.settings["mode"]) == ("live", "proxy")
        if live.settings["matrix"]["digest"] == proxy.settings["matrix"]["digest"]
        if live.settings["horizon"] == proxy.settings["horizon"]
        if set(live.table["policy"]) & set(proxy.table["policy"])
    ]


def of_both(live: RunSet, proxy: RunSet) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The runs of the policies that both studies have."""
    common = set(live.table["policy"]) & set(proxy.table["policy"])
    one, other = (run_set.table[run_set.table["policy"].isin(common)] for run_set in (live, proxy))
    return one, other


def compared(live: RunSet, proxy: RunSet, shown: Mapping[str, Look]) -> Comparison:
    """Return the comparison of the policies that both studies have, by names for readers."""
    return compare_runs(*_with_labels(live, proxy, shown))


def _with_labels(live: RunSet, proxy: RunSet, shown: Mapping[str, Look]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The runs of the policies that both studies have, by names for readers."""
    one, other = (table.assign(policy=labels_of(table, shown)) for table in of_both(live, proxy))
    return one, other


def pair_answer(live: RunSet, proxy: RunSet, shown: Mapping[str, Look]) -> str:
    """Return a clause: whether live and proxy agree, and how far these runs can tell."""
    runs = runs_in_words(pd.concat([final(table)["policy"].value_counts() for table in of_both(live, proxy)]))
    return agreement(compared(live, proxy, shown), runs)


def pair_figure(name: str, live: RunSet, proxy: RunSet, shown: Mapping[str, Look]) -> Figure:
    by_step = compare_runs(*of_both(live, proxy)).by_step

    def make(view: View, sheet: Sheet = PAGE) -> alt.FacetChart:
        return difference_chart(by_step, shown, sheet)

    return Figure(
        f"{name}-difference",
        "Live minus proxy",
        "How far the mean regret against simulated clicks is above that against draws from the matrix, in "
        "percent of the final proxy regret, with a band of its 95 % interval (Welch). Where the band holds "
        "zero, the runs show no difference; its width is what they could not notice.",
        make,
    )


def pair_section(name: str, live: RunSet, proxy: RunSet, shown: Mapping[str, Look]) -> Section:
    figure = pair_figure(name, live, proxy, shown)
    about = f"{live.name} against {proxy.name}, which share matrix and horizon."
    body = render("pair.html", about=about, figure=figure, table=pair_table(live, proxy, shown))
    title = f"Live versus proxy: {live.name}, {proxy.name}"
    return Section(title, f"{name}-section", compared(live, proxy, shown).verdict, [figure], body)


def pair_table(live: RunSet, proxy: RunSet, shown: Mapping[str, Look]) -> Table:
    """Return final regrets of both and their difference, a row a policy."""
    return Table(
        f"Final regret after {counted(live.settings['horizon'], 'duel')}: mean [95 % interval]",
        ("policy", "live", "proxy", "live - proxy", "p, means", "p, laws"),
        list(pair_rows(*_with_labels(live, proxy, shown), compared(live, proxy, shown).final)),
        _EXPLAINED,
    )


def pair_rows(live: pd.DataFrame, proxy: pd.DataFrame, final: pd.DataFrame) -> Iterator[Sequence[str]]:
    """Both regrets and their difference for each policy, least live regret first."""
    sides = [final_estimates(table, "regret") for table in (live, proxy)]
    differences = final.set_index("policy").to_dict("index")
    for policy in sides[0]:
        row = differences[policy]
        single = np.isnan(row["p_mean"])
        bounds = (np.nan, np.nan) if single else (row["lo"], row["hi"])
        apart = Estimate(row["difference"], *bounds)
        chances = ("", "") if single else (chance(row["p_mean"]), chance(row["p_law"]))
        yield policy, *(in_figures(side[policy]) for side in sides), in_figures(apart), *chances


def chance(p: float) -> str:
    """Return a p-value of two digits, without an exponent."""
    return "< 0.0001" if p < 1e-4 else f"{p:.2g}"
