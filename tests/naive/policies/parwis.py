"""Sheth and Rajkumar 2021, line by line: a linear system is solved for every score and hypothetical score."""

import numpy as np

from naive.policies import pick_from
from naive.policies.procedure import Procedure


def scores(wins):
    """Return the stationary distribution of the walk, the dummy last."""
    k = len(wins)
    c = np.ones((k + 1, k + 1))
    c[:k, :k] = wins
    n = c + c.T
    walk = np.divide(c.T, n, out=np.zeros_like(c), where=n > 0) / k
    np.fill_diagonal(walk, 0)
    np.fill_diagonal(walk, 1 - walk.sum(axis=1))
    balance = walk.T - np.eye(k + 1)
    balance[-1] = 1  # replaces an equation that follows from the others
    return np.linalg.solve(balance, np.append(np.zeros(k), 1.0))


def expected_change(wins, i, j):
    before, sizes = scores(wins), []
    for winner, loser in ((i, j), (j, i)):
        after = wins.copy()
        after[winner, loser] += 1
        sizes.append(np.linalg.norm(scores(after) - before))
    return np.dot(before[[i, j]], sizes) / before[[i, j]].sum()


def largest(values):
    """Return the indices of the largest values, up to rounding."""
    return np.flatnonzero(values >= (1 - 1e-9) * max(values)).tolist()


class Parwis(Procedure):
    def run(self, n_arms, params, rng):
        self.wins, self.k = np.zeros((n_arms, n_arms)), params.k
        order = list(range(n_arms)) if params.order == "index" else rng.permutation(n_arms).tolist()
        leader = order[0]
        for j in order[1:]:
            leader = yield from self.duel(leader, j)
        while True:
            i = pick_from(largest(scores(self.wins)[:-1]), rng)
            change = [expected_change(self.wins, i, j) if j != i else 0.0 for j in range(n_arms)]
            yield from self.duel(i, pick_from(largest(change), rng))

    def duel(self, i, j):
        winner, loser = (i, j) if (yield i, j) else (j, i)
        self.wins[winner, loser] += 1
        return winner

    def provisional(self):
        left, listed = dict(enumerate(scores(self.wins)[:-1])), []
        while left and len(listed) < self.k:
            listed.append(min(i for i in left if left[i] >= (1 - 1e-9) * max(left.values())))
            del left[listed[-1]]
        return listed


TWIN = Parwis
