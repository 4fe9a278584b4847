"""The challenger of UCB policies: the arm with the largest upper bound on its chance against the champion.

u_jc = w_jc / N + sqrt(alpha ln(t + c) / N). Win rate and 1 / sqrt(N) change only when the pair is compared:
they are kept, one row per champion, and a search is one multiplication and addition per arm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.parts.picks import pick
from rankduel.base.compiling import kernel


class Challengers(NamedTuple):
    rate: np.ndarray  # (champions, arms) float64: the challenger's share of won duels
    width: np.ndarray  # (champions, arms) float64: 1 / sqrt(N); 0 while unvisited, when `rate` says it all
    bound: np.ndarray  # (arms,) float64, room for one row of bounds


def new_challengers(n_arms: int, unvisited: float) -> Challengers:
    """No pair compared yet: each has the upper bound `unvisited` until it is."""
    shape = (n_arms, n_arms)
    return Challengers(np.full(shape, float(unvisited)), np.zeros(shape), np.empty(n_arms))


@kernel
def note_rates(challengers, wins, one, other):
    """Take over the counts of a pair that was just compared."""
    n = wins[one, other] + wins[other, one]
    challengers.rate[one, other], challengers.rate[other, one] = wins[other, one] / n, wins[one, other] / n
    challengers.width[one, other] = challengers.width[other, one] = 1.0 / np.sqrt(n)


@kernel
def strongest_challenger(challengers, champion, scale, rng):
    """An arm other than `champion` with the largest bound, scale = sqrt(alpha ln(t + c)); ties at random."""
    rate, width, bound = challengers.rate[champion], challengers.width[champion], challengers.bound
    for arm in range(len(bound)):
        bound[arm] = rate[arm] + width[arm] * scale
    bound[champion] = -1.0  # below every bound
    largest = -1.0
    for arm in range(len(bound)):
        if bound[arm] > largest:
            largest = bound[arm]
    n_tied = 0
    for arm in range(len(bound)):
        n_tied += bound[arm] == largest
    left = pick(n_tied, rng)
    for arm in range(len(bound)):
        if bound[arm] == largest:
            if left == 0:
                return arm
            left -= 1
    return champion
