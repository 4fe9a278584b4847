"""Copeland winners of the observed win rates: the answer of policies whose paper does not define one.

`wins[i, j]` is the number of duels in which arm i beat arm j.
"""

from rankduel.base.compiling import kernel


@kernel
def copeland_leader(wins):
    """Return the arm that has won more than half of its duels against most other arms.

    Of equals, return the arm with the largest sum of win rates; if these are equal too, the lowest.
    """
    best, best_beats, best_rate = 0, -1, 0.0
    for arm in range(len(wins)):
        beats, rate = _score(wins, arm)
        if beats > best_beats or (beats == best_beats and rate > best_rate):
            best, best_beats, best_rate = arm, beats, rate
    return best


@kernel
def copeland_leader_among(wins, eligible):
    """As `copeland_leader`, but return an arm that is marked in `eligible`; all arms count as opponents."""
    best, best_beats, best_rate = -1, -1, 0.0
    for arm in range(len(wins)):
        if eligible[arm]:
            beats, rate = _score(wins, arm)
            if beats > best_beats or (beats == best_beats and rate > best_rate):
                best, best_beats, best_rate = arm, beats, rate
    return best


@kernel
def _score(wins, arm):
    """Return the number of arms that `arm` leads, and the sum of its win rates."""
    beats, rate = 0, 0.0
    for other in range(len(wins)):
        n = wins[arm, other] + wins[other, arm]
        if other != arm and n > 0:
            beats += wins[arm, other] > wins[other, arm]
            rate += wins[arm, other] / n
    return beats, rate


@kernel
def mark_copeland_leaders(wins, chosen):
    """Mark in `chosen` the arms that lead the most others, and unmark all other arms."""
    most = 0
    for arm in range(len(wins)):
        most = max(most, n_beaten(wins, arm))
    for arm in range(len(wins)):
        chosen[arm] = n_beaten(wins, arm) == most


@kernel
def n_beaten(wins, arm):
    """Return the number of arms that `arm` leads: beat more often than they beat it."""
    n = 0
    for other in range(len(wins)):
        n += wins[arm, other] > wins[other, arm]
    return n
