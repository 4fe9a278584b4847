"""For the tests of CW-RMED and ECW-RMED: the matrices of their paper, and states as after given duels."""

import numpy as np
from naive.policies.cw_rmed import Preferences

from bandits.parts.rmed.necessary_duels import FEWEST, first_list
from experiments.matrix.builtin import MATRICES

PAPERS = {name: MATRICES[name].make() for name in ("cyclic", "multisol", "gap", "mslr5-cycle")}


def course_after(wins):
    """The course after these duels, as if it had looked at the candidates."""
    course, seen = first_list(len(wins)), Preferences(wins.tolist())
    course.wins[:] = wins
    course.losses[:] = seen.losses
    for i, j in seen.pairs:
        course.evidence[i, j] = course.evidence[j, i] = seen.n(i, j) * seen.d(i, j)
    course.now[FEWEST] = seen.l1
    return course


def counts_like(prefs, n):
    """The wins of n duels of each pair that came out as expected."""
    return np.rint(n * (prefs - 0.5 * np.eye(len(prefs)))).astype(int)


def random_wins(n_arms, rng, most=30):
    """Some duels of each pair; some pairs even or never compared."""
    n = rng.integers(0, most, (n_arms, n_arms))
    won = rng.binomial(n, rng.random((n_arms, n_arms)))
    return np.tril(won, -1) + np.tril(n - won, -1).T
