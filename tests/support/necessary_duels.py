"""Matrices of the paper on CW-RMED and ECW-RMED, and counts of wins."""

import numpy as np

from rankduel.experiments.matrix.builtin import MATRICES

PAPERS = {name: MATRICES[name].make() for name in ("cyclic", "multisol", "gap", "mslr5-cycle")}


def counts_like(prefs, n):
    """Return the expected wins of n duels of each pair."""
    return np.rint(n * (prefs - 0.5 * np.eye(len(prefs)))).astype(int)


def random_wins(n_arms, rng, most=30):
    """Return the wins of random numbers of duels; some pairs are even or without duels."""
    n = rng.integers(0, most, (n_arms, n_arms))
    won = rng.binomial(n, rng.random((n_arms, n_arms)))
    return np.tril(won, -1) + np.tril(n - won, -1).T
