"""What it takes for another arm to overtake a candidate: some of their duels would have to turn round.

Arms are ranked by the number of others they lose to. A rival overtakes the candidate when, for some number of
losses, the candidate comes to have more (so many of the arms it beats would have to beat it) and the rival no
more (so many of the arms that beat it would have to lose to it; their own duel may be among either). With a
value for each pair, the least sum over all such sets of pairs is found by sorting: of pairs that serve the
same end, only how many they are matters.

Komiyama, Honda and Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
Computationally Efficient Algorithm", ICML 2016, Theorem 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel

# Which opponents.
BEATEN = np.int64(1)  # those the arm leads
BEATING = np.int64(-1)  # those who lead it


class Sorted(NamedTuple):
    """Room for the opponents of the candidate and of its rival, and the sums of their least values."""

    beaten: np.ndarray  # (arms,) int64: arms the candidate leads, by value
    beating: np.ndarray  # (arms,) int64: arms that lead the rival, by value
    sums: np.ndarray  # (2, arms + 1) float64: of the first 0, 1, ... values of either


def room_to_sort(n_arms: int) -> Sorted:
    return Sorted(np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64), np.zeros((2, n_arms + 1)))


@kernel
def fewest_losses(losses, skipped):
    """Of all arms but one, or all for NO_ARM."""
    fewest = len(losses)
    for arm in range(len(losses)):
        if arm != skipped:
            fewest = min(fewest, losses[arm])
    return fewest


@kernel
def sort_opponents(wins, values, arm, skipped, which, order):
    """Put the arms that `arm` leads (or that lead it) into `order`, least value first; returns how many."""
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
    """(least sum, rival, pairs of the candidate's, pairs of the rival's, 1 if their own duel is one besides).

    The sum is infinite if nobody can overtake. No other arm may lose to fewer than the candidate.
    """
    fewest, second = losses[candidate], fewest_losses(losses, candidate)
    least, who, n_candidates, n_rivals, directly = math.inf, candidate, 0, 0, 0
    for rival in range(len(wins)):
        if rival == candidate:
            continue
        n_beaten, n_beating = _sort_both(wins, values, candidate, rival, room)
        beats_rival = wins[candidate, rival] > wins[rival, candidate]
        for bar in range(max(0, fewest - 1), second + 1):  # losses the rival comes to have at most
            for direct in range(1 + int(beats_rival)):
                more = bar + 1 - fewest - direct
                less = max(0, losses[rival] - bar - direct)
                if more < 0 or more > n_beaten or less > n_beating:
                    continue
                total = direct * values[candidate, rival] + room.sums[0, more] + room.sums[1, less]
                if total < least:
                    least, who, n_candidates, n_rivals, directly = total, rival, more, less, direct
    return least, who, n_candidates, n_rivals, directly


@kernel
def mark_overtaking(wins, values, candidate, found, room, marked):
    """Mark the pairs of what least_to_overtake found; the pair i > j has number i (i - 1) / 2 + j."""
    _, rival, more, less, direct = found
    _sort_both(wins, values, candidate, rival, room)
    for place in range(more):
        marked[_number(candidate, room.beaten[place])] = True
    for place in range(less):
        marked[_number(rival, room.beating[place])] = True
    if direct:
        marked[_number(candidate, rival)] = True


@kernel
def _number(one, other):
    i = max(one, other)
    j = min(one, other)
    return i * (i - 1) // 2 + j


@kernel
def _sort_both(wins, values, candidate, rival, room):
    """Sort who the candidate leads and who leads the rival, without each other, and sum up their values."""
    n_beaten = sort_opponents(wins, values, candidate, rival, BEATEN, room.beaten)
    n_beating = sort_opponents(wins, values, rival, candidate, BEATING, room.beating)
    for place in range(n_beaten):
        room.sums[0, place + 1] = room.sums[0, place] + values[candidate, room.beaten[place]]
    for place in range(n_beating):
        room.sums[1, place + 1] = room.sums[1, place] + values[rival, room.beating[place]]
    return n_beaten, n_beating
