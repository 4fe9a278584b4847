"""The second arm of the RMED policies: Algorithms 2 and 3 of Komiyama et al. (COLT 2015).

The opponents of arm l are the arms j with mu_lj <= 1/2, the paper's set O_l.
"""

from __future__ import annotations

import math
from typing import Annotated

from rankduel.bandits.parts.picks import NO_ARM, pick
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

RegretFloor = Annotated[
    float, Setting("lower limit of the estimated regret of a duel; -1: no limit", at_least=-1, at_most=1)
]


@kernel
def hardest_opponent(rate, arm):
    """Return the arm against which `arm` has won the smallest share; the lowest of equals."""
    hardest, lowest = NO_ARM, 2.0
    for other in range(len(rate)):
        if other != arm and rate[arm, other] < lowest:
            hardest, lowest = other, rate[arm, other]
    return hardest


@kernel
def draw_as_hard(rate, arm, hardest, rng):
    """Draw one of the arms against which `arm` has the same win rate as against `hardest`."""
    n_tied = 0
    for other in range(len(rate)):
        n_tied += (other != arm) & (rate[arm, other] == rate[arm, hardest])
    left = pick(n_tied, rng)
    for other in range(len(rate)):
        if other != arm and rate[arm, other] == rate[arm, hardest]:
            if left == 0:
                return other
            left -= 1
    return hardest


@kernel
def leads_all(rate, arm):
    """Return whether `arm` has no opponents: it has won more than half against every other arm."""
    return rate[arm, hardest_opponent(rate, arm)] > 0.5


@kernel
def rmed1_opponent(rate, arm, i_star):
    """Algorithm 2: return `i_star` if it is an opponent of `arm`, or if there are none; else the hardest.

    An arm is no opponent of itself: with `i_star` = `arm` the hardest opponent is returned, or `arm`.
    """
    if arm != i_star and rate[arm, i_star] <= 0.5:
        return i_star
    hardest = hardest_opponent(rate, arm)
    return hardest if rate[arm, hardest] <= 0.5 else i_star


@kernel
def cheapest_opponent(divergences, arm, floor):
    """Return b*, the arm that refutes `arm` at the smallest estimated regret; NO_ARM if `arm` trails none.

    The cost is the regret of a duel, at least `floor`, divided by the divergence that a duel adds. The
    regret of the pair (i, j) is mu_i*i + mu_i*j - 1.
    """
    rate, wins, i_star = divergences.rate, divergences.wins, divergences.now[0].i_star
    cheapest, least = NO_ARM, math.inf
    for other in range(len(rate)):
        if other != arm and rate[arm, other] < 0.5:
            n = wins[arm, other] + wins[other, arm]
            regret = max(rate[i_star, arm] + rate[i_star, other] - 1.0, floor)
            cost = regret / (divergences.term[arm, other] / n)
            if cost < least:
                cheapest, least = other, cost
    return cheapest


@kernel
def rmed2_opponent(divergences, arm, cheapest, log_log_t):
    """Algorithm 3: return `cheapest` if it is an opponent of `arm` and i* has duelled `arm` often enough.

    Often enough is the number of duels with `cheapest` divided by ln ln t; any number if ln ln t is not
    positive, or if `arm` is i*. Otherwise return the opponent by Algorithm 2.
    """
    wins, i_star = divergences.wins, divergences.now[0].i_star
    if cheapest != NO_ARM and divergences.rate[arm, cheapest] <= 0.5:
        n_cheapest = wins[arm, cheapest] + wins[cheapest, arm]
        n_i_star = wins[arm, i_star] + wins[i_star, arm]
        if arm == i_star or log_log_t <= 0.0 or n_i_star >= n_cheapest / log_log_t:
            return cheapest
    return rmed1_opponent(divergences.rate, arm, i_star)
