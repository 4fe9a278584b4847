"""Rankers by the columns of the data: one feature, or a weighted sum of some.

A feature keeps its natural direction unless `sign=-1` turns it round.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from letor_data.formats import profile_named
from letor_data.letor import Letor
from letor_data.rankers.contract import Ranker, named_text
from rankduel.base.errors import DataError
from rankduel.base.settings import written

MISSING = {"last": -np.inf, "first": np.inf, "zero": 0.0}  # the score of a document without the feature


def feature(feature: int | str, sign: int = 1, missing: str = "last", name: str | None = None) -> Ranker:
    """Rank by one feature; `sign=-1` where small values are better, `missing` a key of MISSING."""
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
    """Every feature as a ranker, in the direction its dataset profile says unless `sign` is given."""
    if sign is None:
        sign = profile_named(letor.profile).sign
    return [feature(name, sign, missing) for name in letor.feature_names]


def linear(
    weights: Mapping[int | str, float] | Sequence[float] | np.ndarray,
    normalize: bool = False,
    name: str | None = None,
) -> Ranker:
    """Rank by a weighted sum: weights by feature, or one for each feature in order.

    `normalize` maps a feature's values to 0..1 within each query first. A missing value counts as the
    feature's worst present value in its query, and as nothing in a query that has none.
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
    """(column number, weight) in column order: sums must not depend on how a mapping was written."""
    if isinstance(weights, Mapping):
        pairs = [(letor.feature_index(feature), weight) for feature, weight in weights.items()]
    elif len(weights) == letor.n_features:
        pairs = list(enumerate(weights))
    else:
        raise DataError(f"{len(weights)} weights for {letor.n_features} features")
    return sorted((column, float(weight)) for column, weight in pairs if weight)


def _filled(values: np.ndarray, offsets: np.ndarray, weight: float, normalize: bool) -> np.ndarray:
    """A column without gaps, mapped to 0..1 per query if asked, 0 where a query has no value at all."""
    sizes = np.diff(offsets)
    low = np.repeat(np.fmin.reduceat(values, offsets[:-1]), sizes)
    high = np.repeat(np.fmax.reduceat(values, offsets[:-1]), sizes)
    values = np.where(np.isnan(values), low if weight > 0 else high, values)
    if normalize:
        return np.divide(values - low, high - low, out=np.zeros_like(values), where=high > low)
    return np.where(np.isnan(values), 0.0, values)
