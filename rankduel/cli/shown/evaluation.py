"""Print the results of `rankduel evaluate`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from rich.markup import escape

from rankduel.base.text import counted
from rankduel.cli.console import plain_table, screen, show_legend, title
from rankduel.letor_data.formats import PROFILES
from rankduel.letor_data.letor import Letor

_TEST_COLUMNS = {
    "first": "",
    "second": "",
    "difference": "mean of the first ranker minus mean of the second",
    "95% interval": "of the difference, by bootstrap over queries",
    "p-value": "of the test that both rankers are equally good",
    "p (Holm)": "p-value corrected for the number of pairs",
}


def best_first(means: pd.DataFrame) -> list[str]:
    """Return the names of the rankers, sorted by the first measure."""
    first = means[means["measure"] == means["measure"].iloc[0]]
    return list(first.sort_values("value", ascending=False, kind="stable")["ranker"])


def everything(letor: Letor, values: pd.DataFrame, tests: pd.DataFrame | None) -> dict[str, Any]:
    """Return all values, for JSON."""
    tables = {"values": values} if tests is None else {"values": values, "tests": tests}
    return {"data": letor.source, "queries": letor.n_queries} | tables


def show_values(letor: Letor, means: pd.DataFrame, values: pd.DataFrame, rankers: Sequence[str]) -> None:
    """Print the means of `rankers`, and the value of every query if `values` has them."""
    n_all = means["ranker"].nunique()
    screen.print(f"[bold]{escape(letor.source)}[/]", soft_wrap=True)
    n_queries = counted(letor.n_queries, "query")
    screen.print(f"[dim]means over {n_queries} and over all orders of tied documents[/]\n")
    _show_means(letor, means, rankers)
    if n_all > len(rankers):
        screen.print(f"[dim]{n_all - len(rankers):,} more; --top {n_all} shows all[/]")
    if "query" in values.columns:
        title("\nEvery query")
        _show_queries(values, rankers)
    for note in letor.notes:
        screen.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)


def _show_means(letor: Letor, means: pd.DataFrame, rankers: Sequence[str]) -> None:
    titles = dict(zip(letor.feature_names, PROFILES[letor.profile].titles))
    wide = means.pivot(index="ranker", columns="measure", values="value")
    measures = means["measure"].unique()
    table = plain_table()
    for heading in ("ranker", *measures):
        table.add_column(heading, header_style="dim", justify="right", overflow="fold")
    table.add_column("", no_wrap=True)
    for name in rankers:
        about = f"[dim]{escape(titles.get(name, ''))}[/]"
        table.add_row(escape(name), *(_number(wide.at[name, one]) for one in measures), about)
    screen.print(table)


def _show_queries(values: pd.DataFrame, rankers: Sequence[str]) -> None:
    measures = values["measure"].unique()
    table = plain_table()
    for heading in ("query", "ranker", *measures):
        table.add_column(heading, header_style="dim", justify="right", overflow="fold")
    # One array per ranker, (queries, measures), in the order of the table.
    blocks = {
        name: part["value"].to_numpy().reshape(-1, len(measures))
        for name, part in values.groupby("ranker", sort=False)
    }
    queries = values["query"].to_numpy()[: len(values) // len(blocks) : len(measures)]
    for number, query in enumerate(queries):
        for name in rankers:
            table.add_row(escape(query), escape(name), *map(_number, blocks[name][number]))
    screen.print(table)


def show_tests(tests: pd.DataFrame) -> None:
    """Print a table per measure."""
    for measure, part in tests.groupby("measure", sort=False):
        title(
            f"\nPaired randomisation tests of {escape(str(measure))}",
            f"{counted(int(part['queries'].iloc[0]), 'query')}, {counted(len(part), 'pair')}",
        )
        table = plain_table()
        for heading in _TEST_COLUMNS:
            table.add_column(heading, header_style="dim", justify="right", overflow="fold")
        for row in part.itertuples():
            table.add_row(
                escape(str(row.first)),
                escape(str(row.second)),
                f"{row.difference:.4f}",
                f"{row.lo:+.4f} to {row.hi:+.4f}",
                _p_value(row.p),
                _p_value(row.p_holm),
            )
        screen.print(table)
    show_legend({heading: about for heading, about in _TEST_COLUMNS.items() if about})


def _number(value: Any) -> str:
    return "-" if pd.isna(value) else f"{value:.4f}"


def _p_value(p: Any) -> str:
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"
