"""The probability that an arm is undefeated, that is, beats all others in a sampled tournament.

The duels of a tournament are independent, so arm i is undefeated with probability c_i, the product of its
q_ij (bandits/parts/thompson/pair_posterior.py). Two arms are never undefeated in the same tournament, so an
undefeated arm, if any, can be drawn without a tournament. The logarithm of the product is stored as a sum. It
is summed again for the two arms of every duel, because differences of sums would lose precision.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.bandits.parts.distributions import standard_exponential
from rankduel.base.compiling import kernel


class Undefeated(NamedTuple):
    neg_log: np.ndarray  # (arms,) float64, -ln c_i
    probability: np.ndarray  # (arms,) float64, c_i
    complement: np.ndarray  # (arms,) float64, 1 - c_i, to relative precision


def even_undefeated(n_arms: int) -> Undefeated:
    """Return the state without duels: every arm beats every other with probability 1/2."""
    neg_log = np.full(n_arms, (n_arms - 1) * math.log(2.0))
    return Undefeated(neg_log, np.exp(-neg_log), -np.expm1(-neg_log))


@kernel
def update_undefeated(undefeated, neg_log_above_half, arm):
    """Recompute the probability of `arm` after one of its duels; `neg_log_above_half` holds -ln q_ij."""
    neg_log = _sum(neg_log_above_half[arm])
    undefeated.neg_log[arm] = neg_log
    undefeated.probability[arm] = math.exp(-neg_log)
    undefeated.complement[arm] = -math.expm1(-neg_log)


@kernel
def draw_waiting_time(probability, limit, rng):
    """Draw the number of steps before an event that has this probability in every step; at most `limit`."""
    if probability <= 0.0:
        return limit
    n = standard_exponential(rng) / -math.log1p(-probability)
    return int(n) if n < limit else limit


@kernel
def _sum(values):
    """Return the sum, in four partial sums that a processor adds in parallel."""
    n = len(values) & -4
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for k in range(0, n, 4):
        a += values[k]
        b += values[k + 1]
        c += values[k + 2]
        d += values[k + 3]
    for k in range(n, len(values)):
        a += values[k]
    return (a + b) + (c + d)
