"""Trained models as rankers, with scores cached on disk.

A model receives all features of the data in order, one row per document, with NaN for missing values. Only
formats that cannot execute code are read, so neither pickle nor joblib. Scores are cached in the folder
`Letor.cache`, with a key of the model's bytes, the library and its version, and the content of the data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankduel.base.errors import DataError, UsageError, encodable
from rankduel.base.files import short_name
from rankduel.base.settings import find
from rankduel.letor_data.cache import new_file, undamaged
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers.contract import Ranker, named_text
from rankduel.letor_data.rankers.libraries import Model, read_lightgbm, read_onnx, read_xgboost
from rankduel.letor_data.rankers.ranklib import read_ranklib

MOST_BYTES = 2 << 30  # of a model's file
_BATCH = 32 << 20  # bytes of the feature matrix per call of a model


class Format(NamedTuple):
    """A file format of models."""

    about: str
    read: Callable[[bytes, str], Model]  # takes the content of a file, and its name for messages


FORMATS = {
    "lightgbm": Format("a LightGBM model in its text format", read_lightgbm),
    "xgboost": Format("an XGBoost model in JSON", read_xgboost),
    "onnx": Format("an ONNX model with one output", read_onnx),
    "ranklib": Format("a MART or LambdaMART ensemble of RankLib", read_ranklib),
}


def model(kind: str, path: str | Path, name: str | None = None) -> Ranker:
    """Rank by a trained model in a file.

    Parameters
    ----------
    kind : {"lightgbm", "xgboost", "onnx", "ranklib"}
        Format of the file: LightGBM text, XGBoost JSON, ONNX with one output, or a MART or LambdaMART
        ensemble of RankLib.
    path : str or Path
        File of the model.
    name : str, optional
        Name of the ranker. By default, the file name without its suffix.

    Returns
    -------
    Ranker
        The ranker. When data are ranked, it raises DataError if the model expects another number of features
        or returns a score that is not finite.

    Raises
    ------
    UsageError
        If there is no such kind of model.
    DataError
        If the file cannot be read, or the library for it is not installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> left = '<split pos="left"><output>1</output></split>'
    >>> right = '<split pos="right"><output>3</output></split>'
    >>> split = f"<split><feature>1</feature><threshold>0.5</threshold>{left}{right}</split>"
    >>> tree = f'<tree id="1" weight="0.5">{split}</tree>'
    >>> _ = Path("mart.txt").write_text(f"## LambdaMART\\n<ensemble>{tree}</ensemble>\\n")
    >>> frame = pd.DataFrame({"qid": 1, "label": [0, 1], "bm25": [0.25, 0.75]})
    >>> rankduel.rankers.model("ranklib", "mart.txt").score(rankduel.Letor.from_pandas(frame))
    array([0.5, 1.5])
    """
    form = find(kind, FORMATS, "kind of model", UsageError)
    shown = encodable(str(path))
    content = _content(Path(path))
    loaded = form.read(content, shown)
    usual = Path(shown).stem
    key = hashlib.sha256(repr((kind, loaded.maker)).encode() + hashlib.sha256(content).digest()).digest()

    def score(letor: Letor) -> np.ndarray:
        columns = _columns(letor, loaded, shown)
        if letor.cache is None or not loaded.maker:
            return _scored(columns, letor.n_docs, loaded, shown)
        stem = letor.cache / f"{short_name(Path(shown).name)}.{_key(key, letor)}"
        scores = _load(stem, letor.n_docs)
        if scores is None:
            scores = _scored(columns, letor.n_docs, loaded, shown)
            _store(scores, stem)
        return scores

    return Ranker(name or usual, score, named_text(f"{kind}:{shown}", name or usual, usual))


def _content(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as problem:
        raise DataError(f"{path}: {problem.strerror or problem}") from None
    if len(content) > MOST_BYTES:
        raise DataError(f"{path}: larger than {MOST_BYTES >> 30} GiB, which is too large for a model")
    return content


# ---- scoring ----


def _columns(letor: Letor, loaded: Model, where: str) -> list[np.ndarray | None]:
    """Return the input columns of the model in order; None is a column of zeros.

    LightGBM numbers columns from 0, and svmlight text numbers features from 1. A model that LightGBM trained
    on such text has an empty first column.
    """
    if loaded.n_features is None or loaded.n_features == letor.n_features:
        return list(letor.columns)
    if loaded.n_features == letor.n_features + 1 and loaded.first_is_empty:
        return [None, *letor.columns]
    if loaded.by_number and loaded.n_features < letor.n_features:
        return list(letor.columns)
    raise DataError(
        f"{where}: the model expects {loaded.n_features} features and the data have {letor.n_features}; give "
        "it data with the features that it was trained on (--features chooses some)"
    )


def _scored(columns: list[np.ndarray | None], n_docs: int, loaded: Model, where: str) -> np.ndarray:
    scores = np.empty(n_docs)
    with loaded.predicting() as predict:
        for start, rows in _batches(columns, n_docs):
            found = predict(rows)
            bad = np.flatnonzero(~np.isfinite(found))
            if len(bad):
                raise DataError(
                    f"{where}: the score of row {start + bad[0]} is {found[bad[0]]}, not a number"
                )
            scores[start : start + len(rows)] = found
    return scores


def _batches(columns: list[np.ndarray | None], n_docs: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield (first row, feature matrix of a batch of rows), to bound memory."""
    size = max(1, _BATCH // (8 * max(len(columns), 1)))
    for start in range(0, n_docs, size):
        rows = np.zeros((min(size, n_docs - start), len(columns)))
        for place, column in enumerate(columns):
            if column is not None:
                rows[:, place] = column[start : start + size]
        yield start, rows


# ---- cached scores ----


def _key(of_model: bytes, letor: Letor) -> str:
    """Return the cache key of the scores of a model."""
    return hashlib.sha256(of_model + letor.content_digest.encode()).hexdigest()[:32]


def _load(stem: Path, n_docs: int) -> np.ndarray | None:
    """Return cached scores; None if there is no undamaged file of them."""
    for file in undamaged(stem, ".npy"):
        with suppress(OSError, ValueError, EOFError):  # unreadable, or not an array
            scores = np.load(file, allow_pickle=False)
            if scores.shape == (n_docs,) and scores.dtype == np.float64:
                return scores
    return None


def _store(scores: np.ndarray, stem: Path) -> None:
    """Write scores to the cache, if possible: they can be used without it."""
    with suppress(OSError), new_file(stem, ".npy") as temporary, open(temporary, "wb") as file:
        np.save(file, scores)
