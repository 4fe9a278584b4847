"""Measure rankers on judged data, and test their differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from rankduel.base.errors import UsageError
from rankduel.base.notebook import few, short_repr
from rankduel.base.results import plain
from rankduel.base.text import shortened
from rankduel.base.watch import SILENT, Watch
from rankduel.experiments.arena import chosen_rankers
from rankduel.experiments.limits import MOST_SAMPLES, checked_count
from rankduel.experiments.paired_tests import paired_tests
from rankduel.letor_data.catalogue import PROFILES
from rankduel.letor_data.evaluation.catalogue import measure_text, parse_measures
from rankduel.letor_data.evaluation.values import mean_over_queries, measure_rankers
from rankduel.letor_data.letor import Letor


@dataclass(frozen=True, eq=False, repr=False)
class PairedTests:
    """Tests of all pairs of rankers on the same queries; made by `compare_rankers`."""

    pairs: pd.DataFrame  # one row per measure and pair

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per measure and pair."""
        return self.pairs

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the rows as plain Python objects."""
        rows: list[dict[str, Any]] = plain(self.pairs)
        return rows

    def __repr__(self) -> str:
        return f"PairedTests\n{self.pairs}"

    def _repr_html_(self) -> str:
        return str(self.pairs.to_html())


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Values of rankers by measures on judged data; made by `evaluate`."""

    data: str  # files of the data
    rankers: tuple[str, ...]
    measures: tuple[str, ...]
    query_ids: np.ndarray  # (n_queries,)
    values: np.ndarray  # (n_rankers, n_measures, n_queries); NaN for queries left out
    per_query: bool  # whether the tables have the value of every query
    tests: PairedTests | None  # of the best rankers, if they were compared
    titles: Mapping[str, str]  # published descriptions of features
    notes: tuple[str, ...]  # remarks about the data

    @property
    def means(self) -> pd.DataFrame:
        """Return one row per ranker and measure: the mean over queries."""
        return _tidy(self._axes("ranker", "measure"), mean_over_queries(self.values))

    @property
    def by_query(self) -> pd.DataFrame:
        """Return one row per ranker, query and measure."""
        return _tidy(self._axes("ranker", "query", "measure"), self.values.transpose(0, 2, 1))

    @property
    def best(self) -> list[str]:
        """Return the names of the rankers, by decreasing mean of the first measure."""
        means = mean_over_queries(self.values[:, 0])
        order = np.argsort(np.where(np.isnan(means), np.inf, -means), kind="stable")
        return [self.rankers[place] for place in order]

    def only(self, rankers: Sequence[str]) -> Evaluation:
        """Return the values of some rankers, by name; they keep their order."""
        places = [place for place, name in enumerate(self.rankers) if name in set(rankers)]
        names = tuple(self.rankers[place] for place in places)
        return replace(self, rankers=names, values=self.values[places])

    def to_pandas(self) -> pd.DataFrame:
        """Return the tests, if rankers were compared; else the values of every query, or the means."""
        return self._table if self.tests is None else self.tests.pairs

    def to_dict(self) -> dict[str, Any]:
        """Return the values, and the tests if there are any, as plain Python objects."""
        about = {"data": self.data, "queries": len(self.query_ids), "values": plain(self._table)}
        return about if self.tests is None else about | {"tests": self.tests.to_dict()}

    @property
    def _table(self) -> pd.DataFrame:
        return self.by_query if self.per_query else self.means

    def _axes(self, *names: str) -> dict[str, np.ndarray]:
        labels = {"ranker": self.rankers, "query": self.query_ids, "measure": self.measures}
        return {name: np.array(labels[name], object) for name in names}

    def _facts(self) -> dict[str, object]:
        return {
            "data": self.data,
            "queries": len(self.query_ids),
            "measures": few(self.measures),
            "best": few(self.best),
        }

    def __repr__(self) -> str:
        return short_repr("Evaluation", self._facts())

    def _repr_html_(self) -> str:
        return str(self.to_pandas().to_html(max_rows=_MOST_ROWS))


_MOST_ROWS = 20  # of a table in a notebook


def evaluate(
    data: Letor,
    *,
    rankers: str | Sequence[object] | Mapping[str, object] = "",
    measures: str | Sequence[str] = ("ndcg@10",),
    per_query: bool = False,
    test: int = 0,
    seed: int = 0,
    jobs: int = -1,
    watch: Watch = SILENT,
) -> Evaluation:
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
        Whether the table of the result has the value of every query instead of the mean over queries.
    test : int, default 0
        Number of rankers, the best by the first measure, to compare by `compare_rankers`.
    seed : int, default 0
        Seed of these tests.
    jobs : int, default -1
        Number of threads; -1 uses all cores. The result does not depend on it.
    watch : Watch, optional
        Receives the number of rankers done since the last call.

    Returns
    -------
    Evaluation
        ``to_pandas()`` has one row per ranker and measure: ``ranker``, ``measure`` and ``value``. With
        `per_query`, one per ranker, query and measure, with the ``query`` id; the value is NaN for queries
        left out by ``no_relevant=skip``. With `test`, it has the tests. ``means``, ``by_query`` and ``tests``
        are these tables by name, and ``best`` the rankers by decreasing mean of the first measure.

    Raises
    ------
    RankduelError
        If a measure or a feature is unknown, or two of them have the same name.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=20)
    >>> found = rankduel.evaluate(data, rankers="110,115", measures=["ndcg@10", "map(rel=2)"])
    >>> found.best
    ['110', '115']
    >>> found.to_pandas().round(3)
      ranker     measure  value
    0    110     ndcg@10  0.520
    1    110  map(rel=2)  0.386
    2    115     ndcg@10  0.475
    3    115  map(rel=2)  0.348
    """
    chosen = chosen_rankers(data, rankers)
    wanted = parse_measures([measures] if isinstance(measures, str) else measures)
    values = measure_rankers(
        data, chosen, wanted, jobs, lambda done: watch.counting("measuring rankers", done, len(chosen))
    )
    found = Evaluation(
        data=data.source,
        rankers=tuple(ranker.name for ranker in chosen),
        measures=tuple(measure_text(measure) for measure in wanted),
        query_ids=data.query_ids,
        values=values,
        per_query=per_query,
        tests=None,
        titles=dict(zip(data.feature_names, PROFILES[data.profile].titles)),
        notes=tuple(data.notes),
    )
    if not test:
        return found
    return replace(found, tests=compare_rankers(found.only(found.best[:test]), seed=seed))


def _tidy(axes: dict[str, np.ndarray], values: np.ndarray) -> pd.DataFrame:
    """Return a table with one row per value and a column of labels per axis."""
    labels = np.meshgrid(*axes.values(), indexing="ij")
    columns = {name: label.ravel() for name, label in zip(axes, labels)}
    return pd.DataFrame(columns | {"value": values.ravel()})


def compare_rankers(
    values: Evaluation | pd.DataFrame, *, samples: int = 10_000, confidence: float = 0.95, seed: int = 0
) -> PairedTests:
    """Test all pairs of rankers on the same queries, measure by measure.

    The test is Fisher's randomisation test of the mean difference: signs of the differences of queries are
    flipped, all of them if a pair differs on 20 queries or fewer, and at random otherwise. The interval is
    the percentile bootstrap over queries.

    Parameters
    ----------
    values : Evaluation or DataFrame
        What `evaluate` returns, or a table of another tool with the value of every query: columns
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
    PairedTests
        ``to_pandas()`` has one row per measure and pair: ``measure``, ``first`` and ``second``, of which the
        first has the higher mean, ``difference`` of the means, its interval from ``lo`` to ``hi``, the
        two-sided ``p`` and ``p_holm``, which is Holm's correction over all pairs of the measure, and the
        number of ``queries``.

    Raises
    ------
    RankduelError
        If a column is missing, rankers do not have the same queries, or there are fewer than two rankers.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=50)
    >>> found = rankduel.evaluate(data, rankers="110,115,125")
    >>> tests = rankduel.compare_rankers(found)
    >>> tests.pairs[["first", "second", "difference", "lo", "hi", "p_holm"]].round(3)
      first second  difference     lo     hi  p_holm
    0   110    115       0.103  0.067  0.140    0.00
    1   110    125       0.121  0.091  0.152    0.00
    2   115    125       0.017 -0.011  0.047    0.25
    """
    checked_count("samples", samples, MOST_SAMPLES)
    _check_confidence(confidence)
    table = values.by_query if isinstance(values, Evaluation) else values
    tables = [_tested(measure, matrix, samples, confidence, seed) for measure, matrix in _by_measure(table)]
    return PairedTests(pd.concat(tables, ignore_index=True))


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
            "evaluate(...).by_query has them"
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
