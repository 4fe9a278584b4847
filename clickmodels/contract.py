"""A click model is a user with a name, tables of probabilities, and settings. One user a file, in users/."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from rankduel.base.errors import ClickModelError
from rankduel.base.settings import Configured, Setting
from rankduel.clickmodels.position_based import attention_from_text, attention_text
from rankduel.clickmodels.rows import numbers_in, row_text
from rankduel.clickmodels.tables import (
    EVERYWHERE,
    STOP_RULES,
    ClickModel,
    checked_map,
    custom_model,
    spread_evenly,
)

EVEN = "even"  # grade_map: grades are spread evenly over the 5-grade table
Table = tuple[Sequence[float], Sequence[float]]  # p_click and p_stop, one entry per grade


def _read_grade_map(value: Any) -> Any:
    if value == EVEN or not isinstance(value, str):
        return _as_tuple(value)
    try:
        return tuple(int(part) for part in value.split("/"))
    except ValueError:
        raise ClickModelError(
            f"grade_map should be 'even' or grades such as 0/1/3/4, not '{value}'"
        ) from None


def _write_grade_map(value: Any) -> str:
    return str(value) if value == EVEN else row_text(value)


def _read_attention(value: Any) -> Any:
    return tuple(attention_from_text(value)) if isinstance(value, str) else _as_tuple(value)


def _read_row(name: str) -> Callable[[Any], Any]:
    return lambda value: tuple(numbers_in(value, name)) if isinstance(value, str) else _as_tuple(value)


def _as_tuple(value: Any) -> Any:
    """Return sequences as tuples, which can be compared; `custom_model` refuses other values."""
    return tuple(value) if isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str) else value


Stop = Annotated[str, Setting("when the user leaves", choices=tuple(STOP_RULES))]
Attention = Annotated[
    tuple[float, ...],
    Setting(
        "chance to look at each rank; the last holds for all below",
        read=_read_attention,
        write=attention_text,
    ),
]


class TableParams(NamedTuple):
    """Settings of a user with tables."""

    stop: Stop = "click"
    attention: Attention = EVERYWHERE
    grade_map: Annotated[
        tuple[int, ...] | str,
        Setting("the grade of the 5-grade table that each grade of the data stands for",
                read=_read_grade_map, write=_write_grade_map),
    ] = ()  # fmt: skip


class User(NamedTuple):
    name: str
    about: str
    tables: Mapping[int, Table]  # by the number of grades
    source: str = "Hofmann, Whiteson and de Rijke, TOIS 2013, Table II, as public code has it"
    params: type = TableParams

    def model(self, params: Any, grades: int) -> ClickModel:
        """Return the click model for data with `grades` relevance grades."""
        p_click: Sequence[float]
        p_stop: Sequence[float]
        if params.grade_map == EVEN:
            p_click, p_stop = (spread_evenly(row, grades) for row in self.tables[5])
        elif params.grade_map != ():
            chosen = checked_map(params.grade_map, grades)
            p_click, p_stop = ([row[grade] for grade in chosen] for row in self.tables[5])
        elif grades in self.tables:
            p_click, p_stop = self.tables[grades]
        else:
            raise ClickModelError(self._ways_out(grades), parameter="grade_cuts")
        return custom_model(p_click, p_stop, params.stop, params.attention)

    def _ways_out(self, grades: int) -> str:
        """Return the message about a number of grades without a table, with the alternatives."""
        ways = [
            f"{self.name}(grade_map=even): the 5-grade table, interpolated; a table of ours, not published",
            "custom(p_click=...,p_stop=...): your own probabilities, one per grade, such as 0/0.5/1",
            "grade_cuts=...: read the labels as fewer grades, with limits such as 1,2",
        ]
        if grades == 4:
            same = "if the scale has five grades and no document here has the highest one"
            ways.insert(1, f"{self.name}(grade_map=0/1/2/3): {same}")
        known = ", ".join(map(str, self.tables))
        head = f"'{self.name}' has published tables for {known} grades, not for {grades}; ask for one of"
        return "\n  ".join([head, *ways])


class RowParams(NamedTuple):
    """Settings of `custom`."""

    p_click: Annotated[
        tuple[float, ...], Setting("click probability per grade", read=_read_row("p_click"))
    ] = ()
    p_stop: Annotated[tuple[float, ...], Setting("stop probability per grade", read=_read_row("p_stop"))] = ()
    stop: Stop = "click"
    attention: Attention = EVERYWHERE


class CustomUser(NamedTuple):
    """The user `custom(p_click=...,p_stop=...)`: probabilities as settings."""

    name: str = "custom"
    about: str = "your own probabilities, one per grade"
    params: type = RowParams

    def model(self, params: Any, grades: int | None) -> ClickModel:
        """Return the click model; refuse it if it does not have `grades` grades."""
        for name in ("p_click", "p_stop"):
            if getattr(params, name) == ():
                raise ClickModelError(f"{self.name} needs {name}: a probability per grade")
        model = custom_model(*params)
        if grades not in (None, len(model.p_click)):
            raise ClickModelError(_other_grades(len(model.p_click), grades), parameter="grade_cuts")
        return model


def model_for(user: ClickModel | Configured, grades: int) -> ClickModel:
    """Return the click model of a user for data with `grades` grades; refuse a table for another number."""
    if not isinstance(user, ClickModel):
        model: ClickModel = user.thing.model(user.params, grades)
        return model
    if len(user.p_click) != grades:
        raise ClickModelError(_other_grades(len(user.p_click), grades), parameter="grade_cuts")
    return user


def _other_grades(found: int, needed: int | None) -> str:
    return (
        f"the click model has {found} grades, but {needed} are needed: the data's. Give a probability for "
        "each grade, or read the labels as other grades with grade_cuts=..."
    )
