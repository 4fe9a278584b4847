"""Yue et al. 2012, Algorithms 2 and 3, line by line: all estimates and intervals after every sweep."""

import math

from naive.policies import pick, pick_from


class InterleavedFilter:
    def __init__(self, n_arms, params, rng):
        self.version, self.rng = params.version, rng
        self.delta = 1 / (params.horizon * n_arms**2)
        self.candidate = pick(n_arms, rng)
        self.remaining = [arm for arm in range(n_arms) if arm != self.candidate]
        self.better = []
        self.start_round()

    def start_round(self):
        self.wins = dict.fromkeys(self.remaining, 0)
        self.n = dict.fromkeys(self.remaining, 0)

    def select(self):
        if self.better:
            self.change_candidate()
        if not self.remaining:
            return self.candidate, self.candidate
        fewest = min(self.n.values())
        return self.candidate, min(arm for arm in self.remaining if self.n[arm] == fewest)

    def change_candidate(self):
        new = pick_from(self.better, self.rng)
        if self.version == 2:
            self.remaining = [arm for arm in self.remaining if arm == new or self.estimate(arm) <= 0.5]
        self.remaining.remove(new)
        self.candidate, self.better = new, []
        self.start_round()

    def estimate(self, arm):
        return self.wins[arm] / self.n[arm]

    def update(self, first, second, first_won):
        if first == second:
            return
        self.n[second] += 1
        self.wins[second] += bool(first_won)
        if len(set(self.n.values())) == 1:
            radius = math.sqrt(4 * math.log(1 / self.delta) / self.n[second])
            worse = [arm for arm in self.remaining if self.estimate(arm) - radius > 0.5]
            self.remaining = [arm for arm in self.remaining if arm not in worse]
            self.better = [arm for arm in self.remaining if self.estimate(arm) + radius < 0.5]
            for arm in worse:
                del self.wins[arm], self.n[arm]


TWIN = InterleavedFilter
