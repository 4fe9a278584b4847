"""Relative Thompson sampling, line by line: all samples in every step."""

import numpy as np

from naive.policies import pick_from
from naive.policies.thompson import largest_fresh_sample, tournament


class Rts:
    def __init__(self, n_arms, params, rng):
        self.rng, self.w = rng, np.zeros((n_arms, n_arms))

    def select(self):
        score = (tournament(self.w, self.rng) > 0.5).sum(axis=1)
        first = int(pick_from(np.flatnonzero(score == score.max()), self.rng))
        return first, largest_fresh_sample(self.w, first, np.ones(len(self.w), bool), self.rng)

    def update(self, first, second, first_won):
        if first != second:
            self.w[(first, second) if first_won else (second, first)] += 1


TWIN = Rts
