"""Models of LightGBM, XGBoost and ONNX: checked here, then read by their library in a process apart."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import NamedTuple

import numpy as np

from rankduel.base.errors import DataError
from rankduel.letor_data.rankers import onnx_graph, xgboost_json
from rankduel.letor_data.rankers.apart import Job, predicting
from rankduel.letor_data.rankers.lightgbm_text import checked_trees

Predict = Callable[[np.ndarray], np.ndarray]  # (n, n_features) float64, NaN = missing -> (n,) scores
# Distributions that contain the package of a library.
_DISTRIBUTIONS = {
    "lightgbm": ("lightgbm",),
    "xgboost": ("xgboost", "xgboost-cpu"),
    "onnxruntime": ("onnxruntime", "onnxruntime-gpu", "onnxruntime-directml", "onnxruntime-openvino"),
}


class Model(NamedTuple):
    """A checked model."""

    n_features: int | None  # number of features it expects; None if the model does not specify it
    predicting: Callable[[], AbstractContextManager[Predict]]  # yields a function for several batches
    maker: str  # what makes the scores, with its version; "" if it is unknown, and scores are not cached
    by_number: bool = False  # features are identified by number; data may have more features than the model
    first_is_empty: bool = False  # the first feature was constant in the training data


def read_lightgbm(content: bytes, where: str) -> Model:
    """Return a LightGBM model in the format of `save_model`; scores are raw, before any link function."""
    maker = _maker("lightgbm", where)
    trees = checked_trees(content, where)
    job = Job("lightgbm", trees.content)
    return Model(
        trees.n_features, partial(predicting, job, where), maker, first_is_empty=trees.first_is_empty
    )


def read_xgboost(content: bytes, where: str) -> Model:
    """Return an XGBoost model in JSON; scores are margins, up to the best iteration if the model has one."""
    maker = _maker("xgboost", where)
    checked = xgboost_json.checked_model(content, where)
    job = Job("xgboost", checked.content, checked.n_rounds)
    return Model(checked.n_features, partial(predicting, job, where), maker)


def read_onnx(content: bytes, where: str) -> Model:
    """Return an ONNX model with a feature matrix as its only input and one score per document as output."""
    maker = _maker("onnxruntime", where)
    n_features = onnx_graph.checked_features(content, where)
    return Model(n_features, partial(predicting, Job("onnxruntime", content), where), maker)


def _maker(library: str, where: str) -> str:
    """Return the library and its version, on which scores depend, without importing it."""
    if importlib.util.find_spec(library) is None:
        raise DataError(
            f"{where}: needs {library}, which cannot be imported; install it with pip "
            "install 'rankduel[models]'"
        )
    found = []
    for name in _DISTRIBUTIONS[library]:
        try:
            found.append(importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            continue
    return f"{library} {found[0]}" if len(found) == 1 else ""
