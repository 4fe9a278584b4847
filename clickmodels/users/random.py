"""The random user: clicks every document with probability 1/2."""

from rankduel.clickmodels.contract import User

USER = User(
    "random",
    "clicks every document with probability 1/2",
    {grades: ((0.5,) * grades, (0.0,) * grades) for grades in (2, 3, 5)},
)
