"""The Yahoo! Learning to Rank Challenge."""

from rankduel.letor_data.contract import Collection, Profile, named
from rankduel.letor_data.text_format import text_format

FORMAT = text_format(
    Profile("yahoo", "Yahoo! Learning to Rank Challenge (C14)", n_features=700, top_grade=4, sparse=True),
    named(r"set[12]\.(train|valid|test)\.txt|\bC14B?\b"),
    sizes=(
        Collection("Yahoo set 1 train", r"set1\.train\.txt", 19_944, 473_134),
        Collection("Yahoo set 1 valid", r"set1\.valid\.txt", 2_994, 71_083),
        Collection("Yahoo set 1 test", r"set1\.test\.txt", 6_983, 165_660),
        Collection("Yahoo set 2 train", r"set2\.train\.txt", 1_266, 34_815),
        Collection("Yahoo set 2 valid", r"set2\.valid\.txt", 1_266, 34_881),
        Collection("Yahoo set 2 test", r"set2\.test\.txt", 3_798, 103_174),
    ),
)
