"""Simulated users as tables of probabilities, one entry per relevance grade.

A user reads the page from the top. An examined document of grade g is clicked with probability p_click[g].
After a click the user leaves with probability p_stop[g]; without a click the user reads on. This is the
dependent click model (Guo, Liu and Wang, WSDM 2009), which the papers on interleaving call "cascade".

Variants change when the user leaves (`stop`, see STOP_RULES) or looks (`attention`, see position_based.py),
but not the tables. The users of the literature are in users/, one a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankduel.base.errors import ClickModelError
from rankduel.base.settings import find


class ClickModel(NamedTuple):
    """Probabilities of a simulated user, as kernels read them."""

    p_click: np.ndarray  # (grades,) float64
    p_stop: np.ndarray  # (grades,) float64
    attention: np.ndarray  # (ranks,) float64, probability to look at a rank; the last is for all below
    leaves_unclicked: bool  # p_stop applies whether or not the document was clicked


STOP_RULES = {
    "click": "after a click, with p_stop (the papers' model)",
    "any": "after any document, clicked or not, with p_stop (some public simulators)",
    "first": "with the first click (the single-click cascade)",
    "never": "at the end of the page",
}
EVERYWHERE = (1.0,)  # attention of a user who looks at every rank reached


def custom_model(
    p_click: Sequence[float],
    p_stop: Sequence[float],
    stop: str = "click",
    attention: Sequence[float] = EVERYWHERE,
) -> ClickModel:
    """Return a click model with given probabilities.

    Parameters
    ----------
    p_click, p_stop : sequence of float
        Click and stop probabilities, one per grade from 0 up.
    stop : str, default "click"
        When the user leaves: "click", "any", "first" or "never".
    attention : sequence of float, default (1.0,)
        Probability to look at each rank; the last value is for all ranks below.

    Returns
    -------
    ClickModel

    Raises
    ------
    ClickModelError
        If a value is no probability, or the rows differ in length.
    """
    click = _probabilities(p_click, "p_click", "grade")
    leave = _probabilities(p_stop, "p_stop", "grade")
    if len(click) != len(leave):
        raise ClickModelError(f"p_click has {len(click)} grades and p_stop {len(leave)}; they must agree")
    find(stop, STOP_RULES, "stop rule", ClickModelError)
    if stop == "first":
        leave = np.ones_like(leave)
    elif stop == "never":
        leave = np.zeros_like(leave)
    return ClickModel(click, leave, _probabilities(attention, "attention", "rank", 1), stop == "any")


def spread_evenly(row: Sequence[float], grades: int) -> list[float]:
    """Return a row of the 5-grade table at g -> 4 g / (grades - 1), interpolated between its grades.

    For 2 and 3 grades these are the tables of the literature, except for the middle grade of 'perfect', which
    is 0.5 there and 0.4 here. For other numbers of grades there is no published table.
    """
    if grades < 2:
        raise ClickModelError(f"grade_map=even needs 2 grades or more, not {grades}")
    places = np.linspace(0, len(row) - 1, grades)
    return [float(value) for value in np.interp(places, range(len(row)), row)]


def grades_in(labels: np.ndarray) -> int:
    """Return the number of grades from 0 to the highest label, 2 at least."""
    return max(int(labels.max(initial=0)) + 1, 2)


def check_grades(model: ClickModel, labels: np.ndarray) -> None:
    """Raise an error if the click model has no probabilities for a grade of the data."""
    top = int(labels.max(initial=0))
    bottom = int(labels.min(initial=0))
    if bottom < 0 or top >= len(model.p_click):
        raise ClickModelError(
            f"the data have grade {bottom if bottom < 0 else top}, but the click model has grades "
            f"0 to {len(model.p_click) - 1} only"
        )


def checked_map(grade_map: Sequence[int], grades: int) -> list[int]:
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
    """Return probabilities as an array; errors count entries (`each` is their name) from `start`."""
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
