"""Random walks and von Neumann winners of many matrices, for resampling.

The results equal those of `rankduel.experiments.winners.notions` for single matrices. LAPACK and general
solvers of linear programs are avoided, as their threads and set-up take longer than these small problems.
"""

from __future__ import annotations

import numpy as np

from rankduel.experiments.winners.notions import smith_set, von_neumann

_ROUNDING = 1e-9  # smaller payoffs and weights are rounding errors
_BLOCK_ENTRIES = 200_000  # entries per block of matrices, which fit into the cache of a processor
_LARGE = 100  # rankers from which steps of a walk take less time than the reduction of its states
_MOST_STEPS = 64  # of a walk; usually 20 to 40 are needed
_ACCURACY = 1e-13
_LARGEST_SHARE = 0.999  # with a larger one, rounding errors of the steps may add up to more than _ACCURACY
_STEPS_PER_RANKER = (
    20  # steps of the simplex method per ranker; usually less than 1 is needed, and 6 for random matrices
)


def random_walks(matrices: np.ndarray) -> np.ndarray:
    """Return `notions.random_walk` with chain "self" for matrices of shape (n, K, K), as an (n, K) array."""
    size = matrices.shape[1]
    step = max(1, _BLOCK_ENTRIES // size**2)
    return np.concatenate([_walks(matrices[at : at + step]) for at in range(0, len(matrices), step)])


def _walks(matrices: np.ndarray) -> np.ndarray:
    moves = matrices.swapaxes(1, 2) / matrices.sum(axis=1)[:, :, None]
    if matrices.shape[1] < _LARGE:
        return _reduced(matrices, moves)
    visits, accurate = _iterated(moves)
    if not accurate.all():
        visits[~accurate] = _reduced(matrices[~accurate], moves[~accurate])
    return visits


def _iterated(moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return distributions after many steps of the walks, and whether each is stationary up to rounding.

    A step reduces the distance between two distributions to at most a share of it, one minus the sum over the
    states of the smallest probability of a move there (Dobrushin 1956). The distance to the stationary
    distribution is then at most share / (1 - share) times the last change.
    """
    n, size, _ = moves.shape
    shares = 1.0 - moves.min(axis=1).sum(axis=1)
    visits = np.full((n, size), 1.0 / size)
    accurate = np.zeros(n, bool)
    for _ in range(_MOST_STEPS):
        # Not by '@': with 1,000 rankers the threads of BLAS took 80 times as long on a busy machine.
        before, visits = visits, np.einsum("ni,nij->nj", visits, moves)
        changes = np.abs(visits - before).sum(axis=1)
        accurate = (shares < _LARGEST_SHARE) & (shares * changes <= _ACCURACY * (1.0 - shares))
        if accurate.all():
            break
    return visits, accurate


def _reduced(matrices: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Return stationary distributions by state reduction (Grassmann, Taksar and Heyman 1985).

    The algorithm does not subtract. States are removed from the last to the second; moves to a removed state
    are redirected in proportion to its own moves. The first state is a ranker that beats most others. It can
    be reached from every state, so that no divisor is 0.
    """
    n, size, _ = moves.shape
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
    """Return the rankers with weight in an unbeaten lottery: the support of `notions.von_neumann`.

    No ranker outside the Smith set has weight: a lottery that is unbeaten within the set beats it.
    The lottery of the simplex method is used if it is unbeaten and every ranker without weight loses to it,
    as it is unique then. Otherwise the support is that of `von_neumann`.
    """
    smith = smith_set(matrix)
    if len(smith) < len(matrix):
        return smith[unbeaten_support(matrix[np.ix_(smith, smith)])]
    edges = 2.0 * matrix - 1.0
    weights = _simplex(edges)
    if weights is not None:
        payoffs = weights @ edges
        inside = weights > _ROUNDING
        if payoffs.min() > -_ROUNDING and (inside | (payoffs > _ROUNDING)).all():
            return np.flatnonzero(inside)
    return von_neumann(matrix).support


def _simplex(edges: np.ndarray) -> np.ndarray | None:
    """Return a lottery w with w @ edges >= 0 by the simplex method; None if it does not end in time.

    The linear program is to maximize the sum of x >= 0 subject to (2 - edges.T) @ x <= 1, in which all
    payoffs are positive. It starts at x = 0 and ends at a multiple of w.
    """
    size = len(edges)
    table = np.zeros((size + 1, 2 * size + 1))
    table[:size, :size] = 2.0 - edges.T
    table[:size, size:-1] = np.eye(size)
    table[:size, -1] = 1.0
    table[size, :size] = -1.0
    basis = np.arange(size, 2 * size)
    for _ in range(_STEPS_PER_RANKER * size):
        entering = int(table[size, :-1].argmin())
        if table[size, entering] > -_ROUNDING:
            found = np.zeros(2 * size)
            found[basis] = table[:size, -1]
            weights = np.maximum(found[:size], 0.0)
            return weights / weights.sum()
        column = table[:size, entering]
        steps = np.divide(table[:size, -1], column, out=np.full(size, np.inf), where=column > _ROUNDING)
        leaving = int(steps.argmin())
        table[leaving] /= table[leaving, entering]
        others = table[:, entering].copy()
        others[leaving] = 0.0
        table -= others[:, None] * table[leaving]
        basis[leaving] = entering
    return None
