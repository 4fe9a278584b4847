"""Rankers: a name and a function that scores every document, larger being better.

Each feature is a ranker, as in Lerot and the papers after it; so are linear combinations and scores
computed elsewhere. A feature keeps its natural direction unless `sign=-1` turns it round.
"""

from __future__ import annotations

import codecs
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from letor_data.errors import LetorFormatError
from letor_data.formats import profile_named
from letor_data.letor import Letor
from letor_data.packed.packing import guard
from rankduel.base.errors import DataError

MISSING = {"last": -np.inf, "first": np.inf, "zero": 0.0}  # the score of a document without the feature


class Ranker(NamedTuple):
    name: str
    score: Callable[[Letor], np.ndarray]  # letor -> (n_docs,) float32 or float64, never NaN


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

    return Ranker(name or f"{'-' if sign == -1 else ''}{feature}", score)


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

    return Ranker(name or "linear", score)


def scores(source: str | Path | Sequence[float] | np.ndarray, name: str | None = None) -> Ranker:
    """Rank by scores computed elsewhere: an array, or a text file with one number per line.

    There must be one score for each document line of the data's source, in that order, also when some
    of those documents were dropped since.
    """
    is_file = isinstance(source, (str, Path))
    title = name or (Path(source).stem if is_file else "scores")  # type: ignore[arg-type]
    where = source if is_file else title
    values = _read_scores(Path(source)) if is_file else _checked(source, title)  # type: ignore[arg-type]

    def score(letor: Letor) -> np.ndarray:
        n_records = int(letor.records.max()) + 1 if letor.n_docs else 0
        if len(values) < n_records:
            raise DataError(
                f"{where}: {len(values)} scores, but the data's source has at least {n_records} documents; "
                f"give one score per document line of {letor.source or 'the source'}"
            )
        return values[letor.records]

    return Ranker(title, score)


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


def _checked(source: Sequence[float] | np.ndarray, title: str) -> np.ndarray:
    values = np.asarray(source)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    if values.ndim != 1:
        raise DataError(f"{title}: scores must be one row of numbers, not an array of shape {values.shape}")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise DataError(f"{title}: score {bad[0]} must be a finite number, not {values[bad[0]]}")
    return values


def _read_scores(path: Path) -> np.ndarray:
    with guard(path):
        lines = path.read_bytes().removeprefix(codecs.BOM_UTF8).rstrip().split(b"\n")
    if lines == [b""]:
        raise DataError(f"{path}: no scores")
    return np.array([_read_score(path, number, line) for number, line in enumerate(lines, 1)])


def _read_score(path: Path, number: int, line: bytes) -> float:
    first, *others = line.split() or [b""]
    if not first:
        raise _bad_score(path, number, line, "blank line where a score should be", b"", 0)
    end = line.index(first) + len(first)
    if others:
        raise _bad_score(path, number, line, "one score per line", others[0], end)
    try:
        value = float(first) if b"_" not in first else math.nan  # Python alone reads 1_000
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise _bad_score(path, number, line, "a score must be a finite number", first, 0)
    return value


def _bad_score(
    path: Path, number: int, line: bytes, problem: str, token: bytes, start: int
) -> LetorFormatError:
    """The token is the first one like it from byte `start` on."""
    column, text = line.index(token, start) + 1, line.decode("latin-1")
    return LetorFormatError(path, number, column, problem, token.decode("latin-1"), text=text)
