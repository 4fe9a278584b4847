"""Users as people write them: settings as text, TOML files, and a model back as its settings.

Rows of numbers are written '0.05/0.5/0.95', one entry per grade (or rank) from the top of the row.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from clickmodels.position_based import ATTENTIONS
from clickmodels.tables import (
    EVERYWHERE,
    STOP_RULES,
    USERS,
    ClickModel,
    ClickModelError,
    click_model,
    custom_model,
    even_map,
    known,
)

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CUSTOM = "custom"  # the name of a user with probabilities of their own
_CUSTOM_KEYS = ("p_click", "p_stop", "stop", "attention")
_NAMED_KEYS = ("stop", "attention", "grade_map")


def model_from_text(name: str, settings: Mapping[str, str], grades: int = 5) -> ClickModel:
    """The user that `name(key=value,...)` stands for, on data with so many grades."""
    known(name, [*USERS, CUSTOM], "click model")
    for key in settings:
        known(key, _CUSTOM_KEYS if name == CUSTOM else _NAMED_KEYS, f"setting of {name}")
    options: dict[str, Any] = {"stop": settings.get("stop", "click")}
    if "attention" in settings:
        options["attention"] = attention_from_text(settings["attention"])
    if name == CUSTOM:
        _need_tables(settings, CUSTOM)
        options |= {key: _numbers(settings[key], key) for key in ("p_click", "p_stop")}
        return _with_grades(custom_model(**options), grades)
    if "grade_map" in settings:
        options["grade_map"] = _grade_map(settings["grade_map"], grades)
    return click_model(name, grades, **options)


def load_model(path: str | PathLike[str], grades: int | None = None) -> ClickModel:
    """A user from a TOML file with p_click and p_stop, and perhaps stop and attention.

    attention is a row of numbers or text such as "reciprocal:1". `grades` is how many there must be.
    """
    try:
        found = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as problem:  # not TOML, or not UTF-8
        raise ClickModelError(f"{path}: {problem}") from None
    try:
        for key in found:
            known(key, _CUSTOM_KEYS, "setting of a click model")
        _need_tables(found, "a click model")
        if isinstance(found.get("attention"), str):
            found["attention"] = attention_from_text(found["attention"])
        return _with_grades(custom_model(**found), grades)
    except ClickModelError as problem:
        raise ClickModelError(f"{path}: {problem}") from None


def attention_from_text(text: str) -> np.ndarray:
    """'reciprocal:1', 'geometric:0.8', 'measured', 'everywhere', or the chances themselves: '1/0.8/0.5'."""
    if text[:1].isdigit() or text[:1] in ("", ".", "-"):
        return np.array(_numbers(text, "attention"))
    name, colon, number = text.partition(":")
    attention = ATTENTIONS[known(name, ATTENTIONS, "attention")]
    if bool(colon) != bool(attention.takes):
        form = f"{name}:{attention.takes.upper()}" if attention.takes else name
        raise ClickModelError(f"attention '{text}' should be written as {form}")
    return attention.make(_number(number, f"{attention.takes} of {name}")) if colon else attention.make()


def describe_model(model: ClickModel) -> tuple[str, dict[str, str]]:
    """A name and settings that `model_from_text` makes the same model of; a named user where there is one."""
    name, settings = _describe_table(model)
    if not np.array_equal(model.attention, EVERYWHERE):
        settings["attention"] = _describe_attention(model.attention)
    return name, settings


def row_text(values: Iterable[float]) -> str:
    """'0/0.5/1' for (0.0, 0.5, 1.0), with as many digits as it takes to read the same numbers back."""
    return "/".join(_shortest(float(value)) for value in values)


def _need_tables(settings: Mapping[str, Any], what: str) -> None:
    for key in ("p_click", "p_stop"):
        if key not in settings:
            raise ClickModelError(f"{what} needs {key}: a probability per grade")


def _with_grades(model: ClickModel, grades: int | None) -> ClickModel:
    if grades not in (None, len(model.p_click)):
        raise ClickModelError(f"the click model has {len(model.p_click)} grades, but {grades} are needed")
    return model


def _numbers(text: str, what: str) -> list[float]:
    try:
        return [float(part) for part in text.split("/")]
    except ValueError:
        raise ClickModelError(f"{what} should be numbers such as 0/0.5/1, not '{text}'") from None


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ClickModelError(f"{what} should be a number, not '{text}'") from None


def _grade_map(text: str, grades: int) -> tuple[int, ...]:
    if text == "even":
        return even_map(grades)
    try:
        return tuple(int(part) for part in text.split("/"))
    except ValueError:
        raise ClickModelError(f"grade_map should be 'even' or grades such as 0/1/3/4, not '{text}'") from None


def _describe_table(model: ClickModel) -> tuple[str, dict[str, str]]:
    grades = len(model.p_click)
    asked = list(itertools.product(STOP_RULES, USERS))  # the usual stop rule first
    for stop, name in asked:
        if grades in USERS[name].tables and _found_in(model, click_model(name, grades, stop)) is not None:
            return name, _describe_stop(stop)
    for stop, name in asked:
        grade_map = _found_in(model, click_model(name, 5, stop))
        if grade_map is not None:
            return name, _describe_stop(stop) | {"grade_map": row_text(grade_map)}
    rows = {"p_click": row_text(model.p_click), "p_stop": row_text(model.p_stop)}
    return CUSTOM, rows | _describe_stop("any" if model.leaves_unclicked else "click")


def _found_in(model: ClickModel, whole: ClickModel) -> list[int] | None:
    """For each grade of `model` the grade of `whole` with the same probabilities, ever higher."""
    if model.leaves_unclicked != whole.leaves_unclicked:
        return None
    places = iter(enumerate(zip(whole.p_click, whole.p_stop)))
    wanted = list(zip(model.p_click, model.p_stop))
    found = [next((grade for grade, pair in places if pair == want), None) for want in wanted]
    return None if None in found else [grade for grade in found if grade is not None]


def _describe_stop(stop: str) -> dict[str, str]:
    return {} if stop == "click" else {"stop": stop}


def _describe_attention(attention: np.ndarray) -> str:
    second = attention[1] if len(attention) > 1 else 0.0
    eta = -math.log2(second) if second > 0 else 0.0
    candidates = [
        "measured",
        f"geometric:{_shortest(second)}",
        f"reciprocal:{_shortest(round(eta, 12))}",  # what was written, if the logarithm is off by rounding
        f"reciprocal:{_shortest(eta)}",
    ]
    same = (text for text in candidates if np.array_equal(attention_from_text(text), attention))
    return next(same, row_text(attention))


def _shortest(value: float) -> str:
    text = f"{value:g}"
    return text if float(text) == value else repr(float(value))
