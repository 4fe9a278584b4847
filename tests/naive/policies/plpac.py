"""Szorenyi et al. 2015, Algorithm 2, line by line: all bounds of all pairs after every pass."""

import math

import numpy as np

from naive.policies import pick_from
from naive.policies.procedure import Procedure


class Plpac(Procedure):
    def run(self, n_arms, params, rng):
        self.active, w = list(range(n_arms)), np.zeros((n_arms, n_arms))
        self.low = np.full((n_arms, n_arms), -np.inf)
        near_best = []
        while not near_best:
            for higher, lower in (yield from self.ranking(rng)):
                for x in higher:
                    for y in lower:
                        w[x, y] += 1
            n = w + w.T
            with np.errstate(divide="ignore", invalid="ignore"):
                c = np.sqrt(np.log(4 * n_arms**2 * n**2 / params.delta) / (2 * n))
                self.low, high = np.where(n > 0, (w / n - c, w / n + c), [[[-np.inf]], [[np.inf]]])
            for x in list(self.active):
                if any(high[x, y] < 0.5 for y in self.active if y != x):
                    self.active.remove(x)
            near_best = [x for x in self.active if self.weakest(x) > 0.5 - params.epsilon]
        return sorted(near_best, key=lambda x: (-self.weakest(x), x))

    def ranking(self, rng):
        """Rank the active arms around a pivot; return the pairs of a higher and a lower group."""
        pivot, up, down = pick_from(self.active, rng), [], []
        for x in self.active:
            if x != pivot:
                (up if (yield x, pivot) else down).append(x)
        return (up, [pivot]), ([pivot], down), (up, down)

    def weakest(self, x):
        return min((self.low[x, y] for y in self.active if y != x), default=math.inf)

    def provisional(self):
        largest = max(self.weakest(x) for x in self.active)
        return [x for x in self.active if self.weakest(x) == largest]


TWIN = Plpac
