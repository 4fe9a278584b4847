"""The informational user: gathers documents, clicks often and reads on."""

from rankduel.clickmodels.contract import User

USER = User(
    "informational",
    "gathers documents, clicks a lot and reads on",
    {
        2: ((0.4, 0.9), (0.1, 0.5)),
        3: ((0.4, 0.7, 0.9), (0.1, 0.3, 0.5)),
        5: ((0.4, 0.6, 0.7, 0.8, 0.9), (0.1, 0.2, 0.3, 0.4, 0.5)),
    },
)
