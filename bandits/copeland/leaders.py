"""The answer where a policy has none of its own: the arms that empirically beat the most others."""

from bandits.policy import kernel


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
