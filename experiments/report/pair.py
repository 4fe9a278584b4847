"""Compare live and proxy runs: the same policies on simulated clicks and on draws from their matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import altair as alt
import numpy as np
import pandas as pd

from rankduel.base.text import counted
from rankduel.experiments.report.charts.curves import View
from rankduel.experiments.report.charts.differences import difference_chart
from rankduel.experiments.report.charts.parts import PAGE, Layout, estimate_text, runs_text
from rankduel.experiments.report.charts.styles import LineStyle
from rankduel.experiments.report.headlines import agreement, labels_of
from rankduel.experiments.report.html import Figure, Section, Table, render
from rankduel.experiments.runs.compare import Comparison, compare_runs
from rankduel.experiments.runs.run_set import RunSet
from rankduel.experiments.runs.summaries import final, final_estimates
from rankduel.experiments.statistics import Estimate

_NOTE = (
    "A p-value is the probability of a difference at least this large if live and proxy regrets had the "
    "same distribution: for the means by Welch's t-test, for the whole distribution of final regrets by "
    "the two-sample Kolmogorov-Smirnov test. With many policies, a few p-values are small by chance; the "
    "sentence above the chart corrects for the number of tests."
)


def pairs(run_sets: Sequence[RunSet]) -> list[tuple[RunSet, RunSet]]:
    """Return all (live, proxy) pairs with the same matrix and horizon and at least one common policy."""
    return [
        (live, proxy)
        for live in run_sets
        for proxy in run_sets
        if (live.settings["mode"], proxy.settings["mode"]) == ("live", "proxy")
        if live.settings["matrix"]["digest"] == proxy.settings["matrix"]["digest"]
        if live.settings["horizon"] == proxy.settings["horizon"]
        if common_policies(live, proxy)
    ]


def common_policies(live: RunSet, proxy: RunSet) -> set[str]:
    return set(live.table["policy"].unique()) & set(proxy.table["policy"].unique())


def common_runs(live: RunSet, proxy: RunSet) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the runs of the policies that both run sets have."""
    common = common_policies(live, proxy)
    one, other = (run_set.table[run_set.table["policy"].isin(common)] for run_set in (live, proxy))
    return one, other


def compare_labelled(live: RunSet, proxy: RunSet, styles: Mapping[str, LineStyle]) -> Comparison:
    """Return the comparison of the common policies, named by their labels."""
    return compare_runs(*_with_labels(live, proxy, styles))


def _with_labels(
    live: RunSet, proxy: RunSet, styles: Mapping[str, LineStyle]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the runs of the common policies, named by their labels."""
    one, other = (table.assign(policy=labels_of(table, styles)) for table in common_runs(live, proxy))
    return one, other


def pair_clause(live: RunSet, proxy: RunSet, styles: Mapping[str, LineStyle]) -> str:
    """Return a clause: whether live and proxy agree, and what these runs cannot exclude."""
    runs = runs_text(pd.concat([final(table)["policy"].value_counts() for table in common_runs(live, proxy)]))
    return agreement(compare_labelled(live, proxy, styles), runs)


def pair_figure(name: str, live: RunSet, proxy: RunSet, styles: Mapping[str, LineStyle]) -> Figure:
    by_step = compare_runs(*common_runs(live, proxy)).by_step

    def make(view: View, layout: Layout = PAGE) -> alt.FacetChart:
        return difference_chart(by_step, styles, layout)

    return Figure(
        f"{name}-difference",
        "Live minus proxy regret",
        "Mean regret on simulated clicks (live) minus mean regret on draws from the matrix (proxy), in "
        "percent of the final proxy regret. The band is the 95 % interval of the difference (Welch). Where "
        "it contains zero, the runs show no difference; differences inside the band cannot be excluded.",
        make,
    )


def pair_section(name: str, live: RunSet, proxy: RunSet, styles: Mapping[str, LineStyle]) -> Section:
    figure = pair_figure(name, live, proxy, styles)
    about = f"{live.name} and {proxy.name} have the same preference matrix and the same horizon."
    body = render("pair.html", about=about, figure=figure, table=pair_table(live, proxy, styles))
    title = f"Live versus proxy: {live.name}, {proxy.name}"
    return Section(title, f"{name}-section", compare_labelled(live, proxy, styles).verdict, [figure], body)


def pair_table(live: RunSet, proxy: RunSet, styles: Mapping[str, LineStyle]) -> Table:
    """Return a table with the final regrets of both modes and their difference, one row per policy."""
    return Table(
        f"Final regret after {counted(live.settings['horizon'], 'duel')}: mean [95 % interval]",
        ("policy", "live", "proxy", "live - proxy", "p-value, means", "p-value, distributions"),
        list(pair_rows(*_with_labels(live, proxy, styles), compare_labelled(live, proxy, styles).final)),
        _NOTE,
    )


def pair_rows(live: pd.DataFrame, proxy: pd.DataFrame, final: pd.DataFrame) -> Iterator[Sequence[str]]:
    """Yield a row per policy, the least live regret first; `final` is that of their comparison."""
    sides = [final_estimates(table, "regret") for table in (live, proxy)]
    differences = final.set_index("policy").to_dict("index")
    for policy in sides[0]:
        row = differences[policy]
        single = np.isnan(row["p_mean"])
        bounds = (np.nan, np.nan) if single else (row["lo"], row["hi"])
        difference = Estimate(row["difference"], *bounds)
        p_values = ("", "") if single else (p_value_text(row["p_mean"]), p_value_text(row["p_law"]))
        yield policy, *(estimate_text(side[policy]) for side in sides), estimate_text(difference), *p_values


def p_value_text(p: float) -> str:
    """Return a p-value with two digits, without an exponent."""
    return "< 0.0001" if p < 1e-4 else f"{p:.2g}"
