"""Confidence bounds on pairwise win rates, without computing them: who is beaten, and until when.

The upper bound on the chance that i beats j, w_ij / N + sqrt(alpha ln(t + c) / N), is below one half exactly
when D > 0 and D^2 > 4 alpha N ln(t + c), with N duels of the pair and D = w_ji - w_ij: i is "beaten by j".
The right side grows with t alone, so a pair becomes beaten only when it is compared, and stops being beaten
at a step known in advance. Every policy with such bounds asks through this one expression.
"""

import math

from rankduel.base.compiling import kernel

NEVER = 1 << 60  # a step no run reaches
_LAST_LOG = 36.0  # of steps up to 4e15: beyond, a double cannot tell them apart


@kernel
def beaten(wins, losses, alpha, log_time):
    """Is an arm with so many wins and losses against another confidently worse, at ln(t + c) = log_time?"""
    deficit = float(losses - wins)
    return deficit > 0.0 and deficit * deficit > 4.0 * alpha * float(wins + losses) * log_time


@kernel
def beaten_until(wins, losses, alpha, c):
    """The first step t >= 1 at which it is not beaten (any more); NEVER if no run gets there."""
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
def set_beaten_until(until, latest, loser, winner, step):
    """Write until[loser, winner] = step and keep latest[loser] the largest of its row.

    So arm i is beaten by nobody at t exactly when latest[i] <= t.
    """
    before = until[loser, winner]
    until[loser, winner] = step
    if step >= latest[loser]:
        latest[loser] = step
    elif before == latest[loser]:
        latest[loser] = 0
        for other in range(len(latest)):
            latest[loser] = max(latest[loser], until[loser, other])


@kernel
def all_beaten_until(until, champion):
    """The first step at which some arm is no longer beaten by `champion`; until[arm] is that of each arm."""
    soonest = NEVER
    for arm in range(len(until)):
        if arm != champion:
            soonest = min(soonest, until[arm])
    return soonest
