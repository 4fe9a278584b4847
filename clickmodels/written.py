"""Click models as text and TOML files, and the text of a click model.

Rows of numbers are written as in `rankduel.clickmodels.rows`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from rankduel.base.errors import ClickModelError
from rankduel.base.toml import load_toml, read_table
from rankduel.clickmodels.catalogue import CLICK_MODELS, CUSTOM, USERS, click_model
from rankduel.clickmodels.contract import EVEN, Stop
from rankduel.clickmodels.position_based import attention_text
from rankduel.clickmodels.rows import row_text
from rankduel.clickmodels.tables import EVERYWHERE, STOP_RULES, ClickModel


class _File(NamedTuple):
    """The fields of a TOML file; a row is a list of numbers, or text as in the settings of a user."""

    p_click: Sequence[float] | str
    p_stop: Sequence[float] | str
    stop: Stop = "click"
    attention: Sequence[float] | str = EVERYWHERE


def model_from_text(name: str, settings: Mapping[str, Any], grades: int | None) -> ClickModel:
    """Return the click model of `name(key=value,...)` for data with `grades` grades."""
    chosen = CLICK_MODELS.configured(name, **settings)
    return chosen.thing.model(chosen.params, grades)


def load_model(path: str | PathLike[str], grades: int | None = None) -> ClickModel:
    """Read a click model from a TOML file with p_click and p_stop, and optionally stop and attention.

    `attention` is a row of numbers or text such as "reciprocal:1". A file without `grades` grades is refused.
    """
    found = read_table(_File, load_toml(path, ClickModelError), str(path), ClickModelError)
    try:
        return model_from_text(CUSTOM.name, found._asdict(), grades)
    except ClickModelError as problem:
        raise ClickModelError(f"{path}: {problem}") from None


def describe_model(model: ClickModel) -> tuple[str, dict[str, str]]:
    """Return name and settings from which `model_from_text` makes this model; a named user if possible."""
    name, settings = _describe_table(model)
    if not np.array_equal(model.attention, EVERYWHERE):
        settings["attention"] = attention_text(model.attention)
    return name, settings


def _describe_table(model: ClickModel) -> tuple[str, dict[str, str]]:
    grades = len(model.p_click)
    asked = list(itertools.product(STOP_RULES, USERS))  # the usual stop rule first
    for stop, name in asked:
        if grades in USERS[name].tables and _found_in(model, click_model(name, grades, stop)) is not None:
            return name, _describe_stop(stop)
    for stop, name in asked:
        if grades > 1 and _found_in(model, click_model(name, grades, stop, grade_map=EVEN)) is not None:
            return name, _describe_stop(stop) | {"grade_map": EVEN}
    for stop, name in asked:
        grade_map = _found_in(model, click_model(name, 5, stop))
        if grade_map is not None:
            return name, _describe_stop(stop) | {"grade_map": row_text(grade_map)}
    rows = {"p_click": row_text(model.p_click), "p_stop": row_text(model.p_stop)}
    return CUSTOM.name, rows | _describe_stop("any" if model.leaves_unclicked else "click")


def _found_in(model: ClickModel, whole: ClickModel) -> list[int] | None:
    """Return for each grade of `model` the grade of `whole` with the same probabilities, ascending."""
    if model.leaves_unclicked != whole.leaves_unclicked:
        return None
    places = iter(enumerate(zip(whole.p_click, whole.p_stop)))
    wanted = list(zip(model.p_click, model.p_stop))
    found = [next((grade for grade, pair in places if pair == want), None) for want in wanted]
    return None if None in found else [grade for grade in found if grade is not None]


def _describe_stop(stop: str) -> dict[str, str]:
    return {} if stop == "click" else {"stop": stop}
