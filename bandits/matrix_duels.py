"""Duels drawn from a preference matrix: prefs[i, j] is the probability that arm i beats arm j."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankduel.bandits.loop import Duel
from rankduel.bandits.parts.distributions import binomial
from rankduel.bandits.parts.relative_entropy import entropy_to_even
from rankduel.base.compiling import kernel
from rankduel.base.errors import MatrixError

_TOLERANCE = 1e-3  # largest |p_ij + p_ji - 1|; published matrices are rounded, and are scaled to add up to 1


@kernel
def matrix_duel(prefs, first, second, users):
    """Draw a duel; return whether `first` wins."""
    return users.random() < prefs[first, second]


@kernel
def matrix_duels(prefs, first, second, n, users):
    """Draw `n` duels; return how many of them `first` wins."""
    return binomial(n, prefs[first, second], users)


def by_matrix(prefs: np.ndarray) -> Duel:
    """Return the source of duels that are drawn from these preferences."""
    return Duel(matrix_duel, prefs, many=matrix_duels)


def checked_prefs(prefs: Any, where: str = "preferences") -> np.ndarray:
    """Return a copy in which p_ij + p_ji = 1 and p_ii = 1/2 hold exactly.

    Columns of a DataFrame are put into the order of its rows. Raise an error that names the first bad entry
    if one is not a probability, or if p_ij + p_ji differs from 1 by more than 0.001. `where` begins its
    message.
    """
    if hasattr(prefs, "columns") and hasattr(prefs, "index"):
        prefs = _by_labels(prefs, where)
    if np.iscomplexobj(prefs):
        raise MatrixError(f"{where}: the entries are complex numbers; expected probabilities")
    if np.ma.is_masked(prefs):
        n_masked = np.count_nonzero(np.ma.getmaskarray(prefs))
        raise MatrixError(f"{where}: {n_masked} masked entries; expected a probability for every pair")
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
        np.abs(total - 1) > _TOLERANCE,
        f"it and its mirror entry must add up to 1 (within {_TOLERANCE:g})",
    )
    matrix /= total
    np.fill_diagonal(matrix, 0.5)
    return matrix


def _by_labels(table: Any, where: str) -> np.ndarray:
    """Return the values of a DataFrame, with the columns in the order of the rows."""
    for side, labels in (("rows", table.index), ("columns", table.columns)):
        if labels.has_duplicates:
            twice = labels[labels.duplicated()][0]
            raise MatrixError(f"{where}: two {side} are labelled '{twice}'; expected distinct labels")
    alone = table.index.symmetric_difference(table.columns, sort=False)
    if len(alone):
        raise MatrixError(
            f"{where}: '{alone[0]}' labels a row or a column, but not both; expected the same labels. If "
            "rows and columns have the same order, give the values alone: table.to_numpy()"
        )
    values: np.ndarray = table[table.index].to_numpy()
    return values


def _refuse(where: str, matrix: np.ndarray, bad: np.ndarray, expected: str) -> None:
    """Raise an error that names the first entry marked in `bad`, if there is one."""
    if bad.any():
        row, column = np.argwhere(bad)[0]
        mirror = f" (its mirror is {matrix[column, row]:g})" if row != column else ""
        raise MatrixError(
            f"{where}: entry ({row}, {column}) is {matrix[row, column]:g}{mirror}; {expected}. "
            f"{np.count_nonzero(bad)} such entries; rows and columns count from 0"
        )


def condorcet_winner(prefs: np.ndarray) -> int:
    """Return the arm that beats every other with probability above 1/2; -1 if there is none."""
    beats = (prefs > 0.5).sum(axis=1) == len(prefs) - 1
    return int(beats.argmax()) if beats.any() else -1


def gaps(prefs: np.ndarray) -> np.ndarray:
    """Return prefs[w, k] - 1/2 for the Condorcet winner w and every arm k: the loss of playing arm k."""
    winner = condorcet_winner(prefs)
    if winner < 0:
        raise MatrixError(
            "these preferences have no Condorcet winner (an arm that beats every other), so Condorcet regret "
            "is not defined"
        )
    return prefs[winner] - 0.5


def lower_bound(prefs: np.ndarray) -> tuple[float, float]:
    """Return the constants C* and C1 of the asymptotic lower bounds of Komiyama et al. 2015, Theorem 2.

    The regret of a consistent policy grows at least like C* ln t, and that of RMED1 like C1 ln t. For C*
    every arm but the winner duels the arm that refutes it at the smallest regret, for C1 the winner. These
    are asymptotic slopes: at small t the regret of a good policy is below C* ln t.
    """
    gap = gaps(prefs)
    winner = condorcet_winner(prefs)
    divergence = entropy_to_even(prefs)
    with np.errstate(divide="ignore", invalid="ignore"):
        cost = np.where(divergence > 1e-6, (gap[:, None] + gap) / (2 * divergence), np.inf)
    losing = np.where(prefs < 0.5, cost, np.inf)
    others = np.arange(len(prefs)) != winner
    return float(losing.min(axis=1)[others].sum()), float(cost[others, winner].sum())
