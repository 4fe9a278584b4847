"""Simulated users as tables of probabilities, one entry per relevance grade.

A user reads the page from the top. An examined document of grade g is clicked with p_click[g]; after a
click the user leaves with p_stop[g]; without a click the user always reads on. This is the dependent
click model (Guo, Liu and Wang, WSDM 2009), which the papers on interleaving call "cascade".

Variants change when the user leaves (`stop`) or looks (`attention`), never the tables: see STOP_RULES and
position_based.py.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np


class ClickModelError(ValueError):
    """A simulated user that cannot be; the message says what was found and what would do."""


class ClickModel(NamedTuple):
    """A simulated user, ready for the kernels."""

    p_click: np.ndarray  # (grades,) float64
    p_stop: np.ndarray  # (grades,) float64
    attention: np.ndarray  # (ranks,) float64, chance to look at a rank; the last value holds for all below
    leaves_unclicked: bool  # p_stop applies whether or not the document was clicked


class User(NamedTuple):
    name: str
    about: str
    tables: dict[int, tuple[tuple[float, ...], tuple[float, ...]]]  # grades -> (p_click, p_stop)
    source: str = "Hofmann, Whiteson and de Rijke, TOIS 2013, Table II, as public code has it"


USERS = {
    user.name: user
    for user in (
        User(
            "perfect",
            "clicks by relevance alone and reads everything",
            {
                2: ((0, 1), (0, 0)),
                3: ((0, 0.5, 1), (0, 0, 0)),
                5: ((0, 0.2, 0.4, 0.8, 1), (0, 0, 0, 0, 0)),
            },
        ),
        User(
            "navigational",
            "looks for one good document and then leaves",
            {
                2: ((0.05, 0.95), (0.2, 0.9)),
                3: ((0.05, 0.5, 0.95), (0.2, 0.5, 0.9)),
                5: ((0.05, 0.3, 0.5, 0.7, 0.95), (0.2, 0.3, 0.5, 0.7, 0.9)),
            },
        ),
        User(
            "informational",
            "gathers documents, clicks a lot and reads on",
            {
                2: ((0.4, 0.9), (0.1, 0.5)),
                3: ((0.4, 0.7, 0.9), (0.1, 0.3, 0.5)),
                5: ((0.4, 0.6, 0.7, 0.8, 0.9), (0.1, 0.2, 0.3, 0.4, 0.5)),
            },
        ),
        User(
            "almost_random",
            "barely sees relevance",
            {
                2: ((0.4, 0.6), (0.5, 0.5)),
                3: ((0.4, 0.5, 0.6), (0.5, 0.5, 0.5)),
                5: ((0.4, 0.45, 0.5, 0.55, 0.6), (0.5,) * 5),
            },
        ),
        User(
            "random",
            "clicks every second document, whatever it is",
            {grades: ((0.5,) * grades, (0.0,) * grades) for grades in (2, 3, 5)},
        ),
    )
}

STOP_RULES = {
    "click": "after a click, with p_stop (the papers' model)",
    "any": "after any document, clicked or not, with p_stop (some public simulators)",
    "first": "with the first click (the single-click cascade)",
    "never": "at the end of the page",
}
EVERYWHERE = (1.0,)  # attention of a user who looks at every rank reached


def click_model(
    name: str,
    grades: int = 5,
    stop: str = "click",
    attention: Sequence[float] = EVERYWHERE,
    grade_map: Sequence[int] | None = None,
) -> ClickModel:
    """A named user for data with so many relevance grades.

    Without `grade_map` the user must have a table for them (2, 3 or 5). With it, grade g of the data is
    treated as grade `grade_map[g]` of the 5-grade table; see `even_map`.
    """
    tables = USERS[known(name, USERS, "click model")].tables
    if grade_map is not None:
        p_click, p_stop = tables[5]
        chosen = _checked_map(grade_map, grades)
        return custom_model([p_click[g] for g in chosen], [p_stop[g] for g in chosen], stop, attention)
    if grades not in tables:
        raise ClickModelError(
            f"'{name}' has tables for {', '.join(map(str, tables))} grades, not for {grades}; map the grades "
            "onto the 5-grade table with grade_map, or give your own probabilities"
        )
    return custom_model(*tables[grades], stop, attention)


def custom_model(
    p_click: Sequence[float],
    p_stop: Sequence[float],
    stop: str = "click",
    attention: Sequence[float] = EVERYWHERE,
) -> ClickModel:
    """A user by your own probabilities, one per grade from 0 up."""
    click, leave = _probabilities(p_click, "p_click", "grade"), _probabilities(p_stop, "p_stop", "grade")
    if len(click) != len(leave):
        raise ClickModelError(f"p_click has {len(click)} grades and p_stop {len(leave)}; they must agree")
    known(stop, STOP_RULES, "stop rule")
    if stop == "first":
        leave = np.ones_like(leave)
    elif stop == "never":
        leave = np.zeros_like(leave)
    return ClickModel(click, leave, _probabilities(attention, "attention", "rank", 1), stop == "any")


def even_map(grades: int) -> tuple[int, ...]:
    """The grade map g -> 4 g / (grades - 1), which gives the 2- and 3-grade tables of the literature back.

    (All but the middle grade of 'perfect': 0.5 there, 0.4 by the map.)
    """
    if grades not in (2, 3, 5):
        raise ClickModelError(
            f"{grades} grades do not fall evenly on the 5-grade table; say which of its grades 0 to 4 each "
            "one is, such as 0/1/3/4 for 4 grades"
        )
    return tuple(4 * grade // (grades - 1) for grade in range(grades))


def check_grades(model: ClickModel, labels: np.ndarray) -> None:
    """Every grade in the data must have its probabilities."""
    top, bottom = int(labels.max(initial=0)), int(labels.min(initial=0))
    if bottom < 0 or top >= len(model.p_click):
        raise ClickModelError(
            f"the data have grade {bottom if bottom < 0 else top}, but the click model knows grades "
            f"0 to {len(model.p_click) - 1} only"
        )


def known(name: str, names: Collection[str], what: str) -> str:
    """The name, if it is one of these; otherwise an error that suggests the nearest."""
    if name not in list(names):  # a list: the name may be anything that TOML can hold
        close = difflib.get_close_matches(str(name), names, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"known: {', '.join(names)}"
        raise ClickModelError(f"no {what} named '{name}'; {hint}")
    return name


def _checked_map(grade_map: Sequence[int], grades: int) -> list[int]:
    chosen = list(grade_map)
    if len(chosen) != grades:
        raise ClickModelError(f"grade_map is for {len(chosen)} grades, but {grades} are needed")
    for grade, target in enumerate(chosen):
        if target not in range(5):
            raise ClickModelError(
                f"grade_map of grade {grade} is {target}; the 5-grade table has grades 0 to 4"
            )
    return [int(target) for target in chosen]


def _probabilities(values: Sequence[float], what: str, each: str, start: int = 0) -> np.ndarray:
    """`each` is what an entry stands for, counted from `start`."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
    if array.dtype.kind not in "iuf" or array.ndim != 1 or len(array) == 0:
        raise ClickModelError(f"{what} must be a row of probabilities, not {values!r}")
    bad = np.flatnonzero(~((array >= 0) & (array <= 1)))
    if len(bad):
        raise ClickModelError(
            f"{what} of {each} {bad[0] + start} is {array[bad[0]]:g}; a probability lies between 0 and 1"
        )
    return array.astype(np.float64)
