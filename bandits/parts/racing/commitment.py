"""What policies that come to an end do afterwards: one arm of the answer, drawn once, meets itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.parts.picks import NO_ARM, n_flagged, pick_flagged
from bandits.parts.survivors import plays_on
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
        commitment.arm[0] = pick_flagged(commitment.answer, n_flagged(commitment.answer), rng)
    return commitment.arm[0]


@kernel
def committed_arm_plays_on(commitment, limit, selves, rng):
    """It plays itself `limit` times; returns how many steps that were."""
    return plays_on(committed_arm(commitment, rng), limit, selves)
