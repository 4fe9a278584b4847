"""Notions of a winner, as functions of a K x K matrix p of preferences.

"i beats j" means p[i, j] > 1/2; exactly 1/2 is a tie, neither a win nor a loss. `bandits` defines the
Condorcet winner and the gaps to it; rankduel.experiments.winners.transitivity defines orders and cycles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from rankduel.bandits import condorcet_winner
from rankduel.base.errors import UsageError, encodable
from rankduel.base.settings import find
from rankduel.experiments.matrix.preferences import Preferences

_ROUNDING = 1e-9  # smaller payoffs and weights are rounding errors
_SIMPLEX_VARIABLES = 500  # of linear programs that the simplex method solves
# Markov chains that move from i to j in proportion to p[j, i]. They have the same ratios of
# stationary[i] / (total weight of the moves from i).
CHAINS = {
    "self": "staying at i has the weight p[i, i] = 1/2 (Busa-Fekete et al. 2013)",
    "no_self": "every step leaves i",
    "rank_centrality": "p[j, i] / K for every j, otherwise stay (Negahban et al. 2012); recovers BTL weights",
}


def copeland_scores(matrix: np.ndarray) -> np.ndarray:
    """Return (K,) counts: how many rankers each ranker beats."""
    return (matrix > 0.5).sum(axis=1)


def copeland_losses(matrix: np.ndarray) -> np.ndarray:
    """Return (K,) counts: how many rankers beat each ranker; with ties, not K - 1 minus the score."""
    return (matrix < 0.5).sum(axis=1)


def borda_scores(matrix: np.ndarray) -> np.ndarray:
    """Return (K,) scores: the mean probability of beating another ranker; 1/2 if K is 1."""
    others = len(matrix) - 1
    return (matrix.sum(axis=1) - 0.5) / others if others else np.full(1, 0.5)


def copeland_order(matrix: np.ndarray) -> np.ndarray:
    """Return indices by decreasing Copeland score; ties by decreasing Borda score, then by index."""
    return np.lexsort((-borda_scores(matrix).round(12), -copeland_scores(matrix)))


def best(scores: np.ndarray) -> np.ndarray:
    """Return the indices of the largest score, including scores equal to it up to rounding."""
    return np.flatnonzero(scores >= scores.max() - 1e-12)


def random_walk(matrix: np.ndarray, chain: str = "self", damping: float = 1.0) -> np.ndarray:
    """Return the stationary distribution, (K,), of a random walk that moves from a ranker to a better one.

    `chain`, one of CHAINS, defines the transitions. With probability 1 - `damping` a step moves to a
    uniformly random ranker instead (published: 0.98). The distribution is unique for `damping` 1 too: for any
    two rankers, at least one of p[i, j] and p[j, i] is positive, so there is only one closed class.
    """
    find(chain, CHAINS, "random walk", UsageError)
    size = len(matrix)
    moves = matrix.T.copy()
    if chain != "self":
        np.fill_diagonal(moves, 0.0)
    if chain == "rank_centrality":
        moves /= size
        np.fill_diagonal(moves, 1.0 - moves.sum(axis=1))
    leaving = moves.sum(axis=1)
    np.fill_diagonal(moves, np.where(leaving > 0, moves.diagonal(), 1.0))  # a ranker that never loses: stay
    moves /= moves.sum(axis=1, keepdims=True)
    moves = damping * moves + (1.0 - damping) / size
    visits = np.linalg.solve((np.eye(size) - moves + 1.0 / size).T, np.full(size, 1.0 / size))
    visits = np.maximum(visits, 0.0)
    return visits / visits.sum()


def smith_set(matrix: np.ndarray) -> np.ndarray:
    """Return the Smith set: the smallest non-empty set whose members each beat every ranker outside it."""
    groups = scipy.sparse.csgraph.connected_components(matrix >= 0.5, connection="strong")[1]
    # The ranker with the most wins reaches every other in at most two steps, so it is in the top component.
    return np.flatnonzero(groups == groups[copeland_scores(matrix).argmax()])


class Mixture(NamedTuple):
    """A von Neumann winner: a distribution over rankers that beats or ties every ranker in expectation."""

    weights: np.ndarray  # (K,) probabilities
    unique: bool
    support: np.ndarray  # rankers with a positive weight; in any such distribution, if there are several

    def guarantee(self, matrix: np.ndarray) -> float:
        """Return the smallest expected probability of winning against a ranker; 1/2 up to rounding."""
        return float((self.weights @ matrix).min())


def von_neumann(matrix: np.ndarray) -> Mixture:
    """Return the von Neumann winner (Dudik et al. 2015), found by linear programming.

    Its support is within the Smith set: the part of a distribution outside the set loses to the part inside.
    """
    top = smith_set(matrix)
    edges = 2.0 * matrix[np.ix_(top, top)] - 1.0
    found = _unbeaten_lottery(edges)
    support = np.flatnonzero(found > _ROUNDING)
    # A vertex is the only solution if every ranker outside its support loses to it (strict complementarity).
    unique = bool(((found > _ROUNDING) | (found @ edges > _ROUNDING)).all())
    weights = np.zeros(len(matrix))
    weights[top] = found
    mixture = Mixture(weights, unique, top[support if unique else _union_of_supports(edges)])
    if mixture.guarantee(matrix) < 0.5 - _ROUNDING:
        raise ArithmeticError(
            f"the linear program ended at a distribution that wins {mixture.guarantee(matrix)}; expected 0.5"
        )
    return mixture


def _unbeaten_lottery(edges: np.ndarray) -> np.ndarray:
    """Return a vertex of the set of distributions w with w @ edges >= 0."""
    size = len(edges)
    if size == 1:
        return np.ones(1)
    # Variables: the weights, and the payoff v against the hardest opponent, which is maximised.
    solution = _solution(
        np.append(np.zeros(size), -1.0),
        A_ub=np.hstack([-edges.T, np.ones((size, 1))]),
        b_ub=np.zeros(size),
        A_eq=np.append(np.ones(size), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0.0, None)] * size + [(None, None)],
    )
    weights = np.maximum(solution[:-1], 0.0)
    return _refined(weights / weights.sum(), edges)


def _refined(weights: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return `weights` to full precision, from the linear system of zero payoffs on their support."""
    support = np.flatnonzero(weights > _ROUNDING)
    null_vector = _null_vector(edges[np.ix_(support, support)])
    if null_vector is None or not (null_vector > 0).all():
        return weights
    exact = np.zeros(len(weights))
    exact[support] = null_vector
    return exact if (exact @ edges).min() >= min((weights @ edges).min(), -1e-15) else weights


def _null_vector(block: np.ndarray) -> np.ndarray | None:
    """Return the null vector of `block` with sum 1; None unless the null space has dimension 1."""
    _, singular_values, directions = np.linalg.svd(block)
    if (singular_values < _ROUNDING).sum() != 1 or abs(directions[-1].sum()) < _ROUNDING:
        return None
    return directions[-1] / directions[-1].sum()


def _union_of_supports(edges: np.ndarray) -> np.ndarray:
    """Return the rankers with a positive weight in some unbeaten distribution.

    The linear program maximises the number of positive weights: weights may have any sum, and each counts up
    to 1.
    """
    size = len(edges)
    solution = _solution(
        np.repeat([0.0, -1.0], size),
        A_ub=np.block([[-edges.T, np.zeros((size, size))], [-np.eye(size), np.eye(size)]]),
        b_ub=np.zeros(2 * size),
        bounds=[(0.0, None)] * size + [(0.0, 1.0)] * size,
    )
    return np.flatnonzero(solution[size:] > 0.5)


def _solution(costs: np.ndarray, **constraints: Any) -> np.ndarray:
    """Return the solution of a linear program at a vertex.

    The dual simplex method is faster for small programs. For a random matrix of 1,000 rankers it took ten
    times as long as the interior-point method, which HiGHS ends at a vertex, too.
    """
    method: Any = "highs-ds" if len(costs) <= _SIMPLEX_VARIABLES else "highs-ipm"
    tolerances: Any = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = scipy.optimize.linprog(costs, **constraints, method=method, options=tolerances)
    if found.x is None:
        raise ArithmeticError(f"a linear program of {len(costs)} variables failed: {found.message}")
    return found.x


class Scores(NamedTuple):
    """Scores of all rankers by every notion."""

    beats: np.ndarray
    loses_to: np.ndarray
    borda: np.ndarray
    random_walk: np.ndarray
    von_neumann: Mixture


def all_scores(matrix: np.ndarray) -> Scores:
    return Scores(
        copeland_scores(matrix),
        copeland_losses(matrix),
        borda_scores(matrix),
        random_walk(matrix),
        von_neumann(matrix),
    )


def ranker_table(preferences: Preferences, scores: Scores | None = None) -> pd.DataFrame:
    """Return one row per ranker in Copeland order; `scores` saves computing them again."""
    matrix = preferences.matrix
    scores = scores or all_scores(matrix)
    order = copeland_order(matrix)
    columns = scores._asdict() | {"von_neumann": scores.von_neumann.weights}
    names = [encodable(name) for name in preferences.names]
    table = pd.DataFrame({"ranker": names} | columns | {"against_first": matrix[:, order[0]]})
    return table.iloc[order].reset_index(drop=True)


def winner_sets(preferences: Preferences, scores: Scores | None = None) -> dict[str, list[str]]:
    """Return the names of the winners by notion; the list of "condorcet" is empty if there is no winner."""
    matrix = preferences.matrix
    scores = scores or all_scores(matrix)
    condorcet = condorcet_winner(matrix)
    sets = {
        "condorcet": np.array([condorcet] if condorcet >= 0 else [], int),
        "copeland": best(scores.beats),
        "borda": best(scores.borda),
        "random_walk": best(scores.random_walk),
        "von_neumann": scores.von_neumann.support,
        "smith_set": smith_set(matrix),
    }
    return {notion: [preferences.names[i] for i in chosen] for notion, chosen in sets.items()}
