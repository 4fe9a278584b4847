"""LETOR 3.0."""

from rankduel.letor_data.contract import Collection, Profile, named
from rankduel.letor_data.text_format import text_format

FORMAT = text_format(
    Profile("letor3", "LETOR 3.0: OHSUMED and the .gov collections", top_grade=2, null_is_missing=True),
    named(r"OHSUMED|(TD|HP|NP)200[34]"),
    sizes=(
        Collection("OHSUMED", r"OHSUMED", 106, 16_140),
        Collection("TD2003", r"TD2003", 50, 49_058),
        Collection("TD2004", r"TD2004", 75, 74_146),
        Collection("HP2003", r"HP2003", 150, 147_606),
        Collection("HP2004", r"HP2004", 75, 74_409),
        Collection("NP2003", r"NP2003", 150, 148_657),
        Collection("NP2004", r"NP2004", 75, 73_834),
    ),
)
