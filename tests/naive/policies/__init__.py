"""Naive twins of the policies, as in the papers: they compute every bound and every sample in every step.

There is one file per policy or family. A twin is a class made from (n_arms, params, rng), with the methods
`select()`, which returns the pair, and `update(first, second, first_won)`. In `params`, switches are text and
the horizon is that of the run. Twins share no code with the policies. Where possible, a twin draws the same
random numbers in the same order as the policy: one by `pick` for every uniform choice.
"""

import numpy as np


def pick(n, rng):
    """Return a uniform random integer below `n`; for n = 1 no random number is drawn."""
    return int(rng.random() * n) if n > 1 else 0


def pick_from(candidates, rng):
    """Return a uniformly drawn element of a sorted collection."""
    candidates = list(candidates)
    return candidates[pick(len(candidates), rng)]


def play_twin(twin, prefs, steps, users):
    """Play a twin up to the last of `steps`; return (duels, selves) per step and arm, as in `Trace`."""
    n_arms = len(prefs)
    duels, selves, rows = np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64), []
    for t in range(1, steps[-1] + 1):
        first, second = twin.select()
        if first == second:
            selves[first] += 1
            twin.update(first, second, True)
        else:
            duels[first] += 1
            duels[second] += 1
            twin.update(first, second, users.random() < prefs[first, second])
        if t in steps:
            rows.append((duels.copy(), selves.copy()))
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
