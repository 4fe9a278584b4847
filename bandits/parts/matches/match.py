"""A match: two arms duel until a sequential test decides between them.

The tests of Falahatgar et al. 2017 and 2018, Ren et al. 2020 and Busa-Fekete et al. 2014 have one form. With
p the share of t duels that the first arm won, less one half, a match continues while

    |p - centre| <= sqrt((spread + 2 ln t) / (2 t)) + slack   and   t <= limit

Then the first arm is WORSE (p < low), BETTER (p > high) or EVEN. One of the functions below begins a match,
and `record_duel` is called after every duel. Earlier matches between the same arms do not count.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.parts.picks import NO_ARM
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

UNDECIDED, WORSE, EVEN, BETTER = range(4)  # verdicts

# A match takes up to 1 / epsilon^2 duels or more, and the longest run has 1e15.
Epsilon = Annotated[
    float,
    Setting(
        "largest excess over 1/2 of the probability that another arm beats the answer",
        at_least=1e-8,
        at_most=0.5,
    ),
]


class Match(NamedTuple):
    first: int = NO_ARM
    second: int = NO_ARM
    n_duels: int = 0  # t
    n_wins: int = 0  # duels that the first arm won
    decided: bool = True
    centre: float = 0.0  # this and the following: the test, see above
    spread: float = 0.0
    slack: float = 0.0
    low: float = 0.0
    high: float = 0.0
    limit: float = 0.0


def no_match() -> np.recarray:
    """Return a record, (1,), with the fields of Match, in which nothing is left to decide."""
    return record(Match())


@kernel
def compare_k(match, first, second, epsilon, delta):
    """Begin COMPARE of Knockout (2017, Algorithm 1): which arm is better, within epsilon."""
    limit = math.log(2.0 / delta) / (2.0 * epsilon * epsilon)
    _begin(match, first, second)
    _set_test(match, 0.0, math.log(4.0 / delta), -epsilon, 0.0, 0.0, limit)


@kernel
def compare_2(match, first, second, lower, upper, delta):
    """Begin COMPARE-2 (2018, Algorithm 9): BETTER if p is nearer to `upper` than to `lower`."""
    middle, width = (lower + upper) / 2.0, upper - lower
    limit = 2.0 * math.log(2.0 / delta) / (width * width)
    _begin(match, first, second)
    _set_test(match, middle, math.log(4.0 / delta), 0.0, middle, middle, limit)


@kernel
def compare_3(match, first, second, lower, upper, delta):
    """Begin COMPARE (2018, Algorithm 8): like COMPARE-2, but EVEN in the middle half of the two bounds."""
    middle, width = (lower + upper) / 2.0, upper - lower
    limit = 8.0 * math.log(2.0 / delta) / (width * width)
    low, high = (lower + middle) / 2.0, (middle + upper) / 2.0
    _begin(match, first, second)
    _set_test(match, middle, math.log(4.0 / delta), width / 4.0, low, high, limit)


@kernel
def distribute_item(match, first, second, epsilon, up, down, delta):
    """Begin Distribute-Item (Ren et al. 2020): BETTER by more than `up`, WORSE by more than `down`, or EVEN.

    The last duel decides by p > epsilon / 2 + up or p < -epsilon / 2 - down. A lead that exceeds the radius
    earlier exceeds epsilon / 2 as well, so these two thresholds serve both exits.
    """
    limit = math.ceil(2.0 / (epsilon * epsilon) * math.log(4.0 / delta)) - 1.0
    spread = math.log(math.pi * math.pi / (3.0 * delta))
    low, high = -epsilon / 2.0 - down, epsilon / 2.0 + up
    _begin(match, first, second)
    _set_test(match, (up - down) / 2.0, spread, (up + down) / 2.0, low, high, limit)


@kernel
def compare_exactly(match, first, second, n_arms, delta):
    """Begin the test of MallowsMPI (2014): until the confidence interval excludes 1/2, without a limit."""
    _begin(match, first, second)
    _set_test(match, 0.0, math.log(4.0 * n_arms / delta), 0.0, 0.0, 0.0, math.inf)


@kernel
def is_decided(match):
    return match[0].decided


@kernel
def arms_of(match):
    """Return the first and the second arm of the match."""
    return match[0].first, match[0].second


@kernel
def record_duel(match, first_won):
    """Record a duel; return UNDECIDED, or the verdict on the first arm."""
    now = match[0]
    now.n_duels += 1
    now.n_wins += int(first_won)
    t = now.n_duels
    p = now.n_wins / t - 0.5
    radius = math.sqrt((now.spread + 2.0 * math.log(t)) / (2.0 * t))
    if abs(p - now.centre) <= radius + now.slack and t <= now.limit:
        return UNDECIDED
    now.decided = True
    if p > now.high:
        return BETTER
    return WORSE if p < now.low else EVEN


@kernel
def _begin(match, first, second):
    now = match[0]
    now.first, now.second, now.n_duels, now.n_wins, now.decided = first, second, 0, 0, False


@kernel
def _set_test(match, centre, spread, slack, low, high, limit):
    now = match[0]
    now.centre, now.spread, now.slack = centre, spread, slack
    now.low, now.high, now.limit = low, high, limit
