"""What policies that come to an end do afterwards: one arm of the answer, drawn once, meets itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.parts.picks import NO_ARM, pick_flagged
from rankduel.base.compiling import kernel


class Commitment(NamedTuple):
    answer: np.ndarray  # (arms,) bool: marked when all is known, and empty until then
    arm: np.ndarray  # (1,) int64: the one that was drawn, or NO_ARM


def no_commitment(n_arms: int) -> Commitment:
    return Commitment(np.zeros(n_arms, np.bool_), np.full(1, NO_ARM))


@kernel
def committed_arm(commitment, rng):
    """The arm to play from now on."""
    if commitment.arm[0] == NO_ARM:
        n_marked = 0
        for marked in commitment.answer:
            n_marked += marked
        commitment.arm[0] = pick_flagged(commitment.answer, n_marked, rng)
    return commitment.arm[0]


@kernel
def committed_arm_plays_on(commitment, limit, selves, rng):
    """It plays itself `limit` times; returns how many steps that were."""
    selves[committed_arm(commitment, rng)] += limit
    return limit
