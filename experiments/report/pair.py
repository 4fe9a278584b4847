"""Live against proxy: the same policies on simulated clicks and on draws from the matrix of those clicks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from experiments.report.charts.curves import live_proxy_chart
from experiments.report.charts.parts import in_figures
from experiments.report.html import Figure, Section, Table, render
from experiments.runs.compare import compare_runs
from experiments.runs.records import RunSet
from experiments.runs.summaries import curves, final_estimates
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


def pair_figure(name: str, live: RunSet, proxy: RunSet) -> Figure:
    parts = [curves(table, "regret") for table in of_both(live, proxy)]
    return Figure(
        f"{name}-regret",
        "Regret, live and proxy",
        "Regret against simulated clicks (solid) and against draws from the matrix (dashed), each with a "
        "band of one standard error. Every panel has a regret axis of its own.",
        lambda view: live_proxy_chart(*parts),
    )


def pair_section(name: str, live: RunSet, proxy: RunSet) -> Section:
    tables = of_both(live, proxy)
    shown = pair_figure(name, live, proxy)
    found = compare_runs(*tables)
    table = Table(
        f"Final regret after {counted(live.settings['horizon'], 'duel')}: mean [95 % interval]",
        ("policy", "live", "proxy", "live - proxy", "p, means", "p, laws"),
        list(pair_rows(*tables, found.final)),
        _EXPLAINED,
    )
    about = f"{live.name} against {proxy.name}, which share matrix and horizon."
    body = render("pair.html", about=about, headline=found.verdict, figure=shown, table=table)
    return Section(
        f"Live versus proxy: {live.name}, {proxy.name}", f"{name}-section", found.verdict, [shown], body
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
        chances = ("", "") if single else (f"{row['p_mean']:.2g}", f"{row['p_law']:.2g}")
        yield policy, *(in_figures(side[policy]) for side in sides), in_figures(apart), *chances
