"""The gaps that determine the regret bound of CCB (Zoghi 2017, thesis, Definition 7.2 and Figure 7.3).

Let C be the number of Copeland winners, L_C the largest number of arms to which one of them loses, and
Delta_ij = |p_ij - 1/2|. For an arm i that is no winner, Delta*_i is the (L_C + 1)th largest Delta_ij of the
arms j that beat it. The bound depends on

    Delta = the least of Delta_ij between winners and other arms, and of Delta*_i of the other arms,

and not on Delta_min, the least Delta_ij of all pairs. Both are infinite if all arms are winners.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import entry
from rankduel.base.streams import stream
from rankduel.experiments.winners.notions import best, copeland_losses, copeland_scores


class CopelandGaps(NamedTuple):
    """Quantities of Definition 7.2 of the thesis."""

    is_winner: np.ndarray  # (K,) bool
    losses: int  # L_C
    star: np.ndarray  # (K,) Delta*_i; 0 for winners, NaN for an arm with too few losses because of ties
    smallest: float  # Delta_min, over pairs that do not tie
    gap: float  # Delta


def copeland_gaps(matrix: np.ndarray) -> CopelandGaps:
    """Return the gaps of a matrix."""
    n = len(matrix)
    is_winner = np.zeros(n, bool)
    is_winner[best(copeland_scores(matrix))] = True
    losses = int(copeland_losses(matrix)[is_winner].max())
    margins = np.abs(matrix - 0.5)
    lost_by = -np.sort(-np.where(matrix < 0.5, margins, np.nan), axis=1)  # NaN comes last
    star = np.where(is_winner, 0.0, lost_by[:, min(losses, n - 1)])
    between = margins[np.ix_(is_winner, ~is_winner)]
    return CopelandGaps(
        is_winner,
        losses,
        star,
        float(margins[margins > 0].min(initial=np.inf)),
        float(min(between.min(initial=np.inf), star[~is_winner].min(initial=np.inf))),
    )


def gap_ratios(
    matrix: np.ndarray, sizes: Iterable[int], samples: int, seed: int = 0
) -> dict[int, np.ndarray]:
    """Return (Delta / Delta_min)^2 of random subsets of the arms, by size.

    A subset in which all arms are winners has no gap, and is left out.
    """
    found = {}
    for size in sizes:
        ratios = np.empty(samples)
        uniforms = stream(seed, "gap ratios", size).random((samples, size))
        _gap_ratios(np.ascontiguousarray(matrix), np.arange(len(matrix)), uniforms, ratios)
        found[size] = ratios[np.isfinite(ratios)]
    return found


@entry
def _gap_ratios(matrix, permutation, uniforms, ratios):
    """Write the ratio of every drawn subset; row i of `uniforms` draws subset i by a partial shuffle."""
    size = uniforms.shape[1]
    for draw in range(len(ratios)):
        for place in range(size):
            other = place + int(uniforms[draw, place] * (len(permutation) - place))
            permutation[place], permutation[other] = permutation[other], permutation[place]
        ratios[draw] = _gap_ratio(matrix, permutation[:size])


@entry
def _gap_ratio(matrix, arms):
    """Return (Delta / Delta_min)^2 of the subset `arms`; infinite if all are winners."""
    n = len(arms)
    score = np.zeros(n, np.int64)
    lost = np.zeros(n, np.int64)
    smallest = np.inf
    for i in range(n):
        for j in range(n):
            edge = matrix[arms[i], arms[j]] - 0.5
            score[i] += edge > 0.0
            lost[i] += edge < 0.0
            if edge > 0.0:
                smallest = min(smallest, edge)
    most, losses = score.max(), 0
    for i in range(n):
        if score[i] == most:
            losses = max(losses, lost[i])
    gap = np.inf
    for i in range(n):
        if score[i] < most:
            gap = min(gap, _loss_of_rank(matrix, arms, i, losses))
            for j in range(n):
                if score[j] == most and i != j:
                    gap = min(gap, abs(matrix[arms[i], arms[j]] - 0.5))
    return (gap / smallest) ** 2


@entry
def _loss_of_rank(matrix, arms, i, rank):
    """Return the loss of arms[i] that is smaller than `rank` of its other losses; NaN if there are fewer."""
    losses = 0.5 - matrix[arms[i]][arms]
    losses = np.sort(losses[losses > 0.0])
    return losses[-1 - rank] if rank < len(losses) else np.nan
