"""Istella LETOR."""

from rankduel.letor_data.contract import Profile, named
from rankduel.letor_data.text_format import text_format

FORMAT = text_format(
    Profile(
        "istella",
        "Istella LETOR, Istella-S, Istella-X",
        n_features=220,
        top_grade=4,
        sparse=True,
        huge_is_missing=True,
    ),
    named(r"istella"),
)
