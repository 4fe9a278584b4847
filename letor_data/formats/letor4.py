"""LETOR 4.0 without its rank aggregation data."""

from rankduel.letor_data.contract import Collection, Profile, named
from rankduel.letor_data.text_format import text_format

FORMAT = text_format(
    Profile("letor4", "LETOR 4.0: MQ2007 and MQ2008", n_features=46, top_grade=2, null_is_missing=True),
    named(r"^(?!.*MQ200[78][-_]?agg).*MQ200[78]"),
    sizes=(
        Collection("MQ2007", r"MQ2007", 1_692, 69_623),
        Collection("MQ2008", r"MQ2008", 784, 15_211),
    ),
)
