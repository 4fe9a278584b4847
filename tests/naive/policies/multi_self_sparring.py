"""Sui et al. 2017 with m arms on a page, line by line."""

import numpy as np


class SelfSparring:
    """Draw from all posteriors m times; every pair of the m arms duels."""

    def __init__(self, n_arms, params, rng):
        self.params, self.rng = params, rng
        self.s, self.f = np.ones(n_arms), np.ones(n_arms)

    def select(self):
        return [int(self.rng.beta(self.s, self.f).argmax()) for _ in range(self.params.m)]

    def update(self, winner, loser):
        if winner != loser or self.params.self_feedback == "coin":
            self.s[winner] += self.params.eta
            self.f[loser] += self.params.eta


TWIN = SelfSparring
