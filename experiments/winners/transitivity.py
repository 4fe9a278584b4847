"""Total orders, weak orders, cycles and stochastic transitivity of a preference matrix."""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
import pandas as pd

from rankduel.bandits import condorcet_winner
from rankduel.base.compiling import entry, kernel
from rankduel.base.threads import n_workers, ordered_map

# Definitions for triples with p[i, j] >= 1/2 and p[j, k] >= 1/2, where d = p - 1/2.
PROPERTIES = {
    "SST": "strong stochastic transitivity: d(i,k) >= max(d(i,j), d(j,k))",
    "MST": "moderate stochastic transitivity: d(i,k) >= min(d(i,j), d(j,k))",
    "WST": "weak stochastic transitivity: d(i,k) >= 0",
    "STI": "stochastic triangle inequality: d(i,k) <= d(i,j) + d(j,k)",
}
_ROUNDING = 1e-12  # a smaller violation is a rounding error
_BLOCK = 64  # rankers i that a thread scans at a time
_TILE = 256  # of j and of k: the part of a matrix that a scan reads at a time is half a megabyte


def total_order(matrix: np.ndarray) -> np.ndarray | None:
    """Return indices such that each ranker beats all later ones; None if there is no such order."""
    wins = (matrix > 0.5).sum(axis=1)
    order = np.argsort(-wins, kind="stable")
    return order if np.array_equal(wins[order], np.arange(len(matrix))[::-1]) else None


def weak_order(matrix: np.ndarray) -> np.ndarray | None:
    """Return indices such that no ranker beats an earlier one; None if there is no such order.

    Tied rankers may be in either order.
    """
    left, order = np.arange(len(matrix)), []
    beaten_by = (matrix < 0.5).sum(axis=1)
    while len(left):
        free = left[beaten_by[left] == 0]
        if not len(free):
            return None
        order.append(free)
        left = np.setdiff1d(left, free)
        beaten_by -= (matrix[:, free] < 0.5).sum(axis=1)
    return np.concatenate(order)


def count_cycles(matrix: np.ndarray, margin: float = 0.0) -> int:
    """Return the number of 3-cycles: i beats j, j beats k and k beats i, each with p > 1/2 + `margin`."""
    beats = matrix > 0.5 + margin
    wins = beats.sum(axis=1)
    if wins.sum() == comb(len(matrix), 2):
        # Every pair has a winner, so a triple either is a cycle or has one ranker that beats the other two.
        return count_triples(matrix) - int((wins * (wins - 1) // 2).sum())
    paths = beats.astype(np.float32) @ beats.astype(np.float32)  # counts up to 2^24 are exact
    return round(float(paths.sum(where=beats.T, dtype=np.float64))) // 3


def count_triples(matrix: np.ndarray) -> int:
    """Return the number of sets of three rankers."""
    return comb(len(matrix), 3)


def count_ties(matrix: np.ndarray) -> int:
    """Return the number of pairs with p equal to 1/2."""
    return int((np.triu(matrix == 0.5, 1)).sum())


class Transitivity(NamedTuple):
    """Violations of the properties of stochastic transitivity."""

    # One row for each of PROPERTIES: triples, violations, and the size and triple of the worst violation (0
    # and -1 if there is none).
    checks: pd.DataFrame
    gamma: float  # smallest gamma with gamma d(i,k) >= max(d(i,j), d(j,k)): 1 under SST, inf with a cycle
    gamma_best: float  # the same with i the Condorcet winner (Yue and Joachims 2011); NaN without a winner


def transitivity(matrix: np.ndarray) -> Transitivity:
    """Check all PROPERTIES on all ordered triples i, j, k with p[i, j] and p[j, k] at least 1/2."""
    margins = np.ascontiguousarray(matrix - 0.5)
    found = _scanned(margins)
    through = _chains(margins)
    violates_weak = margins < -_ROUNDING
    found.counts[:, 2] = (through * violates_weak).sum(axis=1)
    where = np.full((len(PROPERTIES), 3), -1)
    for number, sizes in enumerate(found.worst.T):
        if sizes.max() > 0.0:
            first = int(sizes.argmax())
            where[number] = first, *_first_pair(margins, number, first, sizes[first])
    checks = pd.DataFrame({"property": list(PROPERTIES), "triples": int(through.sum())})
    checks = checks.assign(violations=found.counts.sum(axis=0), worst=found.worst.max(axis=0))
    checks = checks.assign(i=where[:, 0], j=where[:, 1], k=where[:, 2])
    return Transitivity(checks, float(found.gamma.max()), _gamma_best(margins, condorcet_winner(matrix)))


class Violations(NamedTuple):
    """Violations of the properties by the first ranker i of the triples."""

    counts: np.ndarray  # (K, 4) int64, of the order of PROPERTIES
    worst: np.ndarray  # (K, 4) largest violation, 0 if there is none
    gamma: np.ndarray  # (K,) smallest gamma of the triples


def _scanned(margins: np.ndarray) -> Violations:
    """Return the violations, without the counts of WST; blocks of rankers i are scanned on threads."""
    size = len(margins)
    found = Violations(np.zeros((size, 4), np.int64), np.zeros((size, 4)), np.ones(size))
    # NaN fails every comparison, so these entries count nowhere.
    after = np.where(margins >= 0.0, margins, np.nan)
    across = margins.copy()
    np.fill_diagonal(after, np.nan)
    np.fill_diagonal(across, np.nan)

    def scan(start: int) -> None:
        _scan(margins, after, across, start, min(start + _BLOCK, size), *found)

    for _ in ordered_map(scan, range(0, size, _BLOCK), n_workers(-1)):
        pass
    found.worst[found.worst <= _ROUNDING] = 0.0
    return found


def _chains(margins: np.ndarray) -> np.ndarray:
    """Return (K, K): the number of j with p[i, j] and p[j, k] at least 1/2; 0 on the diagonal."""
    at_least = (margins >= 0.0).astype(np.float32)  # counts up to 2^24 are exact
    np.fill_diagonal(at_least, 0.0)
    through = (at_least @ at_least).astype(np.int64)
    np.fill_diagonal(through, 0)
    return through


def _gamma_best(margins: np.ndarray, winner: int) -> float:
    if winner < 0:
        return np.nan
    others = np.arange(len(margins)) != winner
    gap, among = margins[winner, others], margins[np.ix_(others, others)]
    before = among > 0
    ratios = np.maximum(gap[:, None], among) / gap
    return float(max(1.0, ratios[before].max(initial=1.0)))


@entry
def _scan(margins, after, across, start, stop, counts, worst, gamma):
    """Scan the triples whose i is in start:stop, and write the results to rows of the last three arrays.

    A tile of `after` is used for many i while the processor caches it. The largest and smallest margins are
    kept by k: a violation of SST or MST is largest where the margin across is exceeded most.
    """
    size = len(margins)
    kept = np.empty((3, _TILE))
    for left_k in range(0, size, _TILE):
        right_k = min(left_k + _TILE, size)
        most, least, excess = (
            kept[0, : right_k - left_k],
            kept[1, : right_k - left_k],
            kept[2, : right_k - left_k],
        )
        for first_j in range(0, size, _TILE):
            for i in range(start, stop):
                edge = across[i, left_k:right_k]
                most[:] = least[:] = -1.0
                excess[:] = 0.0
                for j in range(first_j, min(first_j + _TILE, size)):
                    if j != i and margins[i, j] >= 0.0:
                        _scan_row(
                            margins[i, j], after[j, left_k:right_k], edge, most, least, excess, counts[i]
                        )
                _note(edge, most, least, excess, worst[i], gamma[i : i + 1])


@kernel
def _scan_row(before, after, across, most, least, excess, counts):
    """Count the violations of triples with the same i and j, and update the extremes; free of branches."""
    strong, moderate, triangle = 0, 0, 0
    for k in range(len(across)):
        larger = before if before > after[k] else after[k]
        smaller = before if before < after[k] else after[k]
        beyond = across[k] - before - after[k]
        strong += larger - across[k] > _ROUNDING
        moderate += smaller - across[k] > _ROUNDING
        triangle += beyond > _ROUNDING
        most[k] = larger if larger > most[k] else most[k]
        least[k] = smaller if smaller > least[k] else least[k]
        excess[k] = beyond if beyond > excess[k] else excess[k]
    counts[0] += strong
    counts[1] += moderate
    counts[3] += triangle


@kernel
def _note(across, most, least, excess, worst, gamma):
    """Update the sizes of the worst violations, and gamma, with the extremes by k."""
    for k in range(len(across)):
        if most[k] > across[k]:
            gamma[0] = max(gamma[0], most[k] / across[k] if across[k] > 0.0 else np.inf)
            worst[0] = max(worst[0], most[k] - across[k])
            worst[1] = max(worst[1], least[k] - across[k])
            worst[2] = max(worst[2], -across[k])
        worst[3] = max(worst[3], excess[k])


@entry
def _first_pair(margins, which, i, size):
    """Return the first (j, k) at which property number `which` has a violation of this size with i."""
    for j in range(len(margins)):
        before = margins[i, j]
        for k in range(len(margins)):
            after, across = margins[j, k], margins[i, k]
            if i != j and i != k and j != k and before >= 0.0 and after >= 0.0:
                violations = (
                    max(before, after) - across,
                    min(before, after) - across,
                    -across,
                    across - before - after,
                )
                if violations[which] == size:
                    return j, k
    return -1, -1
