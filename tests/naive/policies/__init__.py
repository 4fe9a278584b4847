"""The policies once more, straight from the papers: every bound and every sample, at every step.

One file per policy or family. A twin is a class made from (n_arms, params, rng), with `select()` giving the
pair and `update(first, second, first_won)`; `params` has switches as words and the horizon filled in. Twins
share nothing with the code they check, but where both can, they draw the same random numbers in the same
order: `pick` for every uniform choice.
"""

import numpy as np


def pick(n, rng):
    """A uniform number below n; no random number for a choice of one."""
    return int(rng.random() * n) if n > 1 else 0


def pick_from(candidates, rng):
    """A uniform element of a sorted collection."""
    candidates = list(candidates)
    return candidates[pick(len(candidates), rng)]


def play_twin(twin, prefs, steps, users):
    """Duel up to the last of `steps`; (duels, selves) per arm at each of them, as bandits.loop counts."""
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
