"""The arm to recommend from a table of wins, where a policy has no answer of its own."""

from rankduel.base.compiling import kernel


@kernel
def leader(wins):
    """The arm that empirically beats most others (ties: larger sum of win rates, then lowest index).

    `wins[i, j]` counts how often i beat j.
    """
    best, best_beats, best_rate = 0, -1, 0.0
    for arm in range(len(wins)):
        beats, rate = _record(wins, arm)
        if beats > best_beats or (beats == best_beats and rate > best_rate):
            best, best_beats, best_rate = arm, beats, rate
    return best


@kernel
def leader_among(wins, eligible):
    """The same, of the arms flagged in `eligible`; who is not eligible still counts as an opponent."""
    best, best_beats, best_rate = -1, -1, 0.0
    for arm in range(len(wins)):
        if eligible[arm]:
            beats, rate = _record(wins, arm)
            if beats > best_beats or (beats == best_beats and rate > best_rate):
                best, best_beats, best_rate = arm, beats, rate
    return best


@kernel
def _record(wins, arm):
    """(opponents it leads, sum of its win rates)."""
    beats, rate = 0, 0.0
    for other in range(len(wins)):
        n = wins[arm, other] + wins[other, arm]
        if other != arm and n > 0:
            beats += wins[arm, other] > wins[other, arm]
            rate += wins[arm, other] / n
    return beats, rate


@kernel
def leaders(wins, chosen):
    """Mark in `chosen` the arms that beat the most others, and no other; wins[i, j]: how often i beat j."""
    most = 0
    for arm in range(len(wins)):
        most = max(most, n_beaten(wins, arm))
    for arm in range(len(wins)):
        chosen[arm] = n_beaten(wins, arm) == most


@kernel
def n_beaten(wins, arm):
    """How many others it beat more often than they beat it."""
    n = 0
    for other in range(len(wins)):
        n += wins[arm, other] > wins[other, arm]
    return n
