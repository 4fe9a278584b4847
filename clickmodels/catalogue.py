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
    """Return a named user for data with so many relevance grades.

    Without `grade_map` the user must have a table for them (2, 3 or 5). With it, grade g of the data is
    treated as grade `grade_map[g]` of the 5-grade table; see `even_map`.
    """
    chosen = USERS.configured(name, stop=stop, attention=attention, grade_map=grade_map)
    return chosen.thing.model(chosen.params, grades)
