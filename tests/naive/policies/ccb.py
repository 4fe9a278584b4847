"""Zoghi et al. 2015, CCB, line by line: all bounds, scores and sets in every step.

No random number is drawn where both outcomes lead to the same choice.
"""

import numpy as np

from naive.policies import pick, pick_from


class Ccb:
    def __init__(self, n_arms, params, rng):
        self.alpha, self.rng, self.t = params.alpha, rng, 0
        self.w = np.zeros((n_arms, n_arms))
        self.reset()

    def reset(self):
        arms = range(len(self.w))
        self.b, self.b_of, self.lc = set(arms), {i: set() for i in arms}, len(arms)

    def bounds(self):
        n = self.w + self.w.T
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.where(n > 0, self.w / n, 1.0)
            radius = np.where(n > 0, np.sqrt(self.alpha * np.log(self.t) / n), 1.0)
        high, low = rate + radius, rate - radius
        np.fill_diagonal(high, 0.5)
        np.fill_diagonal(low, 0.5)
        return high, low

    def select(self):
        self.t += 1
        arms = range(len(self.w))
        high, low = self.bounds()
        up = [sum(high[i, k] >= 0.5 for k in arms if k != i) for i in arms]
        lo = [sum(low[i, k] >= 0.5 for k in arms if k != i) for i in arms]
        c_t = [i for i in arms if up[i] == max(up)]

        if any(low[i, j] > 0.5 for i in arms for j in self.b_of[i]):  # A
            self.reset()
        for i in sorted(self.b):  # B
            if up[i] < max(lo):
                self.b.remove(i)
                if len(self.b_of[i]) != self.lc + 1:
                    self.b_of[i] = {k for k in arms if high[i, k] < 0.5}
        if not self.b:
            self.reset()
        for i in c_t:  # C
            if up[i] == lo[i]:
                self.b.add(i)
                self.b_of[i] = set()
                self.lc = len(self.w) - 1 - up[i]
                for j in arms:
                    if len(self.b_of[j]) < self.lc + 1:
                        self.b_of[j] = set()
                    elif len(self.b_of[j]) > self.lc + 1:
                        self.b_of[j] = self.subset(sorted(self.b_of[j]), self.lc + 1)

        doubtful = [(i, j) for i in arms for j in sorted(self.b_of[i]) if low[i, j] <= 0.5 <= high[i, j]]
        if doubtful and self.rng.random() < 1 / 4:
            return pick_from(doubtful, self.rng)
        both = [i for i in c_t if i in self.b]
        if both and both != c_t and self.rng.random() < 2 / 3:
            c_t = both
        c = pick_from(c_t, self.rng)
        opponents = [j for j in self.b_of[c] if low[j, c] <= 0.5]
        if not opponents or self.rng.random() >= 1 / 2:
            opponents = [j for j in arms if low[j, c] <= 0.5]
        best = [j for j in sorted(opponents) if high[j, c] == max(high[k, c] for k in opponents)]
        if len(best) > 1:
            best = [j for j in best if j != c]
        return c, pick_from(best, self.rng)

    def subset(self, members, n):
        """Return `n` of the members, such that all subsets are equally likely."""
        kept = set()
        for place, member in enumerate(members):
            if pick(len(members) - place, self.rng) < n - len(kept):
                kept.add(member)
        return kept

    def update(self, first, second, first_won):
        if first != second:
            self.w[(first, second) if first_won else (second, first)] += 1


TWIN = Ccb
