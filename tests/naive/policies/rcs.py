"""Zoghi et al. 2014 (WSDM), Algorithm 1, line by line: a whole tournament and all bounds in every step."""

import numpy as np

from naive.policies import pick_from
from naive.policies.thompson import tournament, upper_bounds


class Rcs:
    def __init__(self, n_arms, params, rng):
        self.alpha, self.unvisited, self.rng = params.alpha, params.unvisited_u, rng
        self.w, self.times, self.t = np.zeros((n_arms, n_arms)), np.zeros(n_arms), 0

    def select(self):
        self.t += 1
        theta = tournament(self.w, self.rng)
        champions = np.flatnonzero((theta > 0.5).sum(axis=1) == len(theta) - 1)
        least_often = np.flatnonzero(self.times == self.times.min())
        c = champions[0] if len(champions) else pick_from(least_often, self.rng)
        self.times[c] += 1
        column = upper_bounds(self.w, self.alpha, self.t, self.unvisited)[:, c]
        best = np.flatnonzero(column == column.max())
        if len(best) > 1:
            best = best[best != c]
        return int(c), int(pick_from(best, self.rng))

    def update(self, first, second, first_won):
        if first != second:
            self.w[(first, second) if first_won else (second, first)] += 1


TWIN = Rcs
