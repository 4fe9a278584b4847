"""The almost random user: clicks depend on relevance only a little."""

from rankduel.clickmodels.contract import User

USER = User(
    "almost_random",
    "clicks depend little on relevance",
    {
        2: ((0.4, 0.6), (0.5, 0.5)),
        3: ((0.4, 0.5, 0.6), (0.5, 0.5, 0.5)),
        5: ((0.4, 0.45, 0.5, 0.55, 0.6), (0.5,) * 5),
    },
)
