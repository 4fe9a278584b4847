"""Models of LightGBM, XGBoost and ONNX; each library is imported when a model of it is read."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from rankduel.base.errors import DataError, RankduelError
from rankduel.base.text import shortened
from rankduel.letor_data.rankers import xgboost_json
from rankduel.letor_data.rankers.lightgbm_text import checked_trees

_ONNX_TYPES = {"tensor(float)": np.float32, "tensor(double)": np.float64}


class Model(NamedTuple):
    """A loaded model."""

    n_features: int | None  # number of features it expects; None if the model does not specify it
    predict: Callable[[np.ndarray], Any]  # (n, n_features) float64, NaN = missing -> (n,) or (n, 1) scores
    maker: str  # library and version, on which scores depend
    by_number: bool = False  # features are identified by number; data may have more features than the model
    first_is_empty: bool = False  # the first feature was constant in the training data


def read_lightgbm(content: bytes, where: str) -> Model:
    """Return a LightGBM model in the format of `save_model`; scores are raw, before any link function."""
    lightgbm = _library("lightgbm", where)
    trees = checked_trees(content, where)
    with _reading("LightGBM", where):
        booster = lightgbm.Booster(model_str=trees.decode())
        n_features = int(booster.num_feature())

    def predict(rows: np.ndarray) -> Any:
        with _reading("LightGBM", where):
            return booster.predict(rows, raw_score=True)

    first_is_empty = b"\nfeature_infos=none " in trees
    maker = f"lightgbm {lightgbm.__version__}"
    return Model(n_features, predict, maker, first_is_empty=first_is_empty)


def read_xgboost(content: bytes, where: str) -> Model:
    """Return an XGBoost model in JSON; scores are margins, up to the best iteration if the model has one.

    UBJSON is not read, because XGBoost aborts the process if such a file is damaged.
    """
    xgboost = _library("xgboost", where)
    xgboost_json.check_trees(content, where)
    with _reading("XGBoost", where):
        booster = xgboost.Booster()
        booster.load_model(bytearray(content))
        best = booster.attributes().get("best_iteration")
        rounds = (0, 0 if best is None else int(best) + 1)  # (0, 0) is all rounds
        n_features = int(booster.num_features())

    def predict(rows: np.ndarray) -> Any:
        with _reading("XGBoost", where):
            table = xgboost.DMatrix(rows, missing=np.nan)
            return booster.predict(table, output_margin=True, iteration_range=rounds, validate_features=False)

    return Model(n_features, predict, f"xgboost {xgboost.__version__}")


def read_onnx(content: bytes, where: str) -> Model:
    """Return an ONNX model with a feature matrix as its only input and one score per document as output."""
    runtime = _library("onnxruntime", where)
    with _reading("ONNX Runtime", where):
        options = runtime.SessionOptions()
        options.log_severity_level = 4
        session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    given = session.get_inputs()
    made = session.get_outputs()
    if len(given) != 1 or len(made) != 1:
        raise DataError(
            f"{where}: an ONNX model of {len(given)} inputs and {len(made)} outputs "
            f"({', '.join(shortened(one.name) for one in [*given, *made])}); expected one matrix of features "
            "and one score a document"
        )
    kind, shape = given[0].type, given[0].shape
    if kind not in _ONNX_TYPES or len(shape) != 2:
        raise DataError(f"{where}: the input is {kind} of shape {shape}; expected a matrix of floats")

    def predict(rows: np.ndarray) -> Any:
        with _reading("ONNX Runtime", where):
            return session.run([made[0].name], {given[0].name: rows.astype(_ONNX_TYPES[kind])})[0]

    n_features = shape[1] if isinstance(shape[1], int) else None
    return Model(n_features, predict, f"onnxruntime {runtime.__version__}")


def _library(name: str, where: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        said = "" if isinstance(problem, ModuleNotFoundError) else f" ({problem})"
        raise DataError(
            f"{where}: needs {name}, which cannot be imported{said}; install it with "
            "pip install 'rankduel[models]'"
        ) from None


@contextmanager
def _reading(library: str, where: str) -> Iterator[None]:
    """Convert exceptions of a library to an error that names the file."""
    try:
        yield
    except RankduelError:
        raise
    except Exception as problem:  # each library has its own exception classes, and some raise built-in ones
        said = next(iter(str(problem).strip().splitlines()), type(problem).__name__)
        raise DataError(f"{where}: {library} cannot use it: {shortened(said, 200)}") from None
