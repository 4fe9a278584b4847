"""Sets of pairs whose reversal lets another arm overtake a candidate for the Copeland winner.

Arms are ranked by their number of losses. The inferiors of an arm are the arms that it leads, its superiors
those that lead it. A rival overtakes the candidate if, for some number of losses, the candidate comes to have
more (enough of its inferiors would have to beat it) and the rival no more (enough of its superiors would have
to lose to it; their own duel may be among either). With a value for each pair, the smallest sum over all such
sets is found by sorting: of pairs that serve the same end, only their number matters.

Komiyama, Honda and Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
Computationally Efficient Algorithm", ICML 2016, Theorem 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel

INFERIORS = 1
SUPERIORS = -1


class OpponentsRoom(NamedTuple):
    inferiors: np.ndarray  # (arms,) int64: of the candidate, by value
    superiors: np.ndarray  # (arms,) int64: of the rival, by value
    sums: np.ndarray  # (2, arms + 1) float64: of the first 0, 1, ... values of either


def opponents_room(n_arms: int) -> OpponentsRoom:
    """Return the workspace of the functions below."""
    return OpponentsRoom(
        inferiors=np.zeros(n_arms, np.int64),
        superiors=np.zeros(n_arms, np.int64),
        sums=np.zeros((2, n_arms + 1)),
    )


@kernel
def fewest_losses(losses, skipped):
    """Return the smallest number of losses of the arms other than `skipped`, which may be NO_ARM."""
    fewest = len(losses)
    for arm in range(len(losses)):
        if arm != skipped:
            fewest = min(fewest, losses[arm])
    return fewest


@kernel
def sort_opponents(wins, values, arm, skipped, which, order):
    """Write the INFERIORS or SUPERIORS of `arm` to `order`, smallest value first; return how many."""
    n = 0
    for other in range(len(wins)):
        if other != skipped and which * (wins[arm, other] - wins[other, arm]) > 0:
            place = n
            while place > 0 and values[arm, order[place - 1]] > values[arm, other]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = other
            n += 1
    return n


@kernel
def least_to_overtake(wins, losses, values, candidate, room):
    """Return the smallest sum of values over the sets of pairs that let a rival overtake the candidate.

    The result is (sum, rival, number of pairs with inferiors of the candidate, number of pairs with superiors
    of the rival, 1 if their own duel is in the set besides). The sum is infinite if no arm can overtake. No
    arm may have fewer losses than the candidate.
    """
    fewest, second = losses[candidate], fewest_losses(losses, candidate)
    least, found, n_inferiors, n_superiors, directly = math.inf, candidate, 0, 0, 0
    for rival in range(len(wins)):
        if rival == candidate:
            continue
        most_inferiors, most_superiors = _sort_both(wins, values, candidate, rival, room)
        leads_rival = wins[candidate, rival] > wins[rival, candidate]
        for bar in range(max(0, fewest - 1), second + 1):  # most losses of the rival after the reversal
            for direct in range(1 + int(leads_rival)):
                more = bar + 1 - fewest - direct
                less = max(0, losses[rival] - bar - direct)
                if more < 0 or more > most_inferiors or less > most_superiors:
                    continue
                total = direct * values[candidate, rival] + room.sums[0, more] + room.sums[1, less]
                if total < least:
                    least, found, n_inferiors, n_superiors, directly = total, rival, more, less, direct
    return least, found, n_inferiors, n_superiors, directly


@kernel
def mark_overtaking(wins, values, candidate, found, room, marked):
    """Mark the pairs of the result of `least_to_overtake`; the pair i > j has number i (i - 1) / 2 + j."""
    _, rival, n_inferiors, n_superiors, directly = found
    _sort_both(wins, values, candidate, rival, room)
    for place in range(n_inferiors):
        marked[_pair_number(candidate, room.inferiors[place])] = True
    for place in range(n_superiors):
        marked[_pair_number(rival, room.superiors[place])] = True
    if directly:
        marked[_pair_number(candidate, rival)] = True


@kernel
def _pair_number(one, other):
    i = max(one, other)
    j = min(one, other)
    return i * (i - 1) // 2 + j


@kernel
def _sort_both(wins, values, candidate, rival, room):
    """Sort the inferiors of the candidate and the superiors of the rival, without each other; sum both up."""
    n_inferiors = sort_opponents(wins, values, candidate, rival, INFERIORS, room.inferiors)
    n_superiors = sort_opponents(wins, values, rival, candidate, SUPERIORS, room.superiors)
    for place in range(n_inferiors):
        room.sums[0, place + 1] = room.sums[0, place] + values[candidate, room.inferiors[place]]
    for place in range(n_superiors):
        room.sums[1, place + 1] = room.sums[1, place] + values[rival, room.superiors[place]]
    return n_inferiors, n_superiors
