"""Saha and Gaillard 2022, Algorithm 3 and Remark 2: probabilities by bracketing in every step."""

import numpy as np
from scipy.optimize import brentq


def tsallis(losses, eta):
    """Return p_k = 4 / (eta (L_k - x))^2 with the x below all losses for which they add up to 1."""
    above = losses - losses.min()
    # Distance of x from the smallest loss: least if one arm has p = 1, largest if all arms have equal p.
    near, far = 2 / eta, 2.01 * len(losses) ** 0.5 / eta
    distance = brentq(lambda d: (4 / (eta * (above + d)) ** 2).sum() - 1, near, far, xtol=1e-15, rtol=1e-15)
    p = 4 / (eta * (above + distance)) ** 2
    return p / p.sum()


class VersatileDb:
    def __init__(self, n_arms, params, rng):
        self.params, self.rng, self.t = params, rng, 0
        self.plus = np.zeros(n_arms)
        self.minus = self.plus if params.mode == "shared" else np.zeros(n_arms)

    def select(self):
        self.t += 1
        self.eta = self.params.kappa / np.sqrt(self.t)
        self.p_plus, self.p_minus = tsallis(self.plus, self.eta), tsallis(self.minus, self.eta)
        return tuple(
            int(np.searchsorted(np.cumsum(p)[:-1], self.rng.random(), side="right"))
            for p in (self.p_plus, self.p_minus)
        )

    def estimate(self, p, arm, loss):
        b = np.zeros(len(p))
        if self.params.estimator == "rv":
            b[p >= self.eta**2] = 0.5
        estimate = b.copy()
        estimate[arm] += (loss - b[arm]) / p[arm]
        return estimate

    def update(self, first, second, first_won):
        o = 0.5 if first == second else float(first_won)
        weight = 0.5 if self.params.mode == "shared" else 1.0
        self.plus += weight * self.estimate(self.p_plus, first, 1 - o)
        self.minus += weight * self.estimate(self.p_minus, second, o)


TWIN = VersatileDb
