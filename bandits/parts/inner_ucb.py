"""UCB as the bandit inside a dueling policy; a policy has one or more such bandits.

Ailon, Karnin and Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014. Rewards are 1 or 0.
The index of an arm is mean + sqrt((alpha + 2) ln(time) / (2 n)); alpha = 2 is UCB1. Arms without plays come
first. Mean and 1 / sqrt(n) change only with a reward and are stored, so a choice is one multiplication and
one addition per arm.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.parts.common_settings import LARGEST_FACTOR
from rankduel.bandits.parts.picks import NO_ARM, pick_largest
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting


class Clock(IntEnum):
    """The time in the index of UCB: steps of the bandit, or of the run."""

    OWN = 0
    GLOBAL = 1


UcbAlpha = Annotated[
    float, Setting("width of the bounds of UCB; 2 is UCB1", above=-2, at_most=LARGEST_FACTOR)
]
SbmClock = Annotated[
    Clock, Setting("time in the bounds of UCB: steps of the bandit since its reset, or of the run")
]


class UcbBandits(NamedTuple):
    plays: np.ndarray  # (bandits, arms) int64
    gains: np.ndarray  # (bandits, arms) int64: sums of rewards
    mean: np.ndarray  # (bandits, arms) float64, infinite without plays
    width: np.ndarray  # (bandits, arms) float64: 1 / sqrt(plays), 0 without plays


class UcbRoom(NamedTuple):
    indices: np.ndarray  # (arms,) float64, of one bandit


def new_bandits(n_bandits: int, n_arms: int) -> UcbBandits:
    """Return bandits without plays."""
    shape = (n_bandits, n_arms)
    return UcbBandits(
        plays=np.zeros(shape, np.int64),
        gains=np.zeros(shape, np.int64),
        mean=np.full(shape, np.inf),
        width=np.zeros(shape),
    )


def ucb_room(n_arms: int) -> UcbRoom:
    """Return the workspace, which all bandits of a policy share."""
    return UcbRoom(np.zeros(n_arms))


@kernel
def reset(bandits, bandit):
    """Remove all plays of bandit number `bandit`."""
    for arm in range(bandits.plays.shape[1]):
        bandits.plays[bandit, arm] = bandits.gains[bandit, arm] = 0
        bandits.mean[bandit, arm], bandits.width[bandit, arm] = math.inf, 0.0


@kernel
def advance(bandits, room, bandit, alpha, time, rng):
    """Return the arm that bandit number `bandit` plays: the largest index, ties at random."""
    scale = math.sqrt(0.5 * (alpha + 2.0) * math.log(time))
    mean, width, indices = bandits.mean[bandit], bandits.width[bandit], room.indices
    for arm in range(len(indices)):
        indices[arm] = mean[arm] + width[arm] * scale
    return pick_largest(indices, NO_ARM, rng)


@kernel
def feedback(bandits, bandit, arm, reward):
    """Give bandit number `bandit` the reward, 1 or 0, for `arm`."""
    bandits.plays[bandit, arm] += 1
    bandits.gains[bandit, arm] += reward
    n = bandits.plays[bandit, arm]
    bandits.mean[bandit, arm] = bandits.gains[bandit, arm] / n
    bandits.width[bandit, arm] = 1.0 / math.sqrt(n)
