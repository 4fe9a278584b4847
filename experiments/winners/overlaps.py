"""How often notions of a winner agree on random subsets of the rankers (Zoghi 2017, 7.1.2 and 7.1.3).

The notions are those of experiments.winners.notions, which defines them one matrix at a time. Here many
subsets go through at once, as rows of yes and no over all rankers: scores are then products with the matrix.
A lottery that nobody beats is found once by linear programming, and then fits all the subsets with the same
top.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from experiments.cluster import Cluster, Workers
from experiments.winners.notions import von_neumann
from experiments.winners.subsets import check_sampling
from rankduel.base.errors import MatrixError
from rankduel.base.streams import stream
from rankduel.base.text import counted

NOTIONS = ("Copeland", "von Neumann", "Borda", "random walk")
PAIRS = tuple(" and ".join(pair) for pair in combinations(NOTIONS, 2))
CONTAINED = "all Copeland winners have weight"
WINNERS, LOSSES = "Copeland winners", "losses"
FEWEST = 4  # rankers that have subsets in which notions may differ, besides all of them
_ROUNDING, _NOTHING = 1e-12, 1e-9  # of scores, of payoffs; as in experiments.winners.notions
_ENTRIES = 5e5  # of submatrices at a time
_REMEMBERED = 1000  # lotteries that are tried; those of real matrices are a few hundred
_EVERY_SIZE = 140  # rankers; with more, a large subset takes so long that some sizes are left out


class Overlaps(NamedTuple):
    """Shares of the subsets of a size; `exact` where all of them were looked at."""

    shared: pd.DataFrame  # size, subsets, exact, notions (of PAIRS, or CONTAINED), share
    counts: pd.DataFrame  # size, subsets, exact, number (WINNERS, LOSSES), count, share


class Lottery(NamedTuple):
    """A von Neumann winner of every subset that has all its members and none of its rivals.

    Nobody else in such a subset has weight, as they all lose to it. All members have: if another unbeaten
    lottery loses to a newcomer, a little of it mixed into this one does not.
    """

    members: np.ndarray  # (K,) bool: who has weight, in this lottery or in others as good
    rivals: np.ndarray  # (K,) bool: others whom it does not beat


def winner_overlaps(
    matrix: np.ndarray,
    sizes: Sequence[int] | None = None,
    samples: int = 400,
    seed: int = 0,
    jobs: Workers = 1,
) -> Overlaps:
    """In which shares of the subsets do two notions have a winner in common?

    Besides: do all Copeland winners have weight in the von Neumann winner, how many are they, and how many
    others beat them (with ties, the one of them that most do)? A size with no more than `samples` subsets is
    looked at in full.
    """
    chosen = usual_overlap_sizes(len(matrix)) if sizes is None else sizes
    check_sampling(chosen, samples, len(matrix))
    if isinstance(jobs, Cluster):
        found = list(jobs.ordered_map(_on_worker, _Sampled(matrix, int(samples), seed), map(int, chosen)))
        return _joined(found)
    known: list[Lottery] = []
    # Threads: the time goes into products and linear systems, and all learn from each other's lotteries.
    found = Parallel(n_jobs=jobs, prefer="threads")(
        delayed(_of_size)(matrix, int(size), int(samples), seed, known) for size in chosen
    )
    return _joined(found)


class _Sampled(NamedTuple):
    """What the sizes have in common, on a cluster."""

    matrix: np.ndarray
    samples: int
    seed: int


def _on_worker(sampled: _Sampled, size: int) -> tuple[list[dict], list[dict]]:
    return _of_size(sampled.matrix, size, sampled.samples, sampled.seed, [])


def _joined(found: list[tuple[list[dict], list[dict]]]) -> Overlaps:
    return Overlaps(*(pd.DataFrame(list(chain(*rows))) for rows in zip(*found)))


def usual_overlap_sizes(n_rankers: int) -> range:
    """From 3, as smaller subsets say nothing, to all but one; of many rankers evenly spread ones."""
    if n_rankers < FEWEST:
        raise MatrixError(
            f"{counted(n_rankers, 'ranker')}; notions of a winner are compared on subsets of 3 up to all but "
            f"one of them: expected at least {FEWEST} rankers"
        )
    return range(3, n_rankers, max(1, round((n_rankers / _EVERY_SIZE) ** 2)))


def pooled(table: pd.DataFrame) -> pd.DataFrame:
    """Over all sizes, each with the same weight: shares with their standard errors."""
    n_sizes = table["size"].nunique()
    variance = (table["share"] * (1 - table["share"]) / table["subsets"]).where(~table["exact"], 0.0)
    of = [column for column in ("notions", "number", "count") if column in table]
    # A count that no subset of a size has is not in the table: hence sums, not means.
    sums = table.assign(variance=variance).groupby(of)[["share", "variance"]].sum()
    sums = sums.reindex([*PAIRS, CONTAINED]) if of == ["notions"] else sums
    errors = sums["variance"] ** 0.5 / n_sizes
    return pd.DataFrame({"share": sums["share"] / n_sizes, "standard_error": errors}).reset_index()


def _of_size(
    matrix: np.ndarray, size: int, samples: int, seed: int, known: list[Lottery]
) -> tuple[list[dict], list[dict]]:
    """Rows of both tables."""
    subsets = _subsets(len(matrix), size, samples, seed)
    pieces = -(-len(subsets) * size**2 // int(_ENTRIES))
    found = np.concatenate([_numbers(matrix, some, known) for some in np.array_split(subsets, pieces)])
    about = {"size": size, "subsets": len(found), "exact": _all_seen(len(matrix), size, samples)}
    *shared, n_winners, n_losses = found.T
    shares = [about | {"notions": of, "share": each.mean()} for of, each in zip((*PAIRS, CONTAINED), shared)]
    counts = [
        about | {"number": number, "count": int(count), "share": times / len(found)}
        for number, values in ((WINNERS, n_winners), (LOSSES, n_losses))
        for count, times in zip(*np.unique(values, return_counts=True))
    ]
    return shares, counts


def _all_seen(n_rankers: int, size: int, samples: int) -> bool:
    return comb(n_rankers, size) <= samples


def _subsets(n_rankers: int, size: int, samples: int, seed: int) -> np.ndarray:
    """(subsets, size) rankers: all there are, or random ones."""
    if _all_seen(n_rankers, size, samples):
        return np.array(list(combinations(range(n_rankers), size)))
    rng = stream(seed, "winner notions", size)
    return np.array([rng.permutation(n_rankers)[:size] for _ in range(samples)])


def _numbers(matrix: np.ndarray, subsets: np.ndarray, known: list[Lottery]) -> np.ndarray:
    """(subsets, 9) for each of PAIRS: a winner in common? Then: CONTAINED, Copeland winners, their losses."""
    chosen = np.zeros((len(subsets), len(matrix)), bool)
    np.put_along_axis(chosen, subsets, True, axis=1)
    wins, losses, chances = (chosen @ table.T.astype(float) for table in (matrix > 0.5, matrix < 0.5, matrix))
    others = max(1, subsets.shape[1] - 1)
    copeland = _best(wins, chosen)
    winners = (
        copeland,
        _with_weight(matrix, chosen, wins, known),
        _best((chances - 0.5) / others, chosen),
        _best(_visits(matrix, subsets), chosen),
    )
    shared = [(one & other).any(axis=1) for one, other in combinations(winners, 2)]
    contained = (winners[1] | ~copeland).all(axis=1)
    most_losses = np.where(copeland, losses, 0).max(axis=1)
    return np.column_stack([*shared, contained, copeland.sum(axis=1), most_losses])


def _best(scores: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Who of the chosen has the largest score; what differs by rounding alone shares the place."""
    scores = np.where(chosen, scores, -np.inf)
    return scores >= scores.max(axis=1, keepdims=True) - _ROUNDING


def _visits(matrix: np.ndarray, subsets: np.ndarray) -> np.ndarray:
    """(subsets, K) the random walk's share of time at each: random_walk of experiments.winners.notions."""
    size = subsets.shape[1]
    moves = matrix.take(
        subsets[:, :, None] * len(matrix) + subsets[:, None, :]
    )  # from the second to the first
    moves /= moves.sum(axis=1, keepdims=True)
    system = np.subtract(np.eye(size) + 1.0 / size, moves, out=moves)
    visits = np.maximum(np.linalg.solve(system, np.full((size, 1), 1.0 / size))[:, :, 0], 0.0)
    spread = np.zeros((len(subsets), len(matrix)))
    np.put_along_axis(spread, subsets, visits / visits.sum(axis=1, keepdims=True), axis=1)
    return spread


def _with_weight(
    matrix: np.ndarray, chosen: np.ndarray, wins: np.ndarray, known: list[Lottery]
) -> np.ndarray:
    """(subsets, K) who has weight in a von Neumann winner; a linear program only where no known one fits."""
    weighted = chosen & (wins == chosen.sum(axis=1, keepdims=True) - 1)  # all is on a Condorcet winner
    nobody_wins = ~(chosen & (wins > 0)).any(axis=1)
    weighted[nobody_wins] = chosen[nobody_wins]
    _settle(weighted, chosen, known[-_REMEMBERED:])
    for row in np.flatnonzero(~weighted.any(axis=1)):
        if weighted[row].any():  # by a lottery that came up on the way
            continue
        rankers = np.flatnonzero(chosen[row])
        found = von_neumann(matrix[np.ix_(rankers, rankers)])
        weighted[row, rankers[found.support]] = True
        beaten = found.weights @ (2.0 * matrix[rankers] - 1.0) > _NOTHING
        known.append(Lottery(weighted[row].copy(), ~beaten & ~weighted[row]))
        _settle(weighted, chosen, known[-1:])
    return weighted


def _settle(weighted: np.ndarray, chosen: np.ndarray, lotteries: list[Lottery]) -> None:
    """Fill in those rows that are empty and that one of the lotteries fits."""
    rows = np.flatnonzero(~weighted.any(axis=1))
    if not lotteries or not len(rows):
        return
    members, rivals = (np.array(masks, float) for masks in zip(*lotteries))
    misfits = ~chosen[rows] @ members.T + chosen[rows] @ rivals.T
    fitting = misfits.argmin(axis=1)
    fits = misfits.min(axis=1) == 0
    weighted[rows[fits]] = members[fitting[fits]] > 0
