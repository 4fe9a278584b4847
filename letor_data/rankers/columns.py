"""Rankers by the columns of the data: one feature, or a weighted sum of features."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankduel.base.errors import DataError
from rankduel.base.settings import written
from rankduel.letor_data.catalogue import profile_named
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers.contract import Ranker, named_text

MISSING = {"last": -np.inf, "first": np.inf, "zero": 0.0}  # score of a document whose value is missing


def feature(feature: int | str, sign: int = 1, missing: str = "last", name: str | None = None) -> Ranker:
    """Rank by one feature.

    Parameters
    ----------
    feature : int or str
        Name of the feature, or its number in the source.
    sign : {1, -1}, default 1
        Order: 1 ranks the largest value first, -1 the smallest.
    missing : {"last", "first", "zero"}, default "last"
        Rank of documents whose value is missing: last, first, or as the value 0.
    name : str, optional
        Name of the ranker. By default the feature, with "-" before it if `sign` is -1.

    Returns
    -------
    Ranker
        The ranker. When data are ranked, it raises DataError if they have no such feature.

    Raises
    ------
    DataError
        If `sign` or `missing` is none of the choices.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"qid": 1, "label": [0, 1, 2], "bm25": [0.5, None, 2.0]})
    >>> data = rankduel.Letor.from_pandas(frame)
    >>> rankduel.rankers.feature("bm25").score(data)
    array([ 0.5, -inf,  2. ], dtype=float32)
    >>> rankduel.rankers.feature("bm25", sign=-1, missing="zero").score(data)
    array([-0.5,  0. , -2. ], dtype=float32)
    """
    if sign not in (1, -1):
        raise DataError(f"sign must be 1 or -1, not {sign}")
    if missing not in MISSING:
        raise DataError(f"missing must be one of {', '.join(MISSING)}, not '{missing}'")

    def score(letor: Letor) -> np.ndarray:
        column = letor.column(feature)
        values = column if sign == 1 else -column
        absent = np.isnan(values)
        return np.where(absent, values.dtype.type(MISSING[missing]), values) if absent.any() else values

    usual = f"{'-' if sign == -1 else ''}{feature}"
    text = named_text(usual, name or usual, usual) if missing == "last" else ""
    return Ranker(name or usual, score, text)


def feature_rankers(letor: Letor, sign: int | None = None, missing: str = "last") -> list[Ranker]:
    """Return one ranker per feature of the data.

    Parameters
    ----------
    letor : Letor
        Judged documents.
    sign : {1, -1}, optional
        Order: 1 ranks the largest value first, -1 the smallest. The default is that of the data's profile.
    missing : {"last", "first", "zero"}, default "last"
        Rank of documents whose value is missing, as in `feature`.

    Returns
    -------
    list of Ranker
        Rankers in the order of the features.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=10)
    >>> [ranker.name for ranker in rankduel.rankers.feature_rankers(data)[:3]]
    ['1', '2', '3']
    """
    if sign is None:
        sign = profile_named(letor.profile).sign
    return [feature(name, sign, missing) for name in letor.feature_names]


def linear(
    weights: Mapping[int | str, float] | Sequence[float] | np.ndarray,
    normalize: bool = False,
    name: str | None = None,
) -> Ranker:
    """Rank by a weighted sum of features.

    A missing value counts as the worst value of the feature in its query, and as 0 if all are missing.

    Parameters
    ----------
    weights : mapping, sequence or ndarray
        Weights by feature name or number, or one weight for each feature of the data in order.
    normalize : bool, default False
        Whether to scale each feature to [0, 1] within every query before weighting.
    name : str, optional
        Name of the ranker, by default "linear".

    Returns
    -------
    Ranker
        The ranker. When data are ranked, it raises DataError if the weights do not match the features.

    Raises
    ------
    DataError
        If a weight is not finite.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"qid": 1, "label": [0, 1], "bm25": [0.5, 2.0], "clicks": [30.0, 10.0]})
    >>> data = rankduel.Letor.from_pandas(frame)
    >>> rankduel.rankers.linear({"bm25": 1.0, "clicks": 0.5}).score(data)
    array([15.5,  7. ])
    >>> rankduel.rankers.linear({"bm25": 1.0, "clicks": 0.5}, normalize=True).score(data)
    array([0.5, 1. ])
    """
    for weight in weights.values() if isinstance(weights, Mapping) else weights:
        if not math.isfinite(weight):
            raise DataError(f"a weight must be a finite number, not {weight}")

    def score(letor: Letor) -> np.ndarray:
        total = np.zeros(letor.n_docs)
        for column, weight in _by_column(letor, weights):
            values = _filled(letor.columns[column].astype(np.float64), letor.offsets, weight, normalize)
            total += weight * values
        return total

    text = sum_text(weights, normalize) if isinstance(weights, Mapping) and weights else ""
    return Ranker(name or "linear", score, named_text(text, name or "linear", text) if text else "")


def sum_text(weights: Mapping[int | str, float], normalize: bool) -> str:
    """Return the text of a weighted sum: '0.7*39+0.3*23', or 'minmax(0.7*39+0.3*23)'."""
    terms = "".join(f"{float(weight):+}"[0] + _term(feature, weight) for feature, weight in weights.items())
    text = terms.removeprefix("+")
    return f"minmax({text})" if normalize else text


def _term(feature: int | str, weight: float) -> str:
    name = str(feature)
    if not name or name != name.strip() or any(mark in name for mark in '"*+-()'):
        name = '"' + name.replace('"', '""') + '"'
    return f"{written(abs(float(weight)))}*{name}"


def _by_column(letor: Letor, weights: Any) -> list[tuple[int, float]]:
    """Return (column number, weight) in column order: sums do not depend on the order of a mapping."""
    if isinstance(weights, Mapping):
        pairs = [(letor.feature_index(feature), weight) for feature, weight in weights.items()]
    elif len(weights) == letor.n_features:
        pairs = list(enumerate(weights))
    else:
        raise DataError(f"{len(weights)} weights for {letor.n_features} features")
    return sorted((column, float(weight)) for column, weight in pairs if weight)


def _filled(values: np.ndarray, offsets: np.ndarray, weight: float, normalize: bool) -> np.ndarray:
    """Return a column without missing values, scaled to [0, 1] within each query if `normalize`."""
    sizes = np.diff(offsets)
    low = np.repeat(np.fmin.reduceat(values, offsets[:-1]), sizes)
    high = np.repeat(np.fmax.reduceat(values, offsets[:-1]), sizes)
    values = np.where(np.isnan(values), low if weight > 0 else high, values)
    if normalize:
        return np.divide(values - low, high - low, out=np.zeros_like(values), where=high > low)
    return np.where(np.isnan(values), 0.0, values)
