"""Busa-Fekete et al. 2013, the random walk, line by line: all errors computed in every step."""

import numpy as np

from naive.policies import pick_from
from naive.policies.pbr import Race


class PbrWalk(Race):
    """PBR-RW, with the walk and both inverses of the paper after every duel."""

    def beaten(self, i):
        return sum(self.rate(j, i) for j in range(self.n_arms))

    def errors(self):
        """Return the error of each (i, j): its radius times the rates at which arms beat i."""
        arms = range(self.n_arms)
        return {(i, j): self.radius(i, j) * self.beaten(i) for i in arms for j in arms if i != j}

    def select(self):
        if self.over:
            return self.commit()
        error = self.errors()
        return pick_from([pair for pair in sorted(error) if error[pair] == max(error.values())], self.rng)

    def update(self, first, second, first_won):
        if first == second:
            return
        self.sample(first, second, first_won)
        self.over = self.n.max() > self.n_max or self.is_clear()

    def chances(self):
        step = np.array([[self.rate(j, i) for j in range(self.n_arms)] for i in range(self.n_arms)])
        step /= step.sum(axis=1, keepdims=True)
        return 0.98 * step + 0.02 / self.n_arms

    def scores(self):
        n, step = self.n_arms, self.chances()
        return np.full(n, 1 / n) @ np.linalg.inv(np.eye(n) - step + np.full((n, n), 1 / n))

    def is_clear(self):
        v, step, one = self.scores(), self.chances(), np.ones(self.n_arms)
        group = np.linalg.inv(np.eye(self.n_arms) - step + np.outer(one, v)) - np.outer(one, v)
        error = self.n_arms / 3 * max(self.errors().values())
        best = sorted(v, reverse=True)
        return best[self.params.kappa - 1] - best[self.params.kappa] > 2 * error * np.abs(group).max()


TWIN = PbrWalk
