"""Sweeps over all pairs i < j, in which the RMED policies duel the pairs with too few duels."""

from __future__ import annotations

from typing import NamedTuple

from rankduel.bandits.parts.bounds import NEVER
from rankduel.base.compiling import kernel


class PairSweep(NamedTuple):
    first: int = 0  # this and the next: the current pair of the sweep
    second: int = 1
    fewest_passed: int = NEVER  # smallest number of duels of the pairs that this sweep has passed
    fewest: int = 0  # smallest number of duels of a pair at the end of the last sweep


@kernel
def find_initial_pair(sweep, wins, times):
    """Advance to the next pair with fewer than `times` duels, one duel a sweep; return whether one exists."""
    while sweep.fewest < times:
        if find_pair_below(sweep, wins, float(sweep.fewest + 1)):
            return True
    return False


@kernel
def find_pair_below(sweep, wins, n_duels):
    """Advance to the next pair with fewer than `n_duels` duels; return whether this sweep has one left."""
    if n_duels <= sweep.fewest:
        return False
    last = len(wins) - 1
    while sweep.first < last:
        n = wins[sweep.first, sweep.second] + wins[sweep.second, sweep.first]
        if n < n_duels:
            return True
        sweep.fewest_passed = min(sweep.fewest_passed, n)
        sweep.second += 1
        if sweep.second > last:
            sweep.first += 1
            sweep.second = sweep.first + 1
    fewest = sweep.fewest_passed
    sweep.first, sweep.second, sweep.fewest_passed, sweep.fewest = 0, 1, NEVER, fewest
    return False
