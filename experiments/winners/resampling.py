"""Winners over queries like these, by the bootstrap (Efron 1979): resample the queries, and find the winners.

A preference matrix is a mean over queries. A resample draws as many queries with replacement, and has its own
matrix and winners. The share of resamples that a ranker wins shows how much its win depends on the choice of
queries. The share includes the simulation error of the values by query, as estimated values are resampled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy

from rankduel.base.errors import encodable
from rankduel.base.streams import checked_seed, stream
from rankduel.experiments.limits import checked_count
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.winners.many_matrices import random_walks, unbeaten_support

USUAL = 1000  # default number of resamples
_MOST = 1_000_000
_MOST_IN_BLOCK = 100  # resamples in memory
_BLOCK_ENTRIES = 10_000_000  # of the matrices of these
_ROUNDING = 1e-6  # error of a mean of values in single precision; means nearer to 1/2 are ties
_VISIT_ROUNDING = 1e-5  # relative error of the shares of a random walk, which are computed from such means


class Resampled(NamedTuple):
    """Shares of resamples that each ranker wins."""

    shares: pd.DataFrame  # ranker and, by notion, the share of resamples that it wins, alone or tied
    without_condorcet: float  # share of resamples in which no ranker beats all others
    resamples: int
    what: str  # the resampled units, such as "the 69 queries"; groups of queries if there are very many

    def share(self, ranker: str, notion: str) -> float:
        """Return the share of resamples that `ranker`, a name in `shares`, wins by `notion`."""
        return float(self.shares.loc[self.shares["ranker"] == ranker, notion].iloc[0])


def resampled_winners(
    preferences: Preferences, resamples: int = USUAL, seed: int = 0, notions: Sequence[str] = ()
) -> Resampled | None:
    """Return the shares of resamples that each ranker wins; None if `preferences` has no values by query.

    `notions` are keys of NOTIONS; by default all of them. Rankers are sorted by their shares, largest first.
    """
    resamples = checked_count("resamples", resamples, _MOST)
    rng = stream(checked_seed(seed), "resampled queries")
    if preferences.by_query is None:
        return None
    notions = list(notions or NOTIONS)
    n_drawn = preferences.by_query.shape[1]
    counts = np.zeros((len(notions), len(preferences)), np.int64)
    without_condorcet = 0
    block = max(1, min(_MOST_IN_BLOCK, _BLOCK_ENTRIES // len(preferences) ** 2))
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = resampled_leads(preferences, rng.multinomial(n_drawn, np.full(n_drawn, 1 / n_drawn), size))
        counts += [NOTIONS[notion](drawn).sum(axis=1) for notion in notions]
        without_condorcet += int((~_condorcet(drawn).any(axis=0)).sum())
    names = [encodable(name) for name in preferences.names]
    shares = pd.DataFrame({"ranker": names} | dict(zip(notions, counts / resamples)))
    shares = shares.sort_values(notions, ascending=False, kind="stable", ignore_index=True)
    return Resampled(shares, without_condorcet / resamples, resamples, _resampled_units(preferences, n_drawn))


def _resampled_units(preferences: Preferences, n_drawn: int) -> str:
    n_queries = preferences.settings.get("n_queries")
    if isinstance(n_queries, int) and n_queries > n_drawn:
        return f"{n_drawn:,} groups of the {n_queries:,} queries"
    return f"the {n_drawn:,} queries"


class Leads(NamedTuple):
    """Preference matrices of resamples, as leads."""

    pairs: np.ndarray  # (pairs, resamples) p - 1/2; exactly 0 for a tie
    beats: np.ndarray  # (rankers, resamples) number of rankers that each ranker beats
    borda: np.ndarray  # (rankers, resamples) sum of p - 1/2 against all others

    def matrices(self, resamples: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the preference matrices of `resamples`, of shape (resamples, rankers, rankers)."""
        size, leads = len(self.beats), self.pairs.T[resamples]
        made = np.full((len(leads), size, size), 0.5)
        rows, columns = np.triu_indices(size, 1)
        made[:, rows, columns] += leads
        made[:, columns, rows] -= leads
        return made


def resampled_leads(preferences: Preferences, times: np.ndarray) -> Leads:
    """Return the leads of resamples; `times[r, q]` is the number of times that resample r has query q."""
    assert preferences.by_query is not None
    sums = preferences.by_query.astype(np.float64) @ times.T
    leads = sums / times.sum(axis=1) - 0.5
    leads[np.abs(leads) < _ROUNDING] = 0.0
    firsts, seconds = (_pair_sums(len(preferences), side) for side in (0, 1))
    beats = firsts @ (leads > 0) + seconds @ (leads < 0)
    return Leads(leads, beats, firsts @ leads - seconds @ leads)


# ---- winners by notion, each a boolean array of shape (rankers, resamples) ----


def _condorcet(drawn: Leads) -> np.ndarray:
    return drawn.beats == len(drawn.beats) - 1


def _copeland(drawn: Leads) -> np.ndarray:
    return drawn.beats == drawn.beats.max(axis=0)


def _borda(drawn: Leads) -> np.ndarray:
    return drawn.borda >= drawn.borda.max(axis=0) - len(drawn.borda) * _ROUNDING


def _random_walk(drawn: Leads) -> np.ndarray:
    visits = random_walks(drawn.matrices()).T
    return visits >= visits.max(axis=0) * (1.0 - _VISIT_ROUNDING)


def _von_neumann(drawn: Leads) -> np.ndarray:
    """Mark the rankers with weight in an unbeaten lottery; a Condorcet winner has all the weight."""
    wins = _condorcet(drawn)
    unknown = np.flatnonzero(~wins.any(axis=0))
    for resample, matrix in zip(unknown, drawn.matrices(unknown)):
        wins[unbeaten_support(matrix), resample] = True
    return wins


NOTIONS: dict[str, Callable[[Leads], np.ndarray]] = {
    "condorcet": _condorcet,
    "copeland": _copeland,
    "borda": _borda,
    "random_walk": _random_walk,
    "von_neumann": _von_neumann,
}


def _pair_sums(n_rankers: int, side: int) -> scipy.sparse.csr_array:
    """Return a matrix (rankers, pairs) whose product with values of pairs is their sum for each ranker.

    The sum is over the pairs in which the ranker is the first (`side` 0) or the second (`side` 1).
    """
    members = np.triu_indices(n_rankers, 1)[side]
    pairs = np.arange(len(members))
    return scipy.sparse.csr_array((np.ones(len(members)), (members, pairs)), shape=(n_rankers, len(members)))
