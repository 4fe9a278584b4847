"""C(epsilon), a number of steps after which all confidence bounds hold at once.

Zoghi 2017 (thesis), Lemma 4.1: with bounds of width sqrt(alpha ln(t) / N) on K arms, the probability that
some bound fails at a step t > C(epsilon) is below epsilon, where

    C(epsilon) = ((4 alpha - 1) K^2 / ((2 alpha - 1) epsilon)) ^ (1 / (2 alpha - 1)),  alpha > 1/2.

Policies that must not fail add C to the step in their bounds. For alpha near 1/2 it exceeds all floating
point numbers, so it is computed as its logarithm: with alpha = 0.51, 136 arms and epsilon = 1 / (2 10^6),
ln C is 1414. The bounds need only ln(t + C), which then is ln C.
"""

from __future__ import annotations

import math

from rankduel.base.compiling import kernel


def log_head_start(n_arms: int, alpha: float, epsilon: float) -> float:
    """Return ln C(epsilon), for alpha > 1/2."""
    odds = math.log((4 * alpha - 1) * n_arms**2) - math.log((2 * alpha - 1) * epsilon)
    return odds / (2 * alpha - 1)


def exp_or_inf(log: float) -> float:
    """Return exp(log), or infinity if that exceeds all floating point numbers."""
    try:
        return math.exp(log)
    except OverflowError:
        return math.inf


@kernel
def log_of_sum(t, c, log_c):
    """Return ln(t + C); C may be infinite, as t does not change the logarithm of so large a number."""
    return log_c if c == math.inf else math.log(t + c)
