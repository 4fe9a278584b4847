"""The perfect user: clicks by relevance alone and reads the whole page."""

from rankduel.clickmodels.contract import User

USER = User(
    "perfect",
    "clicks by relevance alone and reads everything",
    {
        2: ((0, 1), (0, 0)),
        3: ((0, 0.5, 1), (0, 0, 0)),
        5: ((0, 0.2, 0.4, 0.8, 1), (0, 0, 0, 0, 0)),
    },
)
