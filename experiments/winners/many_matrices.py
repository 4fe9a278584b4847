"""Random walks and von Neumann winners of many matrices, as resampling needs them.

Both give what `experiments.winners.notions` gives for one matrix. They avoid LAPACK and a general solver of
linear programs, whose threads and set-up take longer than these small problems.
"""

from __future__ import annotations

import numpy as np

from experiments.winners.notions import von_neumann

_NOTHING = 1e-9  # payoffs and weights below this are rounding
_AT_ONCE = 200_000  # entries of matrices that fit into the cache of a processor
_STEPS = 20  # of the simplex method, per ranker; it takes less than one usually, six without any structure


def random_walks(matrices: np.ndarray) -> np.ndarray:
    """(n, K) how often the walk of `notions.random_walk`, chain "self", is at each ranker of n matrices."""
    size = matrices.shape[1]
    step = max(1, _AT_ONCE // size**2)
    return np.concatenate([_walks(matrices[at : at + step]) for at in range(0, len(matrices), step)])


def _walks(matrices: np.ndarray) -> np.ndarray:
    """Stationary distributions by state reduction (Grassmann, Taksar and Heyman 1985), which never subtracts.

    States are removed from the last to the second; what leaves a removed state goes on to where it leads. The
    first state is one that beats most others. It can be reached from everywhere, so no division is by 0.
    """
    n, size, _ = matrices.shape
    moves = matrices.swapaxes(1, 2) / matrices.sum(axis=1)[:, :, None]
    order = np.argsort(-(matrices > 0.5).sum(axis=2), axis=1, kind="stable")
    moves = moves[np.arange(n)[:, None, None], order[:, :, None], order[:, None, :]]
    for last in range(size - 1, 0, -1):
        moves[:, :last, last] /= moves[:, last, :last].sum(axis=1)[:, None]
        moves[:, :last, :last] += moves[:, :last, last, None] * moves[:, last, None, :last]
    visits = np.ones((n, size))
    for state in range(1, size):
        visits[:, state] = (visits[:, :state] * moves[:, :state, state]).sum(axis=1)
    visits /= visits.sum(axis=1, keepdims=True)
    unsorted = np.empty_like(visits)
    np.put_along_axis(unsorted, order, visits, axis=1)
    return unsorted


def unbeaten_support(matrix: np.ndarray) -> np.ndarray:
    """Return which rankers have weight in an unbeaten lottery: the support of `notions.von_neumann`.

    The simplex method proposes a lottery. It is taken if it is unbeaten and each ranker outside loses to it,
    which makes it the only one; otherwise, `von_neumann` decides.
    """
    edges = 2.0 * matrix - 1.0
    weights = _simplex(edges)
    if weights is not None:
        payoffs = weights @ edges
        inside = weights > _NOTHING
        if payoffs.min() > -_NOTHING and (inside | (payoffs > _NOTHING)).all():
            return np.flatnonzero(inside)
    return von_neumann(matrix).support


def _simplex(edges: np.ndarray) -> np.ndarray | None:
    """Return a lottery w with w @ edges >= 0, by the simplex method on a dense table; None if it is lost.

    All payoffs are made positive: to maximize the sum of x >= 0 with (2 - edges.T) @ x <= 1 begins at x = 0
    and ends at a multiple of w.
    """
    size = len(edges)
    table = np.zeros((size + 1, 2 * size + 1))
    table[:size, :size] = 2.0 - edges.T
    table[:size, size:-1] = np.eye(size)
    table[:size, -1] = 1.0
    table[size, :size] = -1.0
    basis = np.arange(size, 2 * size)
    for _ in range(_STEPS * size):
        entering = int(table[size, :-1].argmin())
        if table[size, entering] > -_NOTHING:
            found = np.zeros(2 * size)
            found[basis] = table[:size, -1]
            weights = np.maximum(found[:size], 0.0)
            return weights / weights.sum()
        column = table[:size, entering]
        steps = np.divide(table[:size, -1], column, out=np.full(size, np.inf), where=column > _NOTHING)
        leaving = int(steps.argmin())
        table[leaving] /= table[leaving, entering]
        others = table[:, entering].copy()
        others[leaving] = 0.0
        table -= others[:, None] * table[leaving]
        basis[leaving] = entering
    return None
