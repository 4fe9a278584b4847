"""`rankduel evaluate`: measures of rankers on judged data, and paired tests of their differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

import rankduel
from rankduel.base.text import counted, feature_list
from rankduel.cli import completion
from rankduel.cli.console import plain_table, print_result, screen, show_legend, title, watching
from rankduel.cli.options import AsCsv, AsJson, DataOptions, Files, RankerTexts, Seed, with_options

if TYPE_CHECKING:
    from rankduel.experiments.evaluation import Evaluation, PairedTests

_USUAL = "ndcg@10"
_TESTED = 5  # number of best rankers that are compared by tests
_TEST_COLUMNS = {
    "first": "",
    "second": "",
    "difference": "mean of the first ranker minus mean of the second",
    "95% interval": "of the difference, by bootstrap over queries",
    "p-value": "of the test that both rankers are equally good",
    "p (Holm)": "p-value corrected for the number of pairs",
}


@with_options(DataOptions, "data_options")
def evaluate(
    files: Files,
    *,
    rankers: Annotated[
        str,
        typer.Option(help="Features to use as rankers, such as '1-5,110' (all).", show_default=False),
    ] = "",
    ranker: RankerTexts = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            help="A measure, e.g. ndcg@10, 'ndcg(gain=linear)@5' or 'map(rel=2)'; may be repeated. "
            f"'rankduel measures' lists them ({_USUAL}).",
            show_default=False,
            autocompletion=completion.measures,
        ),
    ] = None,
    per_query: Annotated[bool, typer.Option("--per-query", help="Also show every query.")] = False,
    test: Annotated[
        bool, typer.Option("--test", help=f"Compare the best {_TESTED} rankers by paired tests.")
    ] = False,
    top: Annotated[int, typer.Option(help="Number of rankers to list, best first.", min=1)] = 10,
    seed: Seed = 0,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    data_options: DataOptions,
) -> None:
    """Measure rankers by NDCG, DCG, MAP, MRR, P, ERR or RBP, and test their differences.

    [dim]Example:[/] rankduel evaluate data.txt -m ndcg@10 -m map --test
    """
    measures = measure or [_USUAL]
    for text in measures:
        rankduel.measure(text)  # a wrong name is an error before any file is read
    letor = data_options.read(files)
    with watching() as watch:
        found = rankduel.evaluate(
            letor,
            rankers=[*feature_list(rankers), *ranker] if ranker else rankers,
            measures=measures,
            per_query=per_query,
            test=_TESTED if test else 0,
            seed=seed,
            watch=watch,
        )
    if print_result(found, as_json, as_csv):
        return
    _show_values(found, top)
    if found.tests is not None:
        _show_tests(found.tests)


def _show_values(found: Evaluation, top: int) -> None:
    """Print the means of the best rankers, and the value of every query if it is requested."""
    screen.print(f"[bold]{escape(found.data)}[/]", soft_wrap=True)
    n_queries = counted(len(found.query_ids), "query")
    screen.print(f"[dim]means over {n_queries} and over all orders of tied documents[/]\n")
    best = found.best[:top]
    _show_means(found, best)
    n_all = len(found.rankers)
    if n_all > len(best):
        screen.print(f"[dim]{n_all - len(best):,} more; --top {n_all} shows all[/]")
    if found.per_query:
        title("\nEvery query")
        _show_queries(found, best)
    for note in found.notes:
        screen.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)


def _show_means(found: Evaluation, rankers: Sequence[str]) -> None:
    wide = found.means.pivot(index="ranker", columns="measure", values="value")
    table = _numbers("ranker", *found.measures)
    table.add_column("", no_wrap=True)
    for name in rankers:
        about = f"[dim]{escape(found.titles.get(name, ''))}[/]"
        table.add_row(escape(name), *(_number(wide.at[name, one]) for one in found.measures), about)
    screen.print(table)


def _show_queries(found: Evaluation, rankers: Sequence[str]) -> None:
    table = _numbers("query", "ranker", *found.measures)
    places = [(name, found.rankers.index(name)) for name in rankers]
    for number, query in enumerate(found.query_ids):
        for name, place in places:
            table.add_row(escape(query), escape(name), *map(_number, found.values[place, :, number]))
    screen.print(table)


def _numbers(*headings: str) -> Table:
    table = plain_table()
    for heading in headings:
        table.add_column(heading, header_style="dim", justify="right", overflow="fold")
    return table


def _show_tests(tests: PairedTests) -> None:
    """Print a table per measure."""
    for measure, part in tests.pairs.groupby("measure", sort=False):
        title(
            f"\nPaired randomisation tests of {escape(str(measure))}",
            f"{counted(int(part['queries'].iloc[0]), 'query')}, {counted(len(part), 'pair')}",
        )
        table = _numbers(*_TEST_COLUMNS)
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
    return "-" if math.isnan(value) else f"{value:.4f}"


def _p_value(p: Any) -> str:
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"
