"""The child of `apart`: reads one model with its library, and scores batches until its input ends.

It is sent a line of JSON, the model, and then for every batch its shape in a line of JSON and its values. It
replies to each with a line, '{}' or '{"problem": "..."}', and after '{}' for a batch with its scores.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

import numpy as np

Predict = Callable[[np.ndarray], Any]

_MOST_WRITTEN = 1 << 20  # bytes of a file, such as that of messages
_UNNEEDED = ("dask", "pandas", "sklearn")  # LightGBM imports them if it can, which takes half of its time
_NAMES = {"lightgbm": "LightGBM", "xgboost": "XGBoost", "onnxruntime": "ONNX Runtime"}


def main() -> None:
    """Score one model."""
    told = json.loads(sys.stdin.buffer.readline())
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries print, too
    limit(told["memory"])
    name = _NAMES[told["library"]]
    try:
        _allow(told["seconds"])
        predict = _LOADERS[told["library"]](_received(told["size"]), told["n_rounds"])
        _reply(replies, {})
        while line := sys.stdin.buffer.readline():
            _allow(told["seconds"])
            shape = json.loads(line)
            rows = np.frombuffer(_received(8 * shape[0] * shape[1]), np.float64).reshape(shape)
            scores = _checked(predict(rows), len(rows))
            _reply(replies, {}, scores.tobytes())
    except ImportError as problem:
        fix = "install it with pip install 'rankduel[models]'"
        _reply(replies, {"problem": f"needs {told['library']}, which cannot be imported ({problem}); {fix}"})
    except Exception as problem:  # each library has its own exception classes, and some raise built-in ones
        said = next(iter(str(problem).strip().splitlines()), type(problem).__name__)
        _reply(replies, {"problem": f"{name} cannot use it: {said[:200]}"})


def limit(memory: int) -> None:
    """Limit the memory and files of this process, and let it be the first that the system ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    if sys.platform != "win32":
        import resource

        # The data segment, not the address space, of which threads and drivers reserve much and use little.
        limits = {"RLIMIT_DATA": memory, "RLIMIT_CORE": 0, "RLIMIT_FSIZE": _MOST_WRITTEN}
        for name, most in limits.items():
            with suppress(OSError, ValueError):  # a lower limit is set already, or the system has none
                resource.setrlimit(getattr(resource, name), (most, most))


def _allow(seconds: int) -> None:
    """End this process after so many seconds, also if the parent is gone: nothing handles the signal."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


def _received(n_bytes: int) -> bytes:
    content = sys.stdin.buffer.read(n_bytes)
    if len(content) != n_bytes:
        sys.exit(1)  # the parent is gone
    return content


def _reply(replies: IO[bytes], line: dict[str, str], content: bytes = b"") -> None:
    replies.write(json.dumps(line).encode() + b"\n" + content)
    replies.flush()


def _checked(found: Any, n: int) -> np.ndarray:
    scores = np.asarray(found, np.float64)
    scores = scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 1 else scores
    if scores.shape != (n,):
        raise ValueError(f"expected one score a document, found {scores.shape} for {n}")
    return scores


def _load_lightgbm(content: bytes, n_rounds: int) -> Predict:
    for name in _UNNEEDED:
        sys.modules[name] = None  # type: ignore[assignment]
    lightgbm = importlib.import_module("lightgbm")
    booster = lightgbm.Booster(model_str=content.decode())

    def predict(rows: np.ndarray) -> Any:
        return booster.predict(rows, raw_score=True)

    return predict


def _load_xgboost(content: bytes, n_rounds: int) -> Predict:
    xgboost = importlib.import_module("xgboost")
    booster = xgboost.Booster()
    booster.load_model(bytearray(content))
    rounds = (0, n_rounds)

    def predict(rows: np.ndarray) -> Any:
        table = xgboost.DMatrix(rows, missing=np.nan)
        return booster.predict(table, output_margin=True, iteration_range=rounds, validate_features=False)

    return predict


def _load_onnx(content: bytes, n_rounds: int) -> Predict:
    runtime = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry("session.load_model_format", "ONNX")  # what was checked
    session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    given = session.get_inputs()[0]
    kind = {"tensor(float)": np.float32, "tensor(double)": np.float64}[given.type]
    made = session.get_outputs()[0].name

    def predict(rows: np.ndarray) -> Any:
        return session.run([made], {given.name: rows.astype(kind)})[0]

    return predict


_LOADERS = {"lightgbm": _load_lightgbm, "xgboost": _load_xgboost, "onnxruntime": _load_onnx}
