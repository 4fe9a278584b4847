"""Parts of the twins of policies with Thompson sampling: all samples of a tournament, and bounds."""

import numpy as np


def tournament(w, rng):
    """Sample theta_ij ~ Beta(w_ij + 1, w_ji + 1) for i < j; theta_ji = 1 - theta_ij and theta_ii = 1/2."""
    n_arms = len(w)
    theta = np.full((n_arms, n_arms), 0.5)
    i, j = np.triu_indices(n_arms, 1)
    theta[i, j] = rng.beta(w[i, j] + 1, w[j, i] + 1)
    theta[j, i] = 1 - theta[i, j]
    return theta


def upper_bounds(w, alpha, t, unvisited):
    """Return u[i, j] = w_ij / N + sqrt(alpha ln t / N); 1/2 on the diagonal."""
    n = w + w.T
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.where(n > 0, w / n + np.sqrt(alpha * np.log(t) / n), unvisited)
    np.fill_diagonal(u, 0.5)
    return u


def largest_fresh_sample(w, first, admitted, rng):
    """Return the admitted arm with the largest new sample against `first`, whose own sample is 1/2."""
    phi = rng.beta(w[:, first] + 1, w[first] + 1)
    phi[~admitted] = -1.0
    phi[first] = 0.5
    return int(phi.argmax())
