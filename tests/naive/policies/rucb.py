"""Zoghi et al. 2014, Algorithm 1, line by line: the whole matrix of upper bounds in every step."""

import numpy as np

from naive.policies import pick, pick_from


class Rucb:
    def __init__(self, n_arms, params, rng):
        self.alpha, self.unvisited, self.use_b, self.rng = params.alpha, params.unvisited_u, params.use_b, rng
        self.w = np.zeros((n_arms, n_arms))
        self.t, self.b = 0, set()

    def select(self):
        self.t += 1
        n_arms = len(self.w)
        n = self.w + self.w.T
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.where(n > 0, self.w / n + np.sqrt(self.alpha * np.log(self.t) / n), self.unvisited)
        np.fill_diagonal(u, 0.5)
        candidates = [i for i in range(n_arms) if (u[i] >= 0.5).all()]
        self.b &= set(candidates)
        if not candidates:
            c = pick(n_arms, self.rng)
        elif len(candidates) == 1:
            c = candidates[0]
            self.b = {c} if self.use_b else set()
        elif self.b:
            (b,) = self.b
            c = b if self.rng.random() < 0.5 else pick_from([i for i in candidates if i != b], self.rng)
        else:
            c = pick_from(candidates, self.rng)
        column = u[:, c]
        best = np.flatnonzero(column == column.max())
        if len(best) > 1:
            best = best[best != c]
        return c, pick_from(best, self.rng)

    def update(self, first, second, first_won):
        if first != second:
            self.w[(first, second) if first_won else (second, first)] += 1


TWIN = Rucb
