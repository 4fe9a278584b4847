"""Every way to click a page, with its chance: for credits that depend on the whole set of clicks.

A page with many ranks that may be clicked has many patterns; then a few drawn ones must do (`split`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from interleave.exact.outcome_odds import verdict
from interleave.world import CLICK, CLICK_AND_LEAVE, CLICKED, DOC, STAY
from rankduel.base.compiling import entry

LONGEST = 20  # ranks: a million patterns
MOST_BITS = 62  # ranks of a page whose clicks are one integer
DRAWN = 4  # patterns drawn for one page: more cost more than another page would


@entry
def pattern_chance(world, pair, n_shown, pattern):
    """The chance of clicking exactly the ranks whose bits are set."""
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
        if pattern >> (at + 1) == 0:  # nothing is clicked below, so leaving here fits the pattern
            left += reading * leaving
        reading *= staying
        if reading == 0.0:
            break
    return reading + left


@entry
def clickable(world, pair, n_shown):
    """(bits, number) of the ranks that have a chance to be clicked."""
    bits, n = 0, 0
    for at in range(n_shown):
        if world.user[CLICK, at, world.labels[pair.start + world.page[DOC, at]]] > 0.0:
            bits |= 1 << at
            n += 1
    return bits, n


@entry
def draw_pattern(world, pair, n_shown, users):
    """A user reads the page."""
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
    """`page_odds(world, pair, n_shown, most, users)`: the odds of the page in `world`.

    Over all patterns if at most `most` ranks may be clicked, else over DRAWN drawn ones (splitting).
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
            pattern = (pattern - bits) & bits  # the next larger number made of these bits
        return odds

    return page_odds
