"""Upper bounds on beating a champion: u_jc = w_jc / N + sqrt(alpha ln(t + c) / N) of all arms j.

Win rate and 1 / sqrt(N) of a pair change only by its duels. They are stored with one row per champion, so the
bounds of a step cost one multiplication and one addition per arm.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.bandits.parts.bounds import beats_all_until
from rankduel.bandits.parts.picks import pick
from rankduel.base.compiling import kernel


class Challengers(NamedTuple):
    rate: np.ndarray  # (champions, arms) float64: share of duels that the challenger won
    width: np.ndarray  # (champions, arms) float64: 1 / sqrt(N); 0 without duels, where `rate` is the bound
    bound: np.ndarray  # (arms,) float64, workspace: the bounds of one champion


def new_challengers(n_arms: int, unvisited: float) -> Challengers:
    """Return the state without duels: every bound is `unvisited`."""
    shape = (n_arms, n_arms)
    return Challengers(np.full(shape, float(unvisited)), np.zeros(shape), np.empty(n_arms))


@kernel
def record_rates(challengers, wins, one, other):
    """Recompute rate and width of a pair, after a duel that `wins` includes."""
    n = wins[one, other] + wins[other, one]
    challengers.rate[one, other], challengers.rate[other, one] = wins[other, one] / n, wins[one, other] / n
    challengers.width[one, other] = challengers.width[other, one] = 1.0 / np.sqrt(n)


@kernel
def choose_challenger(challengers, beaten, champion, alpha, t, rng):
    """Return the arm j with the largest u_jc at step `t`, ties at random; for j = c the bound is 1/2."""
    if t < beats_all_until(beaten, champion):
        return champion
    scale = math.sqrt(alpha * math.log(t))
    return strongest_challenger(challengers, champion, scale, rng)


@kernel
def strongest_challenger(challengers, champion, scale, rng):
    """Return the arm other than `champion` with the largest bound, ties at random.

    `scale` is sqrt(alpha ln(t + c)).
    """
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
