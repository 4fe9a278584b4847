"""A match: two arms duel until a sequential test has decided between them.

The tests of Falahatgar et al. 2017 and 2018, Ren et al. 2020 and Busa-Fekete et al. 2014 have one form. With
p the first arm's share of t duels less one half, go on while

    |p - centre| <= sqrt((spread + 2 ln t) / (2 t)) + slack   and   t <= limit

and then the first arm is WORSE (p < low), BETTER (p > high) or EVEN. A match begins with one of the functions
below, hears of every duel through `outcome`, and knows nothing of earlier matches between the same arms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

UNDECIDED, WORSE, EVEN, BETTER = range(4)
_FIRST, _SECOND, _DUELS, _WINS, _OPEN = range(5)  # entries of Match.tally
_CENTRE, _SPREAD, _SLACK, _LOW, _HIGH, _LIMIT = range(6)  # entries of Match.rule

SETTINGS = {
    "epsilon": Setting("how much better than the answer an arm may be", above=0, at_most=0.5),
    "delta": Setting("chance of an error", above=0, at_most=1),
}


class Match(NamedTuple):
    tally: np.ndarray  # (5,) int64: the arms; duels, and how many the first of them won; still undecided?
    rule: np.ndarray  # (6,) float64: the test, see above


def no_match() -> Match:
    return Match(np.zeros(5, np.int64), np.zeros(6))


@kernel
def compare_k(match, first, second, epsilon, delta):
    """COMPARE of Knockout (2017, Algorithm 1): who is better, within epsilon?"""
    limit = math.log(2.0 / delta) / (2.0 * epsilon * epsilon)
    _begin(match.tally, first, second)
    _set_rule(match.rule, 0.0, math.log(4.0 / delta), -epsilon, 0.0, 0.0, limit)


@kernel
def compare_2(match, first, second, lower, upper, delta):
    """COMPARE-2 (2018, Algorithm 9): BETTER if p is nearer to `upper` than to `lower`; EVEN is not better."""
    middle, width = (lower + upper) / 2.0, upper - lower
    limit = 2.0 * math.log(2.0 / delta) / (width * width)
    _begin(match.tally, first, second)
    _set_rule(match.rule, middle, math.log(4.0 / delta), 0.0, middle, middle, limit)


@kernel
def compare_3(match, first, second, lower, upper, delta):
    """COMPARE (2018, Algorithm 8): the same, but in the middle half between the two it is EVEN."""
    middle, width = (lower + upper) / 2.0, upper - lower
    limit = 8.0 * math.log(2.0 / delta) / (width * width)
    low, high = (lower + middle) / 2.0, (middle + upper) / 2.0
    _begin(match.tally, first, second)
    _set_rule(match.rule, middle, math.log(4.0 / delta), width / 4.0, low, high, limit)


@kernel
def distribute_item(match, first, second, epsilon, up, down, delta):
    """Distribute-Item (Ren et al. 2020): BETTER means by more than `up`, WORSE by more than `down`.

    It is EVEN if nearer than epsilon / 2 to that after the last duel. Who is beyond it by the radius earlier
    is so by more than epsilon / 2: one pair of thresholds serves both exits.
    """
    limit = math.ceil(2.0 / (epsilon * epsilon) * math.log(4.0 / delta)) - 1.0
    spread = math.log(math.pi * math.pi / (3.0 * delta))
    low, high = -epsilon / 2.0 - down, epsilon / 2.0 + up
    _begin(match.tally, first, second)
    _set_rule(match.rule, (up - down) / 2.0, spread, (up + down) / 2.0, low, high, limit)


@kernel
def compare_exactly(match, first, second, n_arms, delta):
    """Busa-Fekete et al. 2014: until one half is outside the confidence interval, however long it takes."""
    _begin(match.tally, first, second)
    _set_rule(match.rule, 0.0, math.log(4.0 * n_arms / delta), 0.0, 0.0, 0.0, math.inf)


@kernel
def is_over(match):
    return match.tally[_OPEN] == 0


@kernel
def pair(match):
    return match.tally[_FIRST], match.tally[_SECOND]


@kernel
def outcome(match, first_won):
    """Note a duel: UNDECIDED, or what the match has come to."""
    tally, rule = match.tally, match.rule
    tally[_DUELS] += 1
    tally[_WINS] += int(first_won)
    t = tally[_DUELS]
    p = tally[_WINS] / t - 0.5
    radius = math.sqrt((rule[_SPREAD] + 2.0 * math.log(t)) / (2.0 * t))
    if abs(p - rule[_CENTRE]) <= radius + rule[_SLACK] and t <= rule[_LIMIT]:
        return UNDECIDED
    tally[_OPEN] = 0
    if p > rule[_HIGH]:
        return BETTER
    return WORSE if p < rule[_LOW] else EVEN


@kernel
def _begin(tally, first, second):
    tally[_FIRST], tally[_SECOND], tally[_DUELS], tally[_WINS], tally[_OPEN] = first, second, 0, 0, 1


@kernel
def _set_rule(rule, centre, spread, slack, low, high, limit):
    rule[_CENTRE], rule[_SPREAD], rule[_SLACK] = centre, spread, slack
    rule[_LOW], rule[_HIGH], rule[_LIMIT] = low, high, limit
