"""Wu and Liu 2016, Algorithm 1 and its variant DTS+, line by line: every bound and sample in every step."""

import numpy as np

from naive.policies import pick_from
from naive.policies.thompson import largest_fresh_sample, tournament, upper_bounds


class Dts:
    def __init__(self, n_arms, params, rng):
        self.params, self.rng, self.w, self.t = params, rng, np.zeros((n_arms, n_arms)), 0

    def select(self):
        self.t += 1
        prior = self.params.w0 * (1 - np.eye(len(self.w)))
        u = upper_bounds(self.w + prior, self.params.alpha, self.t, 2.0)
        lower = 1 - u.T
        copeland = (u > 0.5).sum(axis=1)
        candidates = np.flatnonzero(copeland == copeland.max())
        theta = tournament(self.w, self.rng)
        score = (theta > 0.5).sum(axis=1)
        best = score[candidates].max()
        tied = candidates[score[candidates] == best]
        if self.params.plus and len(tied) > 1:
            regret = np.array([self._regret(theta, score, best, i) for i in tied])
            tied = tied[regret == regret.min()]
        first = int(pick_from(tied, self.rng))
        return first, largest_fresh_sample(self.w, first, lower[:, first] <= 0.5, self.rng)

    def update(self, first, second, first_won):
        if first != second:
            self.w[(first, second) if first_won else (second, first)] += 1

    @staticmethod
    def _regret(theta, score, best, i):
        total = 0.0
        for j in range(len(theta)):
            if j != i and 2 * best - score[i] - score[j] != 0:
                p = np.clip(theta[i, j], 1e-7, 1 - 1e-7)
                divergence = p * np.log(2 * p) + (1 - p) * np.log(2 * (1 - p))
                total += (2 * best - score[i] - score[j]) / divergence
        return total


TWIN = Dts
