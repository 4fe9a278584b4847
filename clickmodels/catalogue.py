"""The click models by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from rankduel.base.errors import ClickModelError
from rankduel.base.settings import Catalogue, Configured, discovered
from rankduel.clickmodels import users
from rankduel.clickmodels.contract import CustomUser, User, model_for
from rankduel.clickmodels.tables import EVERYWHERE, ClickModel

USERS: Catalogue[User] = Catalogue("click model", ClickModelError, discovered(users, "USER"))
CUSTOM = CustomUser()
CLICK_MODELS: Catalogue[User | CustomUser] = Catalogue(
    "click model", ClickModelError, [*USERS.values(), CUSTOM]
)


@overload
def click_model(
    name: str,
    grades: int,
    stop: str = "click",
    attention: Sequence[float] | str = EVERYWHERE,
    grade_map: Sequence[int] | str = (),
) -> ClickModel: ...
@overload
def click_model(
    name: str,
    grades: None = None,
    stop: str = "click",
    attention: Sequence[float] | str = EVERYWHERE,
    grade_map: Sequence[int] | str = (),
) -> Configured: ...
def click_model(
    name: str,
    grades: int | None = None,
    stop: str = "click",
    attention: Sequence[float] | str = EVERYWHERE,
    grade_map: Sequence[int] | str = (),
) -> ClickModel | Configured:
    """Return a named user: for any data, or its table for a number of relevance grades.

    Parameters
    ----------
    name : str
        Name of the user; `click_models` lists them.
    grades : int, optional
        Number of relevance grades of the data. Without `grade_map` the user must have a table for them (2, 3
        or 5). By default the table is chosen where the user meets data, by their grades.
    stop : str, default "click"
        When the user leaves: "click", "any", "first" or "never".
    attention : sequence of float or str, default (1.0,)
        Probability to look at each rank, or text such as ``"reciprocal:1"``; the last value holds for all
        ranks below.
    grade_map : sequence of int or str, default ()
        Grade of the 5-grade table that each grade of the data stands for. Or "even": the grades are spread
        evenly over that table, which is interpolated. Except for 2, 3 and 5 grades, this is a table of ours
        and not a published one.

    Returns
    -------
    ClickModel or Configured
        With `grades`, click and stop probabilities per grade. Otherwise the user with its settings;
        `open_arena` and `build_matrix` take either.

    Raises
    ------
    RankduelError
        If the user is unknown or has no table for these grades.

    Examples
    --------
    >>> rankduel.click_model("navigational", 3).p_click.tolist()
    [0.05, 0.5, 0.95]
    >>> str(rankduel.click_model("navigational", stop="any"))
    'navigational(stop=any)'
    """
    chosen = USERS.configured(name, stop=stop, attention=attention, grade_map=grade_map)
    return chosen if grades is None else model_for(chosen, grades)
