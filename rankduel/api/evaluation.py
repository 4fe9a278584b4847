"""Measure rankers on judged data, and test their differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from rankduel.base.errors import UsageError
from rankduel.base.text import shortened
from rankduel.experiments.arena import CountProgress, chosen_rankers, no_progress
from rankduel.experiments.limits import MOST_SAMPLES, checked_count
from rankduel.experiments.paired_tests import paired_tests
from rankduel.letor_data.evaluation.catalogue import measure_text, parse_measures
from rankduel.letor_data.evaluation.values import mean_over_queries, measure_rankers
from rankduel.letor_data.letor import Letor

__all__ = ["compare_rankers", "evaluate"]


def evaluate(
    data: Letor,
    *,
    rankers: str | Sequence[object] | Mapping[str, object] = "",
    measures: str | Sequence[str] = ("ndcg@10",),
    per_query: bool = False,
    jobs: int = -1,
    progress: CountProgress = no_progress,
) -> pd.DataFrame:
    """Measure rankers on judged data by NDCG, MAP, MRR, ERR and others.

    If a ranker ties documents, a value is the exact mean over all orders of the tied documents. Ideal
    rankings and numbers of relevant documents are taken over all documents of a query in `data`. A document
    without a score is ranked last. A document that a TREC run does not list is not ranked; a query without
    listed documents counts as 0.

    Parameters
    ----------
    data : Letor
        Judged documents, from `read_data`.
    rankers : str, sequence or mapping, default ""
        Feature numbers such as ``"1-5,110"``, or rankers of any kind that `open_arena` accepts. By
        default, every feature is a ranker.
    measures : str or sequence of str, default ("ndcg@10",)
        Measures with their settings, such as ``"ndcg(gain=linear)@10"``, ``"map(rel=2)"`` or
        ``"rbp(p=0.95)"``; `measures` lists them. A query without a relevant document counts as 0, unless
        ``no_relevant`` says otherwise, as in ``"ndcg(no_relevant=skip)@10"``.
    per_query : bool, default False
        Whether to return the value of every query instead of the mean over queries.
    jobs : int, default -1
        Number of threads; -1 uses all cores. The result does not depend on it.
    progress : callable, optional
        Opens a progress bar: called with a description and a total, it returns a context manager that yields
        a function, which is called with the number of rankers done since its last call.

    Returns
    -------
    DataFrame
        One row per ranker and measure: ``ranker``, ``measure`` and ``value``. With `per_query`, one per
        ranker, query and measure, with the ``query`` id; the value is NaN for queries left out by
        ``no_relevant=skip``.

    Raises
    ------
    RankduelError
        If a measure or a feature is unknown, or two of them have the same name.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=20)
    >>> table = rankduel.evaluate(data, rankers="110,115", measures=["ndcg@10", "map(rel=2)"])
    >>> table.round(3)
      ranker     measure  value
    0    110     ndcg@10  0.520
    1    110  map(rel=2)  0.386
    2    115     ndcg@10  0.475
    3    115  map(rel=2)  0.348
    """
    chosen = chosen_rankers(data, rankers)
    wanted = parse_measures([measures] if isinstance(measures, str) else measures)
    with progress("measuring rankers", len(chosen)) as advance:
        values = measure_rankers(data, chosen, wanted, jobs, advance)
    names = np.array([ranker.name for ranker in chosen], object)
    texts = np.array([measure_text(measure) for measure in wanted], object)
    if per_query:
        return _tidy({"ranker": names, "query": data.query_ids, "measure": texts}, values.transpose(0, 2, 1))
    return _tidy({"ranker": names, "measure": texts}, mean_over_queries(values))


def _tidy(axes: dict[str, np.ndarray], values: np.ndarray) -> pd.DataFrame:
    """Return a table with one row per value and a column of labels per axis."""
    labels = np.meshgrid(*axes.values(), indexing="ij")
    columns = {name: label.ravel() for name, label in zip(axes, labels)}
    return pd.DataFrame(columns | {"value": values.ravel()})


def compare_rankers(
    values: pd.DataFrame, *, samples: int = 10_000, confidence: float = 0.95, seed: int = 0
) -> pd.DataFrame:
    """Test all pairs of rankers on the same queries, measure by measure.

    The test is Fisher's randomisation test of the mean difference: signs of the differences of queries are
    flipped, all of them if a pair differs on 20 queries or fewer, and at random otherwise. The interval is
    the percentile bootstrap over queries.

    Parameters
    ----------
    values : DataFrame
        The value of every query, from `evaluate` with ``per_query=True``, or of another tool: columns
        ``ranker``, ``query``, ``measure`` and ``value``. All rankers must have the same queries.
    samples : int, default 10_000
        Number of random signs and of bootstrap samples. No ``p`` of random signs is below 1 / (samples + 1),
        and no ``p_holm`` below that times the number of pairs, so many rankers need more samples.
    confidence : float, default 0.95
        Coverage of the interval.
    seed : int, default 0
        Seed of all random numbers. The numbers of a pair depend neither on other rankers nor on other
        measures, except for ``p_holm``.

    Returns
    -------
    DataFrame
        One row per measure and pair: ``measure``, ``first`` and ``second``, of which the first has the higher
        mean, ``difference`` of the means, its interval from ``lo`` to ``hi``, the two-sided ``p`` and
        ``p_holm``, which is Holm's correction over all pairs of the measure, and the number of ``queries``.

    Raises
    ------
    RankduelError
        If a column is missing, rankers do not have the same queries, or there are fewer than two rankers.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=50)
    >>> values = rankduel.evaluate(data, rankers="110,115,125", per_query=True)
    >>> tests = rankduel.compare_rankers(values)
    >>> tests[["first", "second", "difference", "lo", "hi", "p_holm"]].round(3)
      first second  difference     lo     hi  p_holm
    0   110    115       0.103  0.067  0.140    0.00
    1   110    125       0.121  0.091  0.152    0.00
    2   115    125       0.017 -0.011  0.047    0.25
    """
    checked_count("samples", samples, MOST_SAMPLES)
    _check_confidence(confidence)
    tables = [_tested(measure, matrix, samples, confidence, seed) for measure, matrix in _by_measure(values)]
    return pd.concat(tables, ignore_index=True)


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise UsageError(f"confidence is {confidence}; expected a number between 0 and 1, such as 0.95")


def _tested(measure: str, matrix: pd.DataFrame, samples: int, confidence: float, seed: int) -> pd.DataFrame:
    tests = paired_tests(matrix.to_numpy(float), samples, confidence, seed, "compare_rankers", measure)
    names = matrix.index.to_numpy()
    found = tests._asdict() | {"first": names[tests.first], "second": names[tests.second]}
    return pd.DataFrame({"measure": measure} | found | {"queries": matrix.shape[1]})


def _by_measure(values: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each measure with a table of one row per ranker and one column per query, in given order."""
    missing = [name for name in ("ranker", "query", "measure", "value") if name not in values.columns]
    if missing:
        raise UsageError(
            f"the table has no column '{missing[0]}'; expected values of every query, as "
            "evaluate(..., per_query=True) returns them"
        )
    if values.empty or not pd.api.types.is_numeric_dtype(values["value"]) or np.isinf(values["value"]).any():
        raise UsageError("the column 'value' must hold finite numbers of two rankers or more")
    for measure, part in values.groupby("measure", sort=False):
        yield str(measure), _matrix(str(measure), part)


def _matrix(measure: str, part: pd.DataFrame) -> pd.DataFrame:
    # Several splits may have the same query id: the n-th occurrences for each ranker are paired.
    repeat = part.groupby(["ranker", "query"], sort=False).cumcount()
    matrix = part.assign(repeat=repeat).pivot(index="ranker", columns=["query", "repeat"], values="value")
    matrix = matrix.reindex(part["ranker"].unique()).dropna(axis="columns", how="all")
    if len(matrix) < 2:
        raise UsageError(f"{measure}: {len(matrix)} ranker; expected two or more to compare")
    if matrix.shape[1] == 0:
        raise UsageError(f"{measure}: no query is left; expected at least one with a value")
    absent = matrix.isna().any()
    if absent.any():
        query = shortened(str(matrix.columns[absent.to_numpy()][0][0]))
        raise UsageError(
            f"{measure}: query '{query}' has values of some rankers only; expected the same queries for all"
        )
    return matrix
