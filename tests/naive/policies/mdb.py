"""Brost et al. 2016, Algorithm 1, line by line."""

import math

import numpy as np

from naive.policies import pick


class Mdb:
    """MDB, with all bounds of all pairs in every step."""

    def __init__(self, n_arms, params, rng):
        self.params, self.rng, self.t = params, rng, 0
        self.w = np.zeros((n_arms, n_arms), int)

    def unbeaten(self, alpha):
        n = self.w + self.w.T
        with np.errstate(divide="ignore", invalid="ignore"):
            upper = self.w / n + np.sqrt(alpha * math.log(self.t) / n)
        return [arm for arm in range(len(n)) if not ((n[arm] > 0) & (upper[arm] < 0.5)).any()]

    def select(self):
        self.t += 1
        narrow = self.unbeaten(self.params.alpha)
        if len(narrow) == 1:
            return narrow
        arms = self.unbeaten(self.params.alpha * self.params.beta) or list(range(len(self.w)))
        if self.params.max_set:
            for place in range(min(len(arms), self.params.max_set)):
                other = place + pick(len(arms) - place, self.rng)
                arms[place], arms[other] = arms[other], arms[place]
            arms = arms[: self.params.max_set]
        return arms

    def update(self, winner, loser):
        self.w[winner, loser] += 1


TWIN = Mdb
