"""Chen and Frazier 2017, Algorithms 1 and 2, line by line: two searches for the largest C in every step."""

import math

from naive.policies import pick_from


class WinnerStays:
    def __init__(self, n_arms, params, rng):
        self.strong, self.beta, self.rng = params.regret == "strong", params.beta, rng
        self.c = [0] * n_arms
        self.previous = ()
        self.round, self.best, self.exploiting = 1, None, 0

    def select(self):
        if self.exploiting:
            return self.best, self.best
        arms = range(len(self.c))
        i = self.largest(arms)
        return i, self.largest([arm for arm in arms if arm != i])

    def largest(self, arms):
        top = max(self.c[arm] for arm in arms)
        tied = [arm for arm in arms if self.c[arm] == top]
        for arm in self.previous:
            if arm in tied:
                return arm
        return pick_from(tied, self.rng)

    def update(self, first, second, first_won):
        if first == second:
            self.exploiting -= 1
            return
        self.previous = (first, second)
        self.c[first] += 1 if first_won else -1
        self.c[second] -= 1 if first_won else -1
        if sum(c == -self.round for c in self.c) == len(self.c) - 1:
            self.best = self.c.index(max(self.c))
            if self.strong:
                self.exploiting = math.floor(self.beta**self.round)
            self.round += 1


TWIN = WinnerStays
