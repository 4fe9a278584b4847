"""The end of a policy: one arm of its answer, drawn once, duels itself from then on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.parts.picks import NO_ARM, n_flagged, pick_flagged
from rankduel.bandits.parts.survivors import skip_all
from rankduel.base.compiling import kernel, record


class CommitmentNow(NamedTuple):
    arm: int = NO_ARM  # the arm that was drawn, if any


class Commitment(NamedTuple):
    answer: np.ndarray  # (arms,) bool: arms of the final answer; none before the policy has finished
    now: np.recarray  # (1,), fields of CommitmentNow


def no_commitment(n_arms: int) -> Commitment:
    """Return the state before the policy has finished."""
    return Commitment(answer=np.zeros(n_arms, np.bool_), now=record(CommitmentNow()))


@kernel
def committed_arm(commitment, rng):
    """Return the arm that duels itself from now on; draw it from the answer at the first call."""
    now = commitment.now[0]
    if now.arm == NO_ARM:
        now.arm = pick_flagged(commitment.answer, n_flagged(commitment.answer), rng)
    return now.arm


@kernel
def skip_committed(commitment, limit, self_duels, rng):
    """Skip `limit` steps, in all of which the committed arm duels itself; return their number."""
    return skip_all(committed_arm(commitment, rng), limit, self_duels)
