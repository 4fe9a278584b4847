"""Rankers of Python objects: texts, functions, estimators, tables of scores, runs.

Tables of PyTerrier and runs of ranx are recognised by their methods; neither library is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from rankduel.base.errors import DataError, UsageError
from rankduel.letor_data.letor import Letor, few
from rankduel.letor_data.rankers.by_docid import by_docid
from rankduel.letor_data.rankers.columns import feature_rankers
from rankduel.letor_data.rankers.contract import NAMED, Ranker, named_text
from rankduel.letor_data.rankers.score_files import scores
from rankduel.letor_data.rankers.texts import parse

_RUN_COLUMNS = ["qid", "docno", "score"]
_BATCH = 32 << 20  # bytes of the feature matrix per call of an estimator
_EXPECTED = (
    "a text such as '0.7*39+0.3*23' or 'lightgbm:model.txt', a feature's number, a Ranker, a function of a "
    "query's feature matrix, an estimator with 'predict', an array or pandas Series of scores, a table with "
    "qid, docno and score, or a run {qid: {docno: score}}"
)


def rankers_of(given: Sequence[object] | Mapping[str, object], letor: Letor) -> list[Ranker]:
    """Return rankers for several objects.

    Parameters
    ----------
    given : str, sequence or mapping
        Objects that `ranker_of` accepts, or a mapping of names to them. A text is one ranker; the empty text
        is every feature of the data.
    letor : Letor
        The data to be ranked.

    Returns
    -------
    list of Ranker
        One ranker per object.

    Raises
    ------
    UsageError
        If `given` is neither a text, a sequence nor a mapping, or there is no way to rank by an object.
    DataError
        If an object does not match the data.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"qid": 1, "label": [0, 1], "bm25": [0.5, 2.0], "clicks": [30.0, 10.0]})
    >>> data = rankduel.Letor.from_pandas(frame)
    >>> mixed = {"text": "bm25", "sum": lambda features: features.sum(axis=1)}
    >>> rankers = rankduel.rankers.rankers_of(mixed, data)
    >>> [(ranker.name, ranker.score(data).tolist()) for ranker in rankers]
    [('text', [0.5, 2.0]), ('sum', [30.5, 12.0])]
    """
    if isinstance(given, str):
        return [parse(given, letor)] if given else feature_rankers(letor)
    if isinstance(given, Mapping):
        return [ranker_of(one, letor, str(name)) for name, one in given.items()]
    if isinstance(given, Ranker) or not isinstance(given, Sequence):
        raise UsageError(
            f"rankers is one {type(given).__name__}; expected a text, a sequence of rankers, or a mapping of "
            "names to rankers"
        )
    return [ranker_of(one, letor, place=place) for place, one in enumerate(given, 1)]


def ranker_of(given: object, letor: Letor, name: str | None = None, *, place: int = 1) -> Ranker:
    """Return a ranker for an object.

    Parameters
    ----------
    given : object
        One of

        - a text, see `rankduel.letor_data.rankers.texts`, or the number of a feature;
        - a Ranker;
        - an estimator, whose ``predict`` is called with feature matrices of many documents;
        - a function, which is called with the feature matrix of one query, of shape (documents, features)
          with NaN for missing values, and returns one score per document;
        - an array with one score for each document of the data's source;
        - a pandas Series with the index of `Letor.to_pandas`, or with the index (qid, docno);
        - a DataFrame with columns qid, docno and score, as in PyTerrier;
        - a run ``{qid: {docno: score}}``, or a Run of ranx.

        If scores are given by document id, documents without a score rank last, tied.
    letor : Letor
        The data to be ranked.
    name : str, optional
        Name of the ranker. By default, the text, or the name of the function, estimator class, table or run.
    place : int, default 1
        Number in the default name "ranker 1", for an object without a name.

    Returns
    -------
    Ranker
        The ranker. Scores that functions return are checked when data are ranked.

    Raises
    ------
    UsageError
        If there is no way to rank by the object.
    DataError
        If the object does not match the data.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"qid": 1, "label": [0, 1], "comment": ["d1", "d2"], "bm25": [0.5, 2.0]})
    >>> data = rankduel.Letor.from_pandas(frame)
    >>> rankduel.rankers.ranker_of({"1": {"d1": 7.0, "d2": 3.0}}, data, "run").score(data)
    array([7., 3.])
    """
    if isinstance(given, Ranker):
        return given if name is None else _renamed(given, name)
    if isinstance(given, (str, int, np.integer)) and not isinstance(given, bool):
        found = parse(str(given), letor)
        return found if name is None else _renamed(found, name)
    title = name or _own_name(given) or f"ranker {place}"
    if isinstance(given, pd.Series):
        return _from_series(given, letor, title)
    if isinstance(given, np.ndarray):
        return scores(given, title)
    if isinstance(given, pd.DataFrame):
        return by_docid(_checked_run(given, title), title)
    if isinstance(given, Mapping):
        return by_docid(_from_mapping(given, title), title)
    if callable(getattr(given, "predict", None)):
        return Ranker(title, _by_blocks(given.predict, _batches, title))  # type: ignore[attr-defined]
    if callable(given):
        return Ranker(title, _by_blocks(given, _queries, title))
    if callable(getattr(given, "to_dict", None)):
        return by_docid(_from_mapping(given.to_dict(), title), title)  # type: ignore[attr-defined]
    raise UsageError(f"{title} is of type {type(given).__name__}; expected {_EXPECTED}")


def _renamed(ranker: Ranker, name: str) -> Ranker:
    plain = ranker.text.rpartition(NAMED)[0] or ranker.text
    return ranker._replace(name=name, text=plain and named_text(plain, name, plain))


def _own_name(given: object) -> str:
    """Return the name of a function, estimator class, Series or run; "" if there is none."""
    if callable(getattr(given, "predict", None)):
        return type(given).__name__
    own = getattr(given, "name", None) or getattr(given, "__name__", None)
    return own if isinstance(own, str) and own.isprintable() and own != "<lambda>" else ""


# ---- functions of features ----

Blocks = Callable[[Letor], Iterator[tuple[int, int]]]  # yields (start, stop) rows of blocks


def _queries(letor: Letor) -> Iterator[tuple[int, int]]:
    yield from pairwise(letor.offsets.tolist())


def _batches(letor: Letor) -> Iterator[tuple[int, int]]:
    size = max(1, _BATCH // (8 * max(letor.n_features, 1)))
    for start in range(0, letor.n_docs, size):
        yield start, min(start + size, letor.n_docs)


def _by_blocks(function: Callable[..., Any], blocks: Blocks, title: str) -> Callable[[Letor], np.ndarray]:
    def score(letor: Letor) -> np.ndarray:
        found = np.empty(letor.n_docs)
        for start, stop in blocks(letor):
            rows = np.column_stack([np.asarray(column[start:stop], np.float64) for column in letor.columns])
            found[start:stop] = _checked_scores(function(rows), letor, start, stop)
        return found

    return score


def _checked_scores(returned: object, letor: Letor, start: int, stop: int) -> np.ndarray:
    """Return the scores of rows start to stop as an array; raise an error, with the query, if invalid."""
    try:
        values = np.asarray(returned, np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"query '{_query(letor, start)}': expected {stop - start} scores, found {type(returned).__name__}"
        ) from None
    values = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    if values.shape != (stop - start,):
        raise DataError(
            f"query '{_query(letor, start)}': expected {stop - start} scores, one for each row of features, "
            f"found an array of shape {values.shape}"
        )
    bad = np.flatnonzero(np.isnan(values))
    if len(bad):
        row = start + int(bad[0])
        place = row - letor.offsets[np.searchsorted(letor.offsets, row, "right") - 1]
        raise DataError(
            f"query '{_query(letor, row)}': the score of document {place} (from 0) is NaN, not a number"
        )
    return values


def _query(letor: Letor, row: int) -> str:
    return str(letor.query_ids[np.searchsorted(letor.offsets, row, "right") - 1])


# ---- tables of scores ----


def _from_series(series: pd.Series, letor: Letor, title: str) -> Ranker:
    if series.index.nlevels == 2:
        frame = series.rename("score").rename_axis(["qid", "docno"]).reset_index()
        return by_docid(_checked_run(frame, title), title)
    rows = pd.RangeIndex(letor.n_docs)
    if len(series) != len(rows) or not series.index.is_unique or len(series.index.difference(rows)):
        raise DataError(
            f"ranker '{title}': {len(series)} scores with the index {few(series.index.tolist())}; "
            f"expected the index of to_pandas(), 0 to {letor.n_docs - 1}, or pairs of qid and docno"
        )
    values = pd.to_numeric(series.reindex(rows), errors="coerce").to_numpy(np.float64)
    bad = np.flatnonzero(np.isnan(values))
    if len(bad):
        raise DataError(
            f"ranker '{title}': the score of row {bad[0]}, of query '{_query(letor, bad[0])}', is "
            f"{series.loc[bad[0]]}; expected a number"
        )
    return Ranker(title, lambda data: _of_rows(values, data, letor))


def _of_rows(values: np.ndarray, data: Letor, letor: Letor) -> np.ndarray:
    if data is not letor:
        raise DataError("a Series of scores is only for the data it was given with; make a ranker for these")
    return values


def _from_mapping(run: Mapping[Any, Any], title: str) -> pd.DataFrame:
    """Return a run {qid: {docno: score}} as a table."""
    for qid, documents in run.items():
        if not isinstance(documents, Mapping):
            raise DataError(
                f"ranker '{title}': query '{qid}' has {type(documents).__name__}; expected scores by "
                "document, as in {'q1': {'doc7': 3.5}}"
            )
    rows = [(qid, docno, value) for qid, documents in run.items() for docno, value in documents.items()]
    return _checked_run(pd.DataFrame(rows, columns=_RUN_COLUMNS), title)


def _checked_run(frame: pd.DataFrame, title: str) -> pd.DataFrame:
    """Return qid and docno as text and score as float64; raise an error if `frame` is not a run."""
    if not set(_RUN_COLUMNS) <= set(frame.columns):
        found = few([str(column) for column in frame.columns])
        raise DataError(f"ranker '{title}': expected columns qid, docno and score, found {found}")
    rows = frame[_RUN_COLUMNS].reset_index(drop=True).astype({"qid": object, "docno": object})
    rows = rows.assign(
        qid=rows["qid"].map(str).astype(object),
        docno=rows["docno"].map(str).astype(object),
        score=pd.to_numeric(rows["score"], errors="coerce").astype(np.float64),
    )
    if rows.empty:
        raise DataError(f"ranker '{title}': a run without documents")
    bad = np.flatnonzero(~np.isfinite(rows["score"]))
    again = np.flatnonzero(rows.duplicated(["qid", "docno"]))
    for row, problem in ((bad, "has a score that is no finite number"), (again, "comes twice")):
        if len(row):
            qid, docno = rows.loc[row[0], ["qid", "docno"]]
            raise DataError(f"ranker '{title}': document '{docno}' of query '{qid}' {problem}")
    return rows
