"""Busa-Fekete et al. 2013, line by line: all bounds and sets anew after every round."""

import math

import numpy as np

from naive_policies import pick_from


class _Race:
    """Samples of every (i, j), and what follows from them."""

    def __init__(self, n_arms, params, rng):
        self.n_arms, self.params, self.rng = n_arms, params, rng
        self.n_max = params.n_max or params.horizon
        self.delta = params.delta or 1 / params.horizon
        self.n, self.w = np.zeros((2, n_arms, n_arms))
        self.lots = list(rng.permutation(n_arms))  # decide ties
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
        """Those that are sampled, in lexicographic order."""
        arms = range(self.n_arms)
        return [(i, j) for i in arms for j in arms if i < j or (self.params.ordered and i != j)]

    def finished(self):
        return self.over

    def answer(self):
        score = self.scores()
        return sorted(self.lots, key=lambda arm: -score[arm])[: self.params.kappa]

    def commit(self):
        if self.committed is None:
            self.committed = pick_from(sorted(self.answer()), self.rng)
        return self.committed, self.committed


class _InRounds(_Race):
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


class Pbr(_InRounds):
    """PBR-CO."""

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


class PbrBorda(_InRounds):
    """PBR-SE."""

    def __init__(self, n_arms, params, rng):
        super().__init__(n_arms, params, rng)
        self.selected, self.discarded = set(), set()

    def close_pairs(self):
        group = sorted({arm for pair in self.active for arm in pair})
        low, high = {}, {}
        for i in group:
            low[i] = sum(self.rate(i, j) - self.radius(i, j) for j in group if j != i) / (self.n_arms - 1)
            high[i] = sum(self.rate(i, j) + self.radius(i, j) for j in group if j != i) / (self.n_arms - 1)
        wanted = self.params.kappa - len(self.selected)
        more = 1 if self.params.rules == "literal" else 0
        selected = {i for i in group if sum(high[j] < low[i] for j in group) >= len(group) - wanted + more}
        discarded = {i for i in group if sum(high[i] < low[j] for j in group) >= wanted + more}
        self.selected |= selected
        self.discarded |= discarded - selected
        settled = self.selected | self.discarded
        self.active = [(i, j) for i, j in self.active if i not in settled and j not in settled]

    def scores(self):
        mean = [
            sum(self.rate(i, j) for j in range(self.n_arms) if j != i) / (self.n_arms - 1)
            for i in range(self.n_arms)
        ]
        return [(i in self.selected) - (i in self.discarded) + mean[i] / 2 for i in range(self.n_arms)]


class PbrWalk(_Race):
    """PBR-RW: the walk, and both inverses of the paper, after every duel."""

    def beaten(self, i):
        return sum(self.rate(j, i) for j in range(self.n_arms))

    def errors(self):
        """Per (i, j), what its error adds to that of the walk."""
        arms = range(self.n_arms)
        return {(i, j): self.radius(i, j) * self.beaten(i) for i in arms for j in arms if i != j}

    def select(self):
        if self.over:
            return self.commit()
        error = self.errors()
        return pick_from([pair for pair in sorted(error) if error[pair] == max(error.values())], self.rng)

    def update(self, first, second, first_won):
        if first == second:
            return
        self.sample(first, second, first_won)
        self.over = self.n.max() > self.n_max or self.is_clear()

    def chances(self):
        step = np.array([[self.rate(j, i) for j in range(self.n_arms)] for i in range(self.n_arms)])
        step /= step.sum(axis=1, keepdims=True)
        return 0.98 * step + 0.02 / self.n_arms

    def scores(self):
        n, step = self.n_arms, self.chances()
        return np.full(n, 1 / n) @ np.linalg.inv(np.eye(n) - step + np.full((n, n), 1 / n))

    def is_clear(self):
        v, step, one = self.scores(), self.chances(), np.ones(self.n_arms)
        group = np.linalg.inv(np.eye(self.n_arms) - step + np.outer(one, v)) - np.outer(one, v)
        error = self.n_arms / 3 * max(self.errors().values())
        best = sorted(v, reverse=True)
        return best[self.params.kappa - 1] - best[self.params.kappa] > 2 * error * np.abs(group).max()
