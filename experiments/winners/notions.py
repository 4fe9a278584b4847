"""Who is best, by every notion of a winner in use; functions of a K x K matrix of preferences.

"i beats j" means p[i, j] > 1/2; exactly 1/2 is a tie, neither a win nor a loss. `bandits` has the Condorcet
winner and the gaps to it; experiments.winners.transitivity orders and cycles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from bandits import condorcet_winner
from experiments.matrix.preferences import Preferences
from rankduel.base.errors import UsageError, encodable
from rankduel.base.settings import find

_NOTHING = 1e-9  # payoffs and weights below this are rounding
# From i to j in proportion to p[j, i]; they agree on the ratios visits[i] / (weight of leaving i).
CHAINS = {
    "self": "staying where one is counts as a duel of 1/2 (Busa-Fekete et al. 2013)",
    "no_self": "never staying",
    "rank_centrality": "1/K for every opponent, else staying (Negahban et al. 2012); gives BTL weights back",
}


def copeland_scores(matrix: np.ndarray) -> np.ndarray:
    """(K,) how many others each beats."""
    return (matrix > 0.5).sum(axis=1)


def copeland_losses(matrix: np.ndarray) -> np.ndarray:
    """(K,) how many others beat each; with ties this is not K - 1 minus the score."""
    return (matrix < 0.5).sum(axis=1)


def borda_scores(matrix: np.ndarray) -> np.ndarray:
    """(K,) the mean chance against another; 1/2 for one who is alone."""
    others = len(matrix) - 1
    return (matrix.sum(axis=1) - 0.5) / others if others else np.full(1, 0.5)


def copeland_order(matrix: np.ndarray) -> np.ndarray:
    """Indices from most to fewest beaten; equal scores by Borda score, then as they stand."""
    return np.lexsort((-borda_scores(matrix).round(12), -copeland_scores(matrix)))


def best(scores: np.ndarray) -> np.ndarray:
    """Indices of the largest score; what differs by rounding alone shares the place."""
    return np.flatnonzero(scores >= scores.max() - 1e-12)


def random_walk(matrix: np.ndarray, chain: str = "self", damping: float = 1.0) -> np.ndarray:
    """(K,) how often a walk that moves on to whoever wins is at each; `chain` is one of CHAINS.

    With probability 1 - `damping` a step goes anywhere instead (published: 0.98). Even without there is one
    answer only: of any two, one beats the other at times, so no two groups are closed to each other.
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
    np.fill_diagonal(moves, np.where(leaving > 0, moves.diagonal(), 1.0))  # who never loses is left by nobody
    moves /= moves.sum(axis=1, keepdims=True)
    moves = damping * moves + (1.0 - damping) / size
    visits = np.linalg.solve((np.eye(size) - moves + 1.0 / size).T, np.full(size, 1.0 / size))
    visits = np.maximum(visits, 0.0)
    return visits / visits.sum()


def smith_set(matrix: np.ndarray) -> np.ndarray:
    """The fewest, at least one, who each beat everybody else: the Condorcet winner, or the top cycle."""
    groups = scipy.sparse.csgraph.connected_components(matrix >= 0.5, connection="strong")[1]
    # Whoever beats most reaches everybody through at most one other, so is in the topmost group.
    return np.flatnonzero(groups == groups[copeland_scores(matrix).argmax()])


class Mixture(NamedTuple):
    weights: np.ndarray  # (K,) against everybody, one drawn like this wins at least half of the duels
    unique: bool
    support: np.ndarray  # who has weight; of all such mixtures, if there are several

    def guarantee(self, matrix: np.ndarray) -> float:
        """The chance to win against the hardest opponent: one half, but for rounding."""
        return float((self.weights @ matrix).min())


def von_neumann(matrix: np.ndarray) -> Mixture:
    """The von Neumann winner (Dudik et al. 2015): a lottery that nobody beats, by linear programming.

    Nobody outside the Smith set has weight: the lottery's part outside would lose to its part inside.
    """
    top = smith_set(matrix)
    edges = 2.0 * matrix[np.ix_(top, top)] - 1.0
    found = _unbeaten_lottery(edges)
    support = np.flatnonzero(found > _NOTHING)
    # A corner is the only such lottery if whoever is not in it loses to it (strict complementarity).
    unique = bool(((found > _NOTHING) | (found @ edges > _NOTHING)).all())
    weights = np.zeros(len(matrix))
    weights[top] = found
    mixture = Mixture(weights, unique, top[support if unique else _ever_used(edges)])
    if mixture.guarantee(matrix) < 0.5 - _NOTHING:
        raise ArithmeticError(f"the linear program ended at a lottery that wins {mixture.guarantee(matrix)}")
    return mixture


def _unbeaten_lottery(edges: np.ndarray) -> np.ndarray:
    """A corner of the set of lotteries w with w @ edges >= 0."""
    size = len(edges)
    if size == 1:
        return np.ones(1)
    # Variables: the weights, and the payoff v that all opponents have to leave; v is made large.
    solution = _solution(
        np.append(np.zeros(size), -1.0),
        A_ub=np.hstack([-edges.T, np.ones((size, 1))]),
        b_ub=np.zeros(size),
        A_eq=np.append(np.ones(size), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0.0, None)] * size + [(None, None)],
    )
    weights = np.maximum(solution[:-1], 0.0)
    return _polished(weights / weights.sum(), edges)


def _polished(weights: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """To the last digit: on its support the lottery's payoffs are exactly 0, a small linear system."""
    support = np.flatnonzero(weights > _NOTHING)
    kernel = _kernel(edges[np.ix_(support, support)])
    if kernel.ndim != 1 or not (kernel > 0).all():
        return weights
    exact = np.zeros(len(weights))
    exact[support] = kernel
    return exact if (exact @ edges).min() >= min((weights @ edges).min(), -1e-15) else weights


def _kernel(block: np.ndarray) -> np.ndarray:
    """The direction that `block` maps to nothing, adding up to 1; an empty table unless there is just one."""
    _, sizes, directions = np.linalg.svd(block)
    if (sizes < _NOTHING).sum() != 1 or abs(directions[-1].sum()) < _NOTHING:
        return np.empty((0, 0))
    return directions[-1] / directions[-1].sum()


def _ever_used(edges: np.ndarray) -> np.ndarray:
    """Who has weight in some unbeaten lottery: as many at a time as can be, each up to 1, with a free sum."""
    size = len(edges)
    solution = _solution(
        np.repeat([0.0, -1.0], size),
        A_ub=np.block([[-edges.T, np.zeros((size, size))], [-np.eye(size), np.eye(size)]]),
        b_ub=np.zeros(2 * size),
        bounds=[(0.0, None)] * size + [(0.0, 1.0)] * size,
    )
    return np.flatnonzero(solution[size:] > 0.5)


def _solution(costs: np.ndarray, **constraints: Any) -> np.ndarray:
    """Of a linear program, at a corner: by the simplex method, as exactly as it goes."""
    exactly: Any = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = scipy.optimize.linprog(costs, **constraints, method="highs-ds", options=exactly)
    if found.x is None:
        raise ArithmeticError(f"a linear program of {len(costs)} variables failed: {found.message}")
    return found.x


class Scores(NamedTuple):
    """Of everybody, by every notion."""

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
    """One row per ranker, from most to fewest beaten; `scores` if they are known already."""
    matrix = preferences.matrix
    scores = scores or all_scores(matrix)
    order = copeland_order(matrix)
    columns = scores._asdict() | {"von_neumann": scores.von_neumann.weights}
    names = [encodable(name) for name in preferences.names]
    table = pd.DataFrame({"ranker": names} | columns | {"against_first": matrix[:, order[0]]})
    return table.iloc[order].reset_index(drop=True)


def winner_sets(preferences: Preferences, scores: Scores | None = None) -> dict[str, list[str]]:
    """Names of the winners by every notion; none for Condorcet where nobody beats all others."""
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
