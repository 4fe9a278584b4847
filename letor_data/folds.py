"""Five parts, five folds, as MSLR has them: Fold1 trains on S1-S3, validates on S4, tests on S5, and so on.

A query's part follows from its number alone, so the first queries of a large set have the same
splits as a small set.
"""

N_PARTS = 5
FOLDS = range(1, N_PARTS + 1)
SPLITS = ("train", "vali", "test")

# The part a fold is named after comes first; the folds rotate from there.
_SPLIT_OF_TURN = ("train", "train", "train", "vali", "test")


def split_of(query: int, fold: int = 1) -> str:
    """What a fold uses query number 0, 1, ... for: 'train', 'vali' or 'test'."""
    part = query % N_PARTS + 1
    return _SPLIT_OF_TURN[(part - fold) % N_PARTS]
