"""RankEl as reconstructed, line by line: all intervals and comparisons after every round."""

import math

from naive.policies import pick_from


class RankEl:
    def __init__(self, n_arms, params, rng):
        self.params, self.rng, self.delta = params, rng, params.delta or 1 / params.horizon
        self.arms, self.t = range(n_arms), 1
        self.active = [(i, j) for i in self.arms for j in self.arms if i < j]
        self.turn = list(self.active)
        self.n = dict.fromkeys(self.active, 0)
        self.w = dict.fromkeys(self.active, 0)
        self.winner = {}  # winner of each pair whose sign is known
        self.committed = None

    def select(self):
        if self.active:
            return self.turn[0]
        if self.committed is None:
            self.committed = pick_from(sorted(self.answer()), self.rng)
        return self.committed, self.committed

    def update(self, first, second, first_won):
        if first == second:
            return
        self.n[first, second] += 1
        self.w[first, second] += bool(first_won)
        self.turn.pop(0)
        if not self.turn:
            self.compare_all()
            self.turn = list(self.active)
            self.t += 1

    def compare_all(self):
        n_arms = len(self.arms)
        for i, j in self.active:
            n = self.n[i, j]
            radius = math.sqrt(math.log(5 * n_arms**2 * self.t**4 / (4 * self.delta)) / (2 * n))
            if self.w[i, j] / n - radius > 0.5:
                self.winner[i, j] = i
            elif self.w[i, j] / n + radius < 0.5:
                self.winner[i, j] = j
        lower = [sum(winner == i for winner in self.winner.values()) for i in self.arms]
        lost = [sum(i in pair and winner != i for pair, winner in self.winner.items()) for i in self.arms]
        upper = [n_arms - 1 - lost[i] for i in self.arms]
        relevant = [i for i in self.arms if self.params.target == "ranking" or upper[i] >= max(lower)]
        incomparable = {
            i: [j for j in relevant if j != i and lower[i] <= upper[j] and lower[j] <= upper[i]]
            for i in relevant
        }
        if max(len(others) for others in incomparable.values()) <= self.params.rho:
            self.active = []
        self.active = [
            (i, j)
            for i, j in self.active
            if (i, j) not in self.winner and (incomparable.get(i) or incomparable.get(j))
        ]

    def finished(self):
        return not self.active

    def answer(self):
        score = [0 for _ in self.arms]
        for (i, j), n in self.n.items():
            if 2 * self.w[i, j] != n:
                score[i if 2 * self.w[i, j] > n else j] += 1
        return {i for i in self.arms if score[i] == max(score)}


TWIN = RankEl
