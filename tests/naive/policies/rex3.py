"""Gajane et al. 2015, Algorithm 1, line by line: all weights and probabilities in every step."""

import math

import numpy as np


class Rex3:
    def __init__(self, n_arms, params, rng):
        self.params, self.rng, self.t = params, rng, 0
        self.log_w = np.zeros(n_arms)

    def select(self):
        self.t += 1
        n_arms = len(self.log_w)
        self.gamma = self.params.gamma
        if self.gamma == 0:
            t = self.params.horizon if self.params.schedule == "fixed" else max(self.t, self.params.t_least)
            tau = self.params.tau_factor * t
            self.gamma = min(0.5, math.sqrt(n_arms * math.log(n_arms) / tau))
        w = np.exp(self.log_w - self.log_w.max())
        self.share = w / w.sum()
        self.p = (1 - self.gamma) * self.share + self.gamma / n_arms
        return self.draw(), self.draw()

    def draw(self):
        return self.rng.choice(len(self.p), p=self.p)

    def update(self, first, second, first_won):
        if first == second:
            return
        psi = 1 if first_won else -1
        factor = 2 if self.params.half else 1
        self.log_w[first] += self.gamma * psi / (factor * len(self.p) * self.p[first])
        self.log_w[second] -= self.gamma * psi / (factor * len(self.p) * self.p[second])


class Rex3ByMixture(Rex3):
    """The same distribution, drawn as by the policy: uniformly with probability gamma, else by weight."""

    def draw(self):
        if self.rng.random() < self.gamma:
            return int(self.rng.random() * len(self.p))
        return int(np.searchsorted(np.cumsum(self.share), self.rng.random(), side="right"))


TWIN = Rex3
