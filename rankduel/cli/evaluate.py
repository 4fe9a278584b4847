"""`rankduel evaluate`: measures of rankers on judged data, and paired tests of their differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import rankduel
from rankduel.cli import completion
from rankduel.cli.console import count_progress, print_table
from rankduel.cli.options import AsCsv, AsJson, DataOptions, Files, RankerTexts, Seed, with_options

if TYPE_CHECKING:
    import pandas as pd

_USUAL = "ndcg@10"
_TESTED = 5  # number of best rankers that are compared by tests


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
    from rankduel.cli.shown import evaluation as shown
    from rankduel.experiments.arena import chosen_rankers
    from rankduel.experiments.specs import feature_list
    from rankduel.letor_data.evaluation.catalogue import parse_measures

    measures = measure or [_USUAL]
    parse_measures(measures)  # raises an error before the data are read
    letor = data_options.read(files)
    chosen = chosen_rankers(letor, [*feature_list(rankers), *ranker] if ranker else rankers)
    means = rankduel.evaluate(letor, rankers=chosen, measures=measures, progress=count_progress)
    best = shown.best_first(means)

    def of_every_query(n_best: int) -> pd.DataFrame:
        some = [ranker for ranker in chosen if ranker.name in best[:n_best]]
        return rankduel.evaluate(letor, rankers=some, measures=measures, per_query=True)

    values = of_every_query(len(chosen) if as_json or as_csv else top) if per_query else means
    tests = rankduel.compare_rankers(of_every_query(_TESTED), seed=seed) if test else None
    rows = values if tests is None else tests
    if print_table(as_json, as_csv, lambda: rows, lambda: shown.everything(letor, values, tests)):
        return
    shown.show_values(letor, means, values, best[:top])
    if tests is not None:
        shown.show_tests(tests)
