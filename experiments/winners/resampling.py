"""Winners over queries like these: draw the queries again, and see who wins.

A preference matrix is a mean over queries. A resample has as many queries, drawn with replacement (bootstrap:
Efron 1979), and its own matrix and winners. The share of resamples that a ranker wins shows how much its win
depends on the choice of queries. It includes the simulation error of the values by query, which are resampled
as estimated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy

from experiments.limits import checked_count
from experiments.matrix.preferences import Preferences
from rankduel.base.errors import encodable
from rankduel.base.streams import checked_seed, stream

USUAL = 1000  # resamples
_MOST = 1_000_000
_AT_ONCE = 100  # resamples in memory
_ROUNDING = 1e-6  # of a mean of values in single precision: what is nearer to 1/2 is a tie
NOTIONS = ("condorcet", "copeland", "borda")


class Resampled(NamedTuple):
    """How often each ranker wins over resampled queries."""

    shares: pd.DataFrame  # ranker and, by notion, the share of resamples that it wins, alone or tied
    without_condorcet: float  # share of resamples in which no ranker beats all others
    resamples: int
    what: str  # what is resampled, such as "the 69 queries"; groups of queries if there are very many

    def share(self, ranker: str, notion: str) -> float:
        """Return the share of resamples that `ranker`, a name in `shares`, wins by `notion`."""
        return float(self.shares.loc[self.shares["ranker"] == ranker, notion].iloc[0])


def resampled_winners(preferences: Preferences, resamples: int = USUAL, seed: int = 0) -> Resampled | None:
    """Return how often each ranker wins if the queries are drawn again; None without values by query.

    Rankers are in the order of these shares: Condorcet, then Copeland, then Borda winners.
    """
    resamples = checked_count("resamples", resamples, _MOST)
    rng = stream(checked_seed(seed), "resampled queries")
    if preferences.by_query is None:
        return None
    n_drawn = preferences.by_query.shape[1]
    counts = np.zeros((len(NOTIONS), len(preferences)), np.int64)
    for start in range(0, resamples, _AT_ONCE):
        size = min(_AT_ONCE, resamples - start)
        counts += winner_counts(preferences, rng.multinomial(n_drawn, np.full(n_drawn, 1 / n_drawn), size))
    names = [encodable(name) for name in preferences.names]
    shares = pd.DataFrame({"ranker": names} | dict(zip(NOTIONS, counts / resamples)))
    shares = shares.sort_values(list(NOTIONS), ascending=False, kind="stable", ignore_index=True)
    return Resampled(shares, 1.0 - counts[0].sum() / resamples, resamples, _what(preferences, n_drawn))


def _what(preferences: Preferences, n_drawn: int) -> str:
    n_queries = preferences.settings.get("n_queries")
    if isinstance(n_queries, int) and n_queries > n_drawn:
        return f"{n_drawn:,} groups of the {n_queries:,} queries"
    return f"the {n_drawn:,} queries"


def winner_counts(preferences: Preferences, times: np.ndarray) -> np.ndarray:
    """(notions, rankers): in how many of the resamples each wins; `times` (resamples, queries) says how often
    each has a query."""
    assert preferences.by_query is not None
    n_rankers = len(preferences)
    sums = preferences.by_query.astype(np.float64) @ times.T
    leads = sums / times.sum(axis=1) - 0.5
    leads[np.abs(leads) < _ROUNDING] = 0.0
    firsts, seconds = (_pair_sums(n_rankers, side) for side in (0, 1))
    beats = firsts @ (leads > 0) + seconds @ (leads < 0)
    borda = firsts @ leads - seconds @ leads
    return np.array(
        [
            (beats == n_rankers - 1).sum(axis=1),
            (beats == beats.max(axis=0)).sum(axis=1),
            (borda >= borda.max(axis=0) - n_rankers * _ROUNDING).sum(axis=1),
        ]
    )


def _pair_sums(n_rankers: int, side: int) -> scipy.sparse.csr_array:
    """Return a matrix (rankers, pairs) whose product with values of pairs is their sum for each ranker.

    The sum is over the pairs in which the ranker is the first (`side` 0) or the second (`side` 1).
    """
    members = np.triu_indices(n_rankers, 1)[side]
    pairs = np.arange(len(members))
    return scipy.sparse.csr_array((np.ones(len(members)), (members, pairs)), shape=(n_rankers, len(members)))
