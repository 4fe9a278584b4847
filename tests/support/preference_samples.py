"""Preferences of four rankers, known by several methods."""

import itertools

import numpy as np
import pandas as pd

from rankduel.experiments.matrix.preferences import METHODS

NAMES = ("bm25", "tf idf", "größer", "110")
SETTINGS = {
    "data": "MSLR/Fold1",
    "length": 10,
    "clicks": "navigational(stop=any)",
    "draws": 0.1,
    "seed": None,
}


def rows(size=4, seed=0):
    """Return pairs by several methods: played, exact and given."""
    rng = np.random.default_rng(seed)
    pairs = []
    for place, (i, j) in enumerate(itertools.combinations(range(size), 2)):
        odds, n = rng.dirichlet([3, 1, 2]), int(rng.integers(1, 1000))
        wins, ties = odds[0] * n, odds[1] * n
        losses = n - wins - ties
        p = (wins + ties / 2) / n
        known = {"wins": wins, "ties": ties, "losses": losses, "n": n, "method": METHODS[place % 3]}
        unknown = {"wins": np.nan, "ties": np.nan, "losses": np.nan, "n": 0, "method": "given"}
        pairs.append(
            {"first": i, "second": j, "p": p, "lo": p * 0.9, "hi": p * 0.9 + 0.1}
            | (unknown if place == 3 else known)
        )
    return pd.DataFrame(pairs)


def by_query_of(pairs, n_queries=7):
    """Return values of seven queries whose means are p."""
    noise = np.random.default_rng(2).normal(0, 0.1, (len(pairs), n_queries))
    return pairs["p"].to_numpy()[:, None] + noise - noise.mean(axis=1, keepdims=True)


def assert_same(one, other):
    assert one.names == other.names and one.settings == other.settings and one.digest == other.digest
    pd.testing.assert_frame_equal(one.pairs, other.pairs, check_exact=True)
    np.testing.assert_array_equal(one.matrix, other.matrix)
