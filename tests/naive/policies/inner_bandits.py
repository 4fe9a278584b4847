"""Bandits for the reductions: every index, every weight and every sample in every step."""

import numpy as np

from naive.policies import pick, pick_from


class Ucb:
    """Ailon et al. 2014: mean + sqrt((alpha + 2) ln(time) / (2 n)), arms without plays first."""

    def __init__(self, n_arms, alpha, rng):
        self.alpha, self.rng = alpha, rng
        self.n, self.g = np.zeros(n_arms), np.zeros(n_arms)

    def advance(self, time):
        with np.errstate(divide="ignore", invalid="ignore"):
            index = self.g / self.n + np.sqrt((self.alpha + 2) * np.log(time) / (2 * self.n))
        index[self.n == 0] = np.inf
        return pick_from(np.flatnonzero(index == index.max()).tolist(), self.rng)

    def feedback(self, arm, reward):
        self.n[arm] += 1
        self.g[arm] += reward


class Thompson:
    def __init__(self, n_arms, rng):
        self.s, self.f, self.rng = np.zeros(n_arms), np.zeros(n_arms), rng

    def advance(self, time):
        return int(self.rng.beta(self.s + 1, self.f + 1).argmax())

    def feedback(self, arm, reward):
        self.s[arm] += reward
        self.f[arm] += 1 - reward


class Exp3:
    """Auer et al. 2002, with gamma for the horizon, or for the steps so far if the horizon is 0."""

    def __init__(self, n_arms, horizon, rng):
        self.log_w, self.horizon, self.rng = np.zeros(n_arms), horizon, rng

    def advance(self, time):
        n_arms = len(self.log_w)
        gamma = min(1, np.sqrt(n_arms * np.log(n_arms) / ((np.e - 1) * (self.horizon or time))))
        w = np.exp(self.log_w - self.log_w.max())
        w /= w.sum()
        if self.rng.random() < gamma:
            arm = pick(n_arms, self.rng)
        else:
            arm = int(np.searchsorted(np.cumsum(w), self.rng.random(), side="right"))
        self.step = gamma / (n_arms * ((1 - gamma) * w[arm] + gamma / n_arms))
        return arm

    def feedback(self, arm, reward):
        self.log_w[arm] += self.step * reward
