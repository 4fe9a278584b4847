"""Policies for sets of arms, line by line."""

import math

import numpy as np

from naive_policies import pick


class Mdb:
    """Brost et al. 2016: every bound of every pair, every step."""

    def __init__(self, n_arms, params, rng):
        self.params, self.rng, self.t = params, rng, 0
        self.w = np.zeros((n_arms, n_arms), int)

    def unbeaten(self, alpha):
        n = self.w + self.w.T
        with np.errstate(divide="ignore", invalid="ignore"):
            upper = self.w / n + np.sqrt(alpha * math.log(self.t) / n)
        return [arm for arm in range(len(n)) if not ((n[arm] > 0) & (upper[arm] < 0.5)).any()]

    def select(self):
        self.t += 1
        narrow = self.unbeaten(self.params.alpha)
        if len(narrow) == 1:
            return narrow
        arms = self.unbeaten(self.params.alpha * self.params.beta) or list(range(len(self.w)))
        if self.params.max_set:
            for place in range(min(len(arms), self.params.max_set)):
                other = place + pick(len(arms) - place, self.rng)
                arms[place], arms[other] = arms[other], arms[place]
            arms = arms[: self.params.max_set]
        return arms

    def update(self, winner, loser):
        self.w[winner, loser] += 1


class SelfSparring:
    """Sui et al. 2017: m draws of all posteriors; every pair of the m duels."""

    def __init__(self, n_arms, params, rng):
        self.params, self.rng = params, rng
        self.s, self.f = np.ones(n_arms), np.ones(n_arms)

    def select(self):
        return [int(self.rng.beta(self.s, self.f).argmax()) for _ in range(self.params.m)]

    def update(self, winner, loser):
        if winner != loser or self.params.self_feedback == "coin":
            self.s[winner] += self.params.eta
            self.f[loser] += self.params.eta


def play(twin, prefs, steps, users):
    """(checkpoints, arms): the sum of shares, as bandits.sets_loop counts them.

    Duels are drawn in the loop's order: of every later member of the set with every earlier one.
    """
    shares, rows = np.zeros(len(prefs)), []
    for t in range(1, steps[-1] + 1):
        arms = twin.select()
        for arm in arms:
            shares[arm] += 1 / len(arms)
        distinct = list(dict.fromkeys(arms))
        for x, one in enumerate(distinct):
            for other in distinct[:x]:
                for _ in range(arms.count(one) * arms.count(other)):
                    won = users.random() < prefs[one, other]
                    twin.update(*((one, other) if won else (other, one)))
            for _ in range(arms.count(one) * (arms.count(one) - 1) // 2):
                twin.update(one, one)
        if t in steps:
            rows.append(shares.copy())
    return np.array(rows)
