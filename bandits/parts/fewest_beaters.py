"""The arms that the fewest others confidently beat, found without looking at all pairs in every step.

Between its duels, a pair only ever stops being beaten, at a step known in advance (bandits/parts/bounds.py).
So an arm's number of beaters changes by its duels or at the soonest of these steps; only then is its row
looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.parts.bounds import NEVER
from rankduel.base.compiling import kernel


class Beaters(NamedTuple):
    until: np.ndarray  # (arms, arms) int64: arm i is beaten by j before step until[i, j]
    n_beaters: np.ndarray  # (arms,) int64: by how many it is beaten; right before step soonest[i]
    soonest: np.ndarray  # (arms,) int64: no step of the row's that is yet to come is sooner


def no_beaters(n_arms: int) -> Beaters:
    return Beaters(
        np.zeros((n_arms, n_arms), np.int64), np.zeros(n_arms, np.int64), np.full(n_arms, NEVER, np.int64)
    )


@kernel
def note_beat(beats, loser, winner, step, t):
    """Now `loser` is beaten by `winner` before `step`. The first step from t on at which that matters."""
    before = beats.until[loser, winner]
    beats.until[loser, winner] = step
    if step > t:
        beats.soonest[loser] = min(beats.soonest[loser], step)
    beats.n_beaters[loser] += int(step > t) - int(before > t)
    if (step > t) != (before > t):
        return t
    return step if step > t else NEVER


@kernel
def order_by_beats(beats, arms, t):
    """Put first in `arms` those with the fewest beaters at step t, both parts in ascending order.

    Returns how many they are, by how many each is beaten, and a step before which nothing of this changes.
    """
    fewest, soonest = len(arms), NEVER
    for arm in range(len(arms)):
        if beats.soonest[arm] <= t:
            _recount(beats, arm, t)
        fewest = min(fewest, beats.n_beaters[arm])
        soonest = min(soonest, beats.soonest[arm])
    place = 0
    for arm in range(len(arms)):
        if beats.n_beaters[arm] == fewest:
            arms[place] = arm
            place += 1
    n_fewest = place
    for arm in range(len(arms)):
        if beats.n_beaters[arm] != fewest:
            arms[place] = arm
            place += 1
    return n_fewest, fewest, soonest


@kernel
def _recount(beats, arm, t):
    n, soonest = 0, NEVER
    for other in range(len(beats.n_beaters)):
        step = beats.until[arm, other]
        if step > t:
            n += 1
            soonest = min(soonest, step)
    beats.n_beaters[arm], beats.soonest[arm] = n, soonest
