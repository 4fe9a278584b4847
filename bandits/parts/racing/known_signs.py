"""Bounds on Copeland scores, the number of other arms that an arm beats, from the pairs with a known sign."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel


class KnownSigns(NamedTuple):
    wins: np.ndarray  # (arms,) int64: number of other arms that the arm is known to beat
    losses: np.ndarray  # (arms,) int64: number of other arms that are known to beat it


def no_known_signs(n_arms: int) -> KnownSigns:
    wins, losses = np.zeros((2, n_arms), np.int64)
    return KnownSigns(wins, losses)


@kernel
def record_sign(known, winner, loser):
    """Record that `winner` is known to beat `loser`."""
    known.wins[winner] += 1
    known.losses[loser] += 1


@kernel
def upper_score(known, arm):
    """Return the largest Copeland score that the arm can have."""
    return len(known.wins) - 1 - known.losses[arm]


@kernel
def best_lower_score(known):
    """Return the largest Copeland score that some arm is known to have."""
    most = 0
    for arm in range(len(known.wins)):
        most = max(most, known.wins[arm])
    return most
