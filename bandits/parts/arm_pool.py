"""A pool of arms that shrinks from round to round: what prefBest and Round-Efficient dueling share.

The arms still in the pool are the first entries of an array, in ascending order. A round is one agenda.
"""

from __future__ import annotations

from rankduel.bandits.parts.matches.standings import add_wins
from rankduel.base.compiling import kernel


@kernel
def count_wins(agenda, won):
    """Set won[arm] to the number of comparisons that each arm won in the current agenda, so far."""
    for arm in range(len(won)):
        won[arm] = 0
    add_wins(agenda, won)


@kernel
def keep_at_least(pool, score, least):
    """Move the arms with a score of at least `least` to the front of `pool`; return how many there are."""
    n = 0
    for arm in pool:
        if score[arm] >= least:
            pool[n] = arm
            n += 1
    return n
