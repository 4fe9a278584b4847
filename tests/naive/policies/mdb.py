"""Brost et al. 2016, Algorithm 1, line by line."""

import math
from decimal import Decimal

import numpy as np

from naive.policies import pick


class Mdb:
    """MDB, with all bounds of all pairs in every step."""

    def __init__(self, n_arms, params, rng):
        self.params, self.rng, self.t = params, rng, 0
        self.w = np.zeros((n_arms, n_arms), int)

    def log_time(self):
        """Return ln(t + C), by decimal numbers as C may be larger than any float."""
        if not self.params.add_c:
            return math.log(self.t)
        alpha, n_arms = Decimal(self.params.alpha), len(self.w)
        base = (4 * alpha - 1) * n_arms**2 / (2 * alpha - 1) * self.params.horizon
        return float((self.t + base ** (1 / (2 * alpha - 1))).ln())

    def unbeaten(self, alpha):
        n = self.w + self.w.T
        with np.errstate(divide="ignore", invalid="ignore"):
            upper = self.w / n + np.sqrt(alpha * self.log_time() / n)
        return [arm for arm in range(len(n)) if not ((n[arm] > 0) & (upper[arm] < 0.5)).any()]

    def select(self):
        self.t += 1
        if self.params.draws:
            return sorted(pick(len(self.w), self.rng) for _ in range(self.params.draws))
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
        if winner != loser:
            self.w[winner, loser] += 1


TWIN = Mdb
