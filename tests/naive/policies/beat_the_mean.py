"""Yue and Joachims 2011, Algorithm 1, line by line: all counts from the list of all duels, in every step."""

import math

import numpy as np

from naive.policies import pick_from


class BeatTheMean:
    def __init__(self, n_arms, params, rng):
        self.params, self.rng = params, rng
        self.delta = 1 / (2 * params.horizon * n_arms)
        self.working = list(range(n_arms))
        self.n = np.zeros((n_arms, n_arms))  # duels that count for the arm of the row, by opponent
        self.w = np.zeros((n_arms, n_arms))
        self.remove_one = False

    def totals(self):
        """Return the duels and estimates of the working set, against the working set."""
        n = self.n[np.ix_(self.working, self.working)].sum(axis=1)
        w = self.w[np.ix_(self.working, self.working)].sum(axis=1)
        return n, np.where(n > 0, w / np.maximum(n, 1), 0.5)

    def select(self):
        if self.remove_one:
            _, estimate = self.totals()
            worst = pick_from(np.flatnonzero(estimate == estimate.min()), self.rng)
            del self.working[worst]
            self.remove_one = False
        if len(self.working) == 1:
            return self.working[0], self.working[0]
        n, _ = self.totals()
        arm = self.working[pick_from(np.flatnonzero(n == n.min()), self.rng)]
        with_self = self.params.opponent == "include_self"
        opponent = pick_from([other for other in self.working if with_self or other != arm], self.rng)
        if opponent == arm:
            self.coin = self.rng.random() < 0.5
        return arm, opponent

    def update(self, first, second, first_won):
        if len(self.working) == 1:
            return
        self.n[first, second] += 1
        self.w[first, second] += self.coin if first == second else first_won
        n, estimate = self.totals()
        fewest = n.min()
        c = 1.0
        if fewest > 0:
            c = self.params.f * self.params.gamma**2 * math.sqrt(math.log(1 / self.delta) / fewest)
        self.remove_one = estimate.min() + c <= estimate.max() - c


TWIN = BeatTheMean
