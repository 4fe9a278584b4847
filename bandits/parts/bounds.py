"""Confidence bounds on win rates: whether one arm confidently beats another, and until which step.

Let w_ij be the wins of arm i in N duels against arm j. The upper bound w_ij / N + sqrt(alpha ln(t + c) / N)
is below 1/2 exactly when D > 0 and D^2 > 4 alpha N ln(t + c), where D = w_ji - w_ij. Then arm i is beaten by
arm j. Only the right side changes between duels of the pair, and it grows with t. So a pair becomes beaten
only by a duel, and ceases to be beaten at a step that is known in advance. All policies with such bounds use
the one expression in `beaten`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel

NEVER = 1 << 60  # a step that no run reaches
_LAST_LOG = 36.0  # logarithm of step 4e15; beyond it, float64 does not represent every step


class Beaten(NamedTuple):
    """Until when each arm confidently beats each other arm; one row per winner."""

    beats_until: np.ndarray  # (arms, arms) int64: arm i confidently beats arm j before step beats_until[i, j]
    latest: np.ndarray  # (arms,) int64, largest of each column: arm j is confidently beaten before latest[j]


def none_beaten(n_arms: int) -> Beaten:
    """Return the state without duels, in which no arm confidently beats another."""
    return Beaten(np.zeros((n_arms, n_arms), np.int64), np.zeros(n_arms, np.int64))


@kernel
def beaten(wins, losses, alpha, log_time):
    """Return whether the upper bound for these wins and losses is below 1/2; `log_time` is ln(t + c)."""
    deficit = float(losses - wins)
    return deficit > 0.0 and deficit * deficit > 4.0 * alpha * float(wins + losses) * log_time


@kernel
def beaten_until(wins, losses, alpha, c):
    """Return the first step t >= 1 at which `beaten` is false; 0 without a deficit, NEVER beyond any run."""
    deficit = float(losses - wins)
    n = float(wins + losses)
    if deficit <= 0.0:
        return 0
    exponent = deficit * deficit / (4.0 * alpha * n)
    if exponent > _LAST_LOG:
        return NEVER
    t = max(int(math.exp(exponent) - c) - 1, 1)
    while t > 1 and not beaten(wins, losses, alpha, math.log(t - 1 + c)):
        t -= 1
    while beaten(wins, losses, alpha, math.log(t + c)):
        t += 1
    return t


@kernel
def record_beaten(state, wins, alpha, one, other):
    """Recompute until when the arms of a pair beat each other, after a duel that `wins` includes."""
    won, lost = wins[one, other], wins[other, one]
    _set_beats_until(state, other, one, beaten_until(won, lost, alpha, 0.0))
    _set_beats_until(state, one, other, beaten_until(lost, won, alpha, 0.0))


@kernel
def beats_all_until(state, champion):
    """Return the first step at which `champion` does not confidently beat all other arms."""
    soonest, until = NEVER, state.beats_until[champion]
    for arm in range(len(until)):
        if arm != champion:
            soonest = min(soonest, until[arm])
    return soonest


@kernel
def _set_beats_until(state, winner, loser, step):
    """Write the step of one pair, and keep latest[loser] the largest of its column."""
    beats_until, latest = state.beats_until, state.latest
    before = beats_until[winner, loser]
    beats_until[winner, loser] = step
    if step >= latest[loser]:
        latest[loser] = step
    elif before == latest[loser]:
        latest[loser] = 0
        for other in range(len(latest)):
            latest[loser] = max(latest[loser], beats_until[other, loser])
