"""Duels by a known preference matrix: prefs[i, j] is the probability that arm i beats arm j."""

from __future__ import annotations

import numpy as np

from bandits.loop import Duel
from bandits.parts.distributions import binomial
from bandits.parts.relative_entropy import entropy_to_even
from rankduel.base.compiling import kernel
from rankduel.base.errors import MatrixError

NEARLY = 1e-3  # two entries that add up to 1 within this are scaled to do so; published matrices are rounded


@kernel
def matrix_duel(prefs, first, second, users):
    """True when `first` wins."""
    return users.random() < prefs[first, second]


@kernel
def matrix_duels(prefs, first, second, n, users):
    """In how many of n duels `first` wins."""
    return binomial(n, prefs[first, second], users)


def by_matrix(prefs: np.ndarray) -> Duel:
    """Duels that are draws from these preferences."""
    return Duel(matrix_duel, prefs, many=matrix_duels)


def checked_prefs(prefs: np.ndarray, where: str = "preferences") -> np.ndarray:
    """A clean copy: complementary, one half on the diagonal; or an error that names the first bad entry."""
    try:
        matrix = np.array(prefs, np.float64)
    except (TypeError, ValueError):
        raise MatrixError(f"{where}: expected a square table of probabilities") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        shape = " x ".join(map(str, matrix.shape))
        raise MatrixError(f"{where}: expected a square matrix, found {shape or 'a single number'}")
    _refuse(where, matrix, ~((matrix >= 0) & (matrix <= 1)), "expected a probability from 0 to 1")
    total = matrix + matrix.T
    np.fill_diagonal(total, 1.0)
    _refuse(
        where,
        matrix,
        np.abs(total - 1) > NEARLY,
        f"it and its mirror entry must add up to 1 (within {NEARLY:g})",
    )
    matrix /= total
    np.fill_diagonal(matrix, 0.5)
    return matrix


def _refuse(where: str, matrix: np.ndarray, bad: np.ndarray, expected: str) -> None:
    if bad.any():
        row, column = np.argwhere(bad)[0]
        mirror = f" (its mirror is {matrix[column, row]:g})" if row != column else ""
        raise MatrixError(
            f"{where}: entry ({row}, {column}) is {matrix[row, column]:g}{mirror}; {expected}. "
            f"{np.count_nonzero(bad)} such entries; rows and columns count from 0"
        )


def condorcet_winner(prefs: np.ndarray) -> int:
    """The arm that beats every other with probability above one half; -1 if there is none."""
    beats = (prefs > 0.5).sum(axis=1) == len(prefs) - 1
    return int(beats.argmax()) if beats.any() else -1


def gaps(prefs: np.ndarray) -> np.ndarray:
    """How far each arm's chance against the Condorcet winner is below one half: what playing it costs."""
    winner = condorcet_winner(prefs)
    if winner < 0:
        raise MatrixError(
            "these preferences have no Condorcet winner (an arm that beats every other), so Condorcet regret "
            "is not defined"
        )
    return prefs[winner] - 0.5


def lower_bound(prefs: np.ndarray) -> tuple[float, float]:
    """(C*, C1) of Komiyama et al. 2015, Theorem 2: regret grows at least like C* ln t, with C1 for RMED1.

    C* lets every losing arm meet the opponent that refutes it most cheaply, C1 the winner only. These are
    slopes in the long run and no floor: at small t a good policy is below.
    """
    gap = gaps(prefs)
    winner = condorcet_winner(prefs)
    divergence = entropy_to_even(prefs)
    with np.errstate(divide="ignore", invalid="ignore"):
        cost = np.where(divergence > 1e-6, (gap[:, None] + gap) / (2 * divergence), np.inf)
    losing = np.where(prefs < 0.5, cost, np.inf)
    others = np.arange(len(prefs)) != winner
    return float(losing.min(axis=1)[others].sum()), float(cost[others, winner].sum())
