"""Urvoy et al. 2013, Copeland test, line by line: nested intervals, all pairs tested after every duel."""

import math
from itertools import combinations

from naive.policies import pick_from


class CopelandSavage:
    def __init__(self, n_arms, params, rng):
        self.params, self.rng, self.delta = params, rng, params.delta or 1 / params.horizon
        self.arms = range(n_arms)
        self.active = list(combinations(self.arms, 2))
        self.n_pairs = len(self.active)
        self.n = dict.fromkeys(self.active, 0)
        self.w = dict.fromkeys(self.active, 0)  # duels won by the first arm of the pair
        self.interval = dict.fromkeys(self.active, (0.0, 1.0))
        self.committed = None

    def radius(self, n):
        if self.params.bound == "finite":
            eta = 2 * self.n_pairs * self.params.horizon
        else:
            eta = math.pi**2 * self.n_pairs * n**2 / 3
        return math.sqrt(math.log(eta / self.delta) / (2 * n))

    def select(self):
        if self.active:
            return min(self.active, key=self.n.get)  # the lexicographically first of equals
        if self.committed is None:
            self.committed = pick_from(sorted(self.answer()), self.rng)
        return self.committed, self.committed

    def update(self, first, second, first_won):
        if first == second:
            return
        pair = first, second
        self.n[pair] += 1
        self.w[pair] += bool(first_won)
        estimate, radius = self.w[pair] / self.n[pair], self.radius(self.n[pair])
        low, high = self.interval[pair]
        self.interval[pair] = max(low, estimate - radius), min(high, estimate + radius)
        lower, upper = self.copeland_bounds()
        out = {i for i in self.arms if upper[i] < max(lower)}
        self.active = [
            (i, j) for i, j in self.active if self.winner(i, j) is None and not (i in out and j in out)
        ]

    def winner(self, i, j):
        """Return the arm of the pair that is known to win; None if the interval contains 1/2."""
        low, high = self.interval[i, j]
        if low > high:
            return i if (low + high) / 2 > 0.5 else j
        if low > 0.5:
            return i
        return j if high < 0.5 else None

    def copeland_bounds(self):
        lower, upper = [0 for _ in self.arms], [len(self.arms) - 1 for _ in self.arms]
        for i, j in self.n:
            winner = self.winner(i, j)
            if winner is not None:
                lower[winner] += 1
                upper[i + j - winner] -= 1
        return lower, upper

    def finished(self):
        return not self.active

    def answer(self):
        score = self.copeland_bounds()[1]
        if self.active:
            score = [0 for _ in self.arms]
            for pair, n in self.n.items():
                if 2 * self.w[pair] != n:
                    score[pair[0] if 2 * self.w[pair] > n else pair[1]] += 1
        return {i for i in self.arms if score[i] == max(score)}


TWIN = CopelandSavage
