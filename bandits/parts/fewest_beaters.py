"""The arms that are confidently beaten by the fewest others, without a search of all pairs in every step.

Between duels a pair can only cease to be beaten, at a step known in advance (bandits/parts/bounds.py). So the
number of arms that confidently beat an arm, its beaters, changes by its duels or at the soonest of these
steps. Only then is it counted again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.parts.bounds import NEVER
from rankduel.base.compiling import kernel


class Beaters(NamedTuple):
    until: np.ndarray  # (arms, arms) int64: arm i is confidently beaten by arm j before step until[i, j]
    n_beaters: np.ndarray  # (arms,) int64: number of beaters, valid before step soonest[i]
    soonest: np.ndarray  # (arms,) int64: at most the soonest coming step in the row of `until`


def no_beaters(n_arms: int) -> Beaters:
    """Return the state without duels, in which no arm has a beater."""
    return Beaters(
        np.zeros((n_arms, n_arms), np.int64), np.zeros(n_arms, np.int64), np.full(n_arms, NEVER, np.int64)
    )


@kernel
def record_beater(beaters, arm, other, step, t):
    """Record that `arm` is confidently beaten by `other` before `step`, where `t` is the coming step.

    Return the first step from `t` on at which this changes the number of beaters.
    """
    before = beaters.until[arm, other]
    beaters.until[arm, other] = step
    if step > t:
        beaters.soonest[arm] = min(beaters.soonest[arm], step)
    beaters.n_beaters[arm] += int(step > t) - int(before > t)
    if (step > t) != (before > t):
        return t
    return step if step > t else NEVER


@kernel
def order_by_beaters(beaters, arms, t):
    """Put the arms with the fewest beaters at step `t` first in `arms`, then the others, both ascending.

    Return how many arms have the fewest, the number of beaters of each, and a step before which no number of
    beaters changes without a duel.
    """
    fewest, soonest = len(arms), NEVER
    for arm in range(len(arms)):
        if beaters.soonest[arm] <= t:
            _recount(beaters, arm, t)
        fewest = min(fewest, beaters.n_beaters[arm])
        soonest = min(soonest, beaters.soonest[arm])
    place = 0
    for arm in range(len(arms)):
        if beaters.n_beaters[arm] == fewest:
            arms[place] = arm
            place += 1
    n_fewest = place
    for arm in range(len(arms)):
        if beaters.n_beaters[arm] != fewest:
            arms[place] = arm
            place += 1
    return n_fewest, fewest, soonest


@kernel
def _recount(beaters, arm, t):
    """Count the beaters of `arm` at step `t`."""
    n, soonest = 0, NEVER
    for other in range(len(beaters.n_beaters)):
        step = beaters.until[arm, other]
        if step > t:
            n += 1
            soonest = min(soonest, step)
    beaters.n_beaters[arm], beaters.soonest[arm] = n, soonest
