"""The click models by name."""

from __future__ import annotations

from collections.abc import Sequence

from clickmodels import users
from clickmodels.contract import CustomUser, User
from clickmodels.tables import EVERYWHERE, ClickModel
from rankduel.base.errors import ClickModelError
from rankduel.base.settings import Catalogue, discovered

USERS: Catalogue[User] = Catalogue("click model", ClickModelError, discovered(users, "USER"))
CUSTOM = CustomUser()
CLICK_MODELS: Catalogue[User | CustomUser] = Catalogue(
    "click model", ClickModelError, [*USERS.values(), CUSTOM]
)


def click_model(
    name: str,
    grades: int = 5,
    stop: str = "click",
    attention: Sequence[float] | str = EVERYWHERE,
    grade_map: Sequence[int] | str = (),
) -> ClickModel:
    """Return a named user for data with a number of relevance grades.

    Parameters
    ----------
    name : str
        Name of the user; `click_models` lists them.
    grades : int, default 5
        Number of relevance grades of the data. Without `grade_map` the user must have a table for them (2, 3
        or 5).
    stop : str, default "click"
        When the user leaves: "click", "any", "first" or "never".
    attention : sequence of float or str, default (1.0,)
        Probability to look at each rank, or text such as ``"reciprocal:1"``; the last value holds for all
        ranks below.
    grade_map : sequence of int or str, default ()
        Grade of the 5-grade table that each grade of the data stands for, or "even".

    Returns
    -------
    ClickModel
        Click and stop probabilities per grade.

    Raises
    ------
    RankduelError
        If the user is unknown or has no table for these grades.

    Examples
    --------
    >>> rankduel.click_model("navigational", 3).p_click.tolist()
    [0.05, 0.5, 0.95]
    """
    chosen = USERS.configured(name, stop=stop, attention=attention, grade_map=grade_map)
    return chosen.thing.model(chosen.params, grades)
