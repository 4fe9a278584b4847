"""How often notions of a winner agree on random subsets of the rankers (Zoghi 2017, 7.1.2 and 7.1.3).

rankduel.experiments.winners.notions defines the notions for one matrix. Here many subsets are evaluated at
once, as rows of a Boolean array over all rankers, so that scores are products with the matrix. A von Neumann
winner that was found by linear programming for one subset is reused for every subset of which it is a winner
too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from rankduel.base.errors import MatrixError
from rankduel.base.streams import stream
from rankduel.base.text import counted
from rankduel.experiments.cluster import Cluster, Transfer, Workers
from rankduel.experiments.winners.notions import von_neumann
from rankduel.experiments.winners.subsets import check_sampling

NOTIONS = ("Copeland", "von Neumann", "Borda", "random walk")
PAIRS = tuple(" and ".join(pair) for pair in combinations(NOTIONS, 2))
CONTAINED = "all Copeland winners have weight"
WINNERS, LOSSES = "Copeland winners", "losses"
FEWEST = 4  # smallest number of rankers with proper subsets on which notions may differ
_SCORE_ROUNDING, _PAYOFF_ROUNDING = 1e-12, 1e-9  # as in rankduel.experiments.winners.notions
_ENTRIES = 5e5  # matrix entries of the subsets evaluated at a time
_LAST_LOTTERIES = 1000  # lotteries that are tried; real matrices need a few hundred
_EVERY_SIZE = 140  # largest number of rankers for which every size is evaluated; large subsets take long


class Overlaps(NamedTuple):
    """Shares of the subsets of each size; `exact` if all subsets of the size were evaluated."""

    shared: pd.DataFrame  # size, subsets, exact, notions (one of PAIRS, or CONTAINED), share
    counts: pd.DataFrame  # size, subsets, exact, number (WINNERS, LOSSES), count, share


class Lottery(NamedTuple):
    """Support of the von Neumann winners of every subset with all its members and none of its rivals.

    No other ranker of such a subset is in the support, since each loses to this distribution. All members
    are: for every member, a mixture of this distribution with a small part of one that gives the member a
    positive weight still beats the rankers outside.
    """

    members: np.ndarray  # (K,) bool: rankers with a positive weight in some unbeaten distribution
    rivals: np.ndarray  # (K,) bool: other rankers that this distribution does not beat


def winner_overlaps(
    matrix: np.ndarray,
    sizes: Sequence[int] | None = None,
    samples: int = 400,
    seed: int = 0,
    jobs: Workers = 1,
) -> Overlaps:
    """Return the shares of subsets in which two notions have a common winner, for each size.

    Further results are the share of subsets in which all Copeland winners are in the support of the von
    Neumann winner, the number of Copeland winners, and the number of rankers that beat a Copeland winner (the
    largest, if they differ). All subsets of a size are evaluated if there are at most `samples`; otherwise
    `samples` random ones.
    """
    chosen = usual_overlap_sizes(len(matrix)) if sizes is None else sizes
    check_sampling(chosen, samples, len(matrix))
    if isinstance(jobs, Cluster):
        sampled = Transfer(_Sampled(matrix, int(samples), seed))
        found = list(jobs.ordered_map(_on_worker, [sampled], map(int, chosen)))
        return _joined(found)
    known: list[Lottery] = []
    # Threads share the list of lotteries; products and linear systems release the interpreter's lock.
    found = Parallel(n_jobs=jobs, prefer="threads")(
        delayed(_of_size)(matrix, int(size), int(samples), seed, known) for size in chosen
    )
    return _joined(found)


class _Sampled(NamedTuple):
    """Values that all sizes share on a cluster."""

    matrix: np.ndarray
    samples: int
    seed: int


def _on_worker(sampled: _Sampled, size: int) -> tuple[list[dict], list[dict]]:
    return _of_size(sampled.matrix, size, sampled.samples, sampled.seed, [])


def _joined(found: list[tuple[list[dict], list[dict]]]) -> Overlaps:
    return Overlaps(*(pd.DataFrame(list(chain(*rows))) for rows in zip(*found)))


def usual_overlap_sizes(n_rankers: int) -> range:
    """Return the sizes from 3, below which all notions agree, to n_rankers - 1; or evenly spaced ones."""
    if n_rankers < FEWEST:
        raise MatrixError(
            f"{counted(n_rankers, 'ranker')}; expected at least {FEWEST}: notions of a winner are compared "
            "on proper subsets of 3 or more rankers"
        )
    return range(3, n_rankers, max(1, round((n_rankers / _EVERY_SIZE) ** 2)))


def pooled(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean shares over all sizes, with equal weights, and their standard errors."""
    n_sizes = table["size"].nunique()
    variance = (table["share"] * (1 - table["share"]) / table["subsets"]).where(~table["exact"], 0.0)
    of = [column for column in ("notions", "number", "count") if column in table]
    # The table has no row for a count that no subset of a size has, so sums are divided by the sizes.
    sums = table.assign(variance=variance).groupby(of)[["share", "variance"]].sum()
    sums = sums.reindex([*PAIRS, CONTAINED]) if of == ["notions"] else sums
    errors = sums["variance"] ** 0.5 / n_sizes
    return pd.DataFrame({"share": sums["share"] / n_sizes, "standard_error": errors}).reset_index()


def _of_size(
    matrix: np.ndarray, size: int, samples: int, seed: int, known: list[Lottery]
) -> tuple[list[dict], list[dict]]:
    """Return the rows of both tables for one size."""
    subsets = _subsets(len(matrix), size, samples, seed)
    n_parts = -(-len(subsets) * size**2 // int(_ENTRIES))
    found = np.concatenate([_statistics(matrix, part, known) for part in np.array_split(subsets, n_parts)])
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
    """Return (subsets, size) ranker numbers: all subsets, or random ones."""
    if _all_seen(n_rankers, size, samples):
        return np.array(list(combinations(range(n_rankers), size)))
    rng = stream(seed, "winner notions", size)
    return np.array([rng.permutation(n_rankers)[:size] for _ in range(samples)])


def _statistics(matrix: np.ndarray, subsets: np.ndarray, known: list[Lottery]) -> np.ndarray:
    """Return (subsets, 9): a common winner (0 or 1) for each of PAIRS, CONTAINED, WINNERS and LOSSES."""
    chosen = np.zeros((len(subsets), len(matrix)), bool)
    np.put_along_axis(chosen, subsets, True, axis=1)
    wins, losses, chances = (chosen @ table.T.astype(float) for table in (matrix > 0.5, matrix < 0.5, matrix))
    others = max(1, subsets.shape[1] - 1)
    copeland = _best(wins, chosen)
    winners = (
        copeland,
        _von_neumann_supports(matrix, chosen, wins, known),
        _best((chances - 0.5) / others, chosen),
        _best(_stationary(matrix, subsets), chosen),
    )
    shared = [(one & other).any(axis=1) for one, other in combinations(winners, 2)]
    contained = (winners[1] | ~copeland).all(axis=1)
    most_losses = np.where(copeland, losses, 0).max(axis=1)
    return np.column_stack([*shared, contained, copeland.sum(axis=1), most_losses])


def _best(scores: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return a mask of the chosen rankers with the largest score, up to rounding, in each row."""
    scores = np.where(chosen, scores, -np.inf)
    return scores >= scores.max(axis=1, keepdims=True) - _SCORE_ROUNDING


def _stationary(matrix: np.ndarray, subsets: np.ndarray) -> np.ndarray:
    """Return (subsets, K) stationary distributions, as random_walk of winners.notions."""
    size = subsets.shape[1]
    # moves[:, i, j] is the weight of the move from j to i.
    moves = matrix.take(subsets[:, :, None] * len(matrix) + subsets[:, None, :])
    moves /= moves.sum(axis=1, keepdims=True)
    system = np.subtract(np.eye(size) + 1.0 / size, moves, out=moves)
    visits = np.maximum(np.linalg.solve(system, np.full((size, 1), 1.0 / size))[:, :, 0], 0.0)
    spread = np.zeros((len(subsets), len(matrix)))
    np.put_along_axis(spread, subsets, visits / visits.sum(axis=1, keepdims=True), axis=1)
    return spread


def _von_neumann_supports(
    matrix: np.ndarray, chosen: np.ndarray, wins: np.ndarray, known: list[Lottery]
) -> np.ndarray:
    """Return (subsets, K): the supports of the von Neumann winners.

    A linear program is solved only for a subset that none of the lotteries in `known` fits; its solution is
    appended to `known`.
    """
    weighted = chosen & (wins == chosen.sum(axis=1, keepdims=True) - 1)  # a Condorcet winner has all weight
    all_tied = ~(chosen & (wins > 0)).any(axis=1)
    weighted[all_tied] = chosen[all_tied]
    _apply_lotteries(weighted, chosen, known[-_LAST_LOTTERIES:])
    for row in np.flatnonzero(~weighted.any(axis=1)):
        if weighted[row].any():  # filled in by a lottery of an earlier row
            continue
        rankers = np.flatnonzero(chosen[row])
        found = von_neumann(matrix[np.ix_(rankers, rankers)])
        weighted[row, rankers[found.support]] = True
        beaten = found.weights @ (2.0 * matrix[rankers] - 1.0) > _PAYOFF_ROUNDING
        known.append(Lottery(weighted[row].copy(), ~beaten & ~weighted[row]))
        _apply_lotteries(weighted, chosen, known[-1:])
    return weighted


def _apply_lotteries(weighted: np.ndarray, chosen: np.ndarray, lotteries: list[Lottery]) -> None:
    """Fill in the empty rows of `weighted` whose subset fits one of the lotteries."""
    rows = np.flatnonzero(~weighted.any(axis=1))
    if not lotteries or not len(rows):
        return
    members, rivals = (np.array(masks, float) for masks in zip(*lotteries))
    misfits = ~chosen[rows] @ members.T + chosen[rows] @ rivals.T
    fitting = misfits.argmin(axis=1)
    fits = misfits.min(axis=1) == 0
    weighted[rows[fits]] = members[fitting[fits]] > 0
