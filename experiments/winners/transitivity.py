"""Total orders, weak orders, cycles and stochastic transitivity of a preference matrix."""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
import pandas as pd

from rankduel.bandits import condorcet_winner
from rankduel.base.compiling import entry

# Definitions for triples with p[i, j] >= 1/2 and p[j, k] >= 1/2, where d = p - 1/2.
PROPERTIES = {
    "SST": "strong stochastic transitivity: d(i,k) >= max(d(i,j), d(j,k))",
    "MST": "moderate stochastic transitivity: d(i,k) >= min(d(i,j), d(j,k))",
    "WST": "weak stochastic transitivity: d(i,k) >= 0",
    "STI": "stochastic triangle inequality: d(i,k) <= d(i,j) + d(j,k)",
}
_ROUNDING = 1e-12  # a smaller violation is a rounding error


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
    beats = (matrix > 0.5 + margin).astype(np.float64)  # integers up to 2^53 are exact
    return round(float(((beats @ beats) * beats.T).sum())) // 3


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
    counts = np.zeros(5, np.int64)
    worst = np.zeros(4)
    where = np.full((4, 3), -1)
    gamma = _scan(margins, counts, worst, where)
    checks = pd.DataFrame({"property": list(PROPERTIES), "triples": counts[4], "violations": counts[:4]})
    checks = checks.assign(worst=worst, i=where[:, 0], j=where[:, 1], k=where[:, 2])
    return Transitivity(checks, float(gamma), _gamma_best(margins, condorcet_winner(matrix)))


def _gamma_best(margins: np.ndarray, winner: int) -> float:
    if winner < 0:
        return np.nan
    others = np.arange(len(margins)) != winner
    gap, among = margins[winner, others], margins[np.ix_(others, others)]
    before = among > 0
    ratios = np.maximum(gap[:, None], among) / gap
    return float(max(1.0, ratios[before].max(initial=1.0)))


@entry
def _scan(margins, counts, worst, where):
    """Write counts, sizes and triples of the worst violations to the arrays, and return gamma.

    counts[:4] are violations by property, counts[4] is the number of triples; `worst` starts at 0.
    """
    size, gamma = len(margins), 1.0
    for i in range(size):
        for j in range(size):
            left = margins[i, j]
            if j == i or left < 0:
                continue
            for k in range(size):
                right = margins[j, k]
                if k == i or k == j or right < 0:
                    continue
                across = margins[i, k]
                counts[4] += 1
                most = max(left, right)
                if most > across:
                    gamma = max(gamma, most / across if across > 0 else np.inf)
                    _note(0, most - across, counts, worst, where, i, j, k)
                    _note(1, min(left, right) - across, counts, worst, where, i, j, k)
                    _note(2, -across, counts, worst, where, i, j, k)
                else:
                    _note(3, across - left - right, counts, worst, where, i, j, k)
    return gamma


@entry
def _note(which, violation, counts, worst, where, i, j, k):
    """Count a violation of property number `which`, unless it is a rounding error."""
    if violation > _ROUNDING:
        counts[which] += 1
        if violation > worst[which]:
            worst[which] = violation
            where[which, 0], where[which, 1], where[which, 2] = i, j, k
