"""Rank aggregation data of LETOR 4.0."""

from rankduel.letor_data.contract import Profile, named
from rankduel.letor_data.text_format import text_format

FORMAT = text_format(
    Profile(
        "letor_agg",
        "LETOR 4.0 rank aggregation: values are positions, 1 is the top",
        top_grade=2,
        null_is_missing=True,
        sign=-1,
    ),
    named(r"MQ200[78][-_]?agg"),
)
