"""Five folds of five parts, as in MSLR: Fold1 trains on S1-S3, validates on S4 and tests on S5, and so on.

The part of a query depends on its number only, so the first queries of a large set have the same splits as
those of a small set.
"""

N_PARTS = 5
FOLDS = range(1, N_PARTS + 1)
SPLITS = ("train", "vali", "test")

# Splits of the parts, starting at the part with the number of the fold.
_ROTATED_SPLITS = ("train", "train", "train", "vali", "test")


def split_of(query: int, fold: int = 1) -> str:
    """Return the split of query number `query` (from 0) in `fold`: 'train', 'vali' or 'test'."""
    part = query % N_PARTS + 1
    return _ROTATED_SPLITS[(part - fold) % N_PARTS]
