"""The navigational user: looks for one good document and then leaves."""

from rankduel.clickmodels.contract import User

USER = User(
    "navigational",
    "looks for one good document and then leaves",
    {
        2: ((0.05, 0.95), (0.2, 0.9)),
        3: ((0.05, 0.5, 0.95), (0.2, 0.5, 0.9)),
        5: ((0.05, 0.3, 0.5, 0.7, 0.95), (0.2, 0.3, 0.5, 0.7, 0.9)),
    },
)
