"""Urvoy et al. 2013, Condorcet test, line by line: a search of all pairs for the least sampled one."""

import math
from itertools import combinations


class Savage:
    def __init__(self, n_arms, params, rng):
        self.params, self.delta = params, params.delta or 1 / params.horizon
        self.active = list(range(n_arms))
        self.n = dict.fromkeys(combinations(self.active, 2), 0)
        self.w = dict.fromkeys(self.n, 0)  # duels won by the first arm of the pair

    def radius(self, n):
        if self.params.bound == "finite":
            eta = 2 * len(self.n) * self.params.horizon
        else:
            eta = math.pi**2 * len(self.n) * n**2 / 3
        return math.sqrt(math.log(eta / self.delta) / (2 * n))

    def select(self):
        if len(self.active) == 1:
            return self.active[0], self.active[0]
        return min(combinations(self.active, 2), key=self.n.get)  # the lexicographically first of equals

    def update(self, first, second, first_won):
        if first == second:
            return
        pair = first, second
        self.n[pair] += 1
        self.w[pair] += bool(first_won)
        estimate, radius = self.w[pair] / self.n[pair], self.radius(self.n[pair])
        if estimate + radius < 0.5:
            self.active.remove(first)
        if estimate - radius > 0.5:
            self.active.remove(second)


TWIN = Savage
