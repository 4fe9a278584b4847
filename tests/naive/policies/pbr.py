"""Busa-Fekete et al. 2013, line by line: all bounds and sets computed after every round."""

import math

import numpy as np

from naive.policies import pick_from


class Race:
    """Samples of every (i, j), their rates and radii, and the end of the race."""

    def __init__(self, n_arms, params, rng):
        self.n_arms, self.params, self.rng = n_arms, params, rng
        self.n_max = params.n_max or params.horizon
        self.delta = params.delta or 1 / params.horizon
        self.n, self.w = np.zeros((2, n_arms, n_arms))
        self.tie_order = list(rng.permutation(n_arms))
        self.over, self.committed = False, None

    def sample(self, first, second, first_won):
        self.n[first, second] += 1
        self.w[first, second] += bool(first_won)
        if not self.params.ordered:
            self.n[second, first] += 1
            self.w[second, first] += not first_won

    def rate(self, i, j):
        return self.w[i, j] / self.n[i, j] if self.n[i, j] else 0.5

    def radius(self, i, j):
        if self.n[i, j] == 0:
            return math.inf
        return math.sqrt(math.log(2 * self.n_arms**2 * self.n_max / self.delta) / (2 * self.n[i, j]))

    def all_pairs(self):
        """Return the pairs that are sampled, in lexicographic order."""
        arms = range(self.n_arms)
        return [(i, j) for i in arms for j in arms if i < j or (self.params.ordered and i != j)]

    def finished(self):
        return self.over

    def answer(self):
        score = self.scores()
        return sorted(self.tie_order, key=lambda arm: -score[arm])[: self.params.kappa]

    def commit(self):
        if self.committed is None:
            self.committed = pick_from(sorted(self.answer()), self.rng)
        return self.committed, self.committed


class InRounds(Race):
    def __init__(self, n_arms, params, rng):
        super().__init__(n_arms, params, rng)
        self.active = self.all_pairs()
        self.turn = list(self.active)

    def select(self):
        return self.commit() if self.over else self.turn[0]

    def update(self, first, second, first_won):
        if first == second:
            return
        self.sample(first, second, first_won)
        self.turn.pop(0)
        if not self.turn:
            self.close_pairs()
            self.over = not self.active or self.n.max() > self.n_max
            self.turn = list(self.active)


class Pbr(InRounds):
    """PBR-CO, Copeland's ranking."""

    def bounds(self, i, j):
        return self.rate(i, j) - self.radius(i, j), self.rate(i, j) + self.radius(i, j)

    def close_pairs(self):
        n_arms, kappa, arms = self.n_arms, self.params.kappa, range(self.n_arms)
        wins = [sum(i != j and self.bounds(i, j)[0] > 0.5 for j in arms) for i in arms]
        loss = [sum(i != j and self.bounds(i, j)[1] < 0.5 for j in arms) for i in arms]
        if self.params.rules == "literal":
            selected = {i for i in arms if sum(n_arms - loss[j] < wins[i] for j in arms) > n_arms - kappa}
            discarded = {i for i in arms if sum(n_arms - wins[j] < loss[i] for j in arms) > kappa}
        else:
            others = {i: [j for j in arms if j != i] for i in arms}
            selected = {
                i for i in arms if sum(n_arms - 1 - loss[j] < wins[i] for j in others[i]) >= n_arms - kappa
            }
            discarded = {i for i in arms if sum(wins[j] > n_arms - 1 - loss[i] for j in others[i]) >= kappa}
        settled = selected | discarded
        self.active = [
            (i, j)
            for i, j in self.active
            if self.bounds(i, j)[0] <= 0.5 <= self.bounds(i, j)[1] and not {i, j} <= settled
        ]

    def scores(self):
        arms = range(self.n_arms)
        return [sum(self.rate(i, j) > 0.5 for j in arms) for i in arms]


TWIN = Pbr
