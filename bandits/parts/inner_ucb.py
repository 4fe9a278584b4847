"""UCB inside a dueling policy: an ordinary bandit, rewarded 1 or 0, that some reductions run one or many of.

Its index is mean + sqrt((alpha + 2) ln(time) / (2 n)), as in Ailon, Karnin and Joachims, "Reducing Dueling
Bandits to Cardinal Bandits", ICML 2014; alpha = 2 is UCB1. Arms never played come first. Mean and 1 / sqrt(n)
change only with a reward: they are kept, and a choice is one multiplication and addition per arm.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.parts.picks import NO_ARM, pick_largest
from rankduel.base.compiling import kernel


class UcbBandits(NamedTuple):
    plays: np.ndarray  # (bandits, arms) int64
    gains: np.ndarray  # (bandits, arms) int64
    mean: np.ndarray  # (bandits, arms) float64, infinite until played
    width: np.ndarray  # (bandits, arms) float64: 1 / sqrt(plays), 0 until played
    bound: np.ndarray  # (arms,) float64, room for one bandit's indices


def new_bandits(n_bandits: int, n_arms: int) -> UcbBandits:
    shape = (n_bandits, n_arms)
    return UcbBandits(
        plays=np.zeros(shape, np.int64),
        gains=np.zeros(shape, np.int64),
        mean=np.full(shape, np.inf),
        width=np.zeros(shape),
        bound=np.empty(n_arms),
    )


@kernel
def reset(bandits, bandit):
    for arm in range(bandits.plays.shape[1]):
        bandits.plays[bandit, arm] = bandits.gains[bandit, arm] = 0
        bandits.mean[bandit, arm], bandits.width[bandit, arm] = math.inf, 0.0


@kernel
def advance(bandits, bandit, alpha, time, rng):
    """The arm this bandit plays now; ties at random."""
    scale = math.sqrt(0.5 * (alpha + 2.0) * math.log(time))
    mean, width, bound = bandits.mean[bandit], bandits.width[bandit], bandits.bound
    for arm in range(len(bound)):
        bound[arm] = mean[arm] + width[arm] * scale
    return pick_largest(bound, NO_ARM, rng)


@kernel
def feedback(bandits, bandit, arm, reward):
    bandits.plays[bandit, arm] += 1
    bandits.gains[bandit, arm] += reward
    n = bandits.plays[bandit, arm]
    bandits.mean[bandit, arm] = bandits.gains[bandit, arm] / n
    bandits.width[bandit, arm] = 1.0 / math.sqrt(n)
