"""All sets of clicks on a page with their probabilities, for credits that depend on the whole set.

If too many ranks of a page can be clicked, a few sets are drawn instead.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from rankduel.base.compiling import entry
from rankduel.interleave.exact.outcome_odds import verdict
from rankduel.interleave.world import CLICK, CLICK_AND_LEAVE, CLICKED, DOC, STAY

LONGEST = 20  # ranks: a million patterns
MOST_BITS = 62  # ranks of a page whose clicks fit into the bits of an integer
DRAWN = 4  # patterns drawn for one page; drawing more would cost more than drawing another page


@entry
def pattern_chance(world, pair, n_shown, pattern):
    """Return the probability of clicks on exactly the ranks whose bits are set in `pattern`."""
    reading, left = 1.0, 0.0
    for at in range(n_shown):
        grade = world.labels[pair.start + world.page[DOC, at]]
        click = world.user[CLICK, at, grade]
        if (pattern >> at) & 1:
            leaving = world.user[CLICK_AND_LEAVE, at, grade]
            staying = click - leaving
        else:
            leaving = 1.0 - world.user[STAY, at, grade]
            staying = 1.0 - click - leaving
        if pattern >> (at + 1) == 0:  # there is no click below, so the user may leave here
            left += reading * leaving
        reading *= staying
        if reading == 0.0:
            break
    return reading + left


@entry
def clickable(world, pair, n_shown):
    """Return (bits, number) of the ranks that can be clicked."""
    bits, n = 0, 0
    for at in range(n_shown):
        if world.user[CLICK, at, world.labels[pair.start + world.page[DOC, at]]] > 0.0:
            bits |= 1 << at
            n += 1
    return bits, n


@entry
def draw_pattern(world, pair, n_shown, users):
    """Draw the clicks of a user."""
    pattern = 0
    for at in range(n_shown):
        grade = world.labels[pair.start + world.page[DOC, at]]
        number = users.random()
        if number < world.user[CLICK, at, grade]:
            pattern |= 1 << at
        if number < world.user[CLICK_AND_LEAVE, at, grade] or number >= world.user[STAY, at, grade]:
            break
    return pattern


@functools.cache
def page_odds_by(credit: Callable[..., Any]) -> Callable[..., Any]:
    """Return `page_odds(world, pair, n_shown, most, users)`, which returns the odds of the page in `world`.

    It sums over all patterns if at most `most` ranks can be clicked, and otherwise over DRAWN drawn ones.
    """

    @entry
    def judged(world, pair, n_shown, pattern, users):
        for at in range(n_shown):
            world.page[CLICKED, at] = (pattern >> at) & 1
        return verdict(credit(world, pair, n_shown, users))

    @entry
    def page_odds(world, pair, n_shown, most, users):
        odds = np.zeros(3)
        bits, n = clickable(world, pair, n_shown)
        if n > most:
            for _ in range(DRAWN):
                pattern = draw_pattern(world, pair, n_shown, users)
                odds[judged(world, pair, n_shown, pattern, users)] += 1.0 / DRAWN
            return odds
        pattern = 0
        for _ in range(1 << n):
            chance = pattern_chance(world, pair, n_shown, pattern)
            if chance > 0.0:
                odds[judged(world, pair, n_shown, pattern, users)] += chance
            pattern = (pattern - bits) & bits  # the next larger subset of these bits
        return odds

    return page_odds
