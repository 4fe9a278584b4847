"""Estimates of Borda scores by comparisons with random opponents: what the forms of Active Ranking share.

Heckel, Shah, Ramchandran and Wainwright 2019. The Borda score of an arm is its probability of beating a
uniformly random other arm. An arm is sampled by a comparison with such an arm; the outcome counts for the
sampled arm only.
"""

from __future__ import annotations

import math

from rankduel.bandits.parts.picks import pick
from rankduel.base.compiling import kernel


@kernel
def random_opponent(arm, n_arms, rng):
    """Return a uniformly random arm other than `arm`."""
    other = pick(n_arms - 1, rng)
    return other + (other >= arm)


def confidence_constant(n_arms: int, delta: float) -> float:
    """Return ln(K / delta) + 3/4 ln ln(K / delta) for K arms: the part of beta_n that does not grow."""
    scale = math.log(n_arms / delta)
    return scale + 0.75 * math.log(scale)


@kernel
def beta(constant, n):
    """Return beta_n = ln(K / delta) + 3/4 ln ln(K / delta) + 3/2 ln(1 + ln(n / 2)) after n samples.

    The confidence radius is sqrt(beta_n / 2n). With `delta` near 1 the sum may be negative; then return 0.
    """
    return max(constant + 1.5 * math.log(1.0 + math.log(0.5 * n)), 0.0)


@kernel
def sort_descending(arms, values):
    """Sort `arms` by values[arm], largest first; arms with equal values keep their order.

    An insertion sort, which is fast if few arms have moved since the last call.
    """
    for place in range(1, len(arms)):
        arm, at = arms[place], place
        while at > 0 and values[arms[at - 1]] < values[arm]:
            arms[at] = arms[at - 1]
            at -= 1
        arms[at] = arm
