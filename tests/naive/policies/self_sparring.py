"""Sui et al. 2017 with independent arms and two per round: samples of all posteriors, twice a step."""

import numpy as np


class SelfSparring:
    def __init__(self, n_arms, params, rng):
        self.eta, self.coin, self.rng = params.eta, params.self_feedback == "coin", rng
        self.s, self.f = np.zeros(n_arms), np.zeros(n_arms)

    def select(self):
        return tuple(int(self.rng.beta(self.s + 1, self.f + 1).argmax()) for _ in range(2))

    def update(self, first, second, first_won):
        if first == second and not self.coin:
            return
        winner, loser = (first, second) if first_won else (second, first)
        self.s[winner] += self.eta
        self.f[loser] += self.eta


TWIN = SelfSparring
