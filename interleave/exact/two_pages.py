"""Exact odds of methods that show one of two balanced pages, summed over all patterns of clicks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from rankduel.base.compiling import entry
from rankduel.interleave.exact.click_patterns import LONGEST, page_odds_by
from rankduel.interleave.methods import balanced
from rankduel.interleave.world import FIRST, SECOND


@functools.cache
def two_pages_odds(credit: Callable[..., Any]) -> Callable[..., Any]:
    """Return `odds(world, pair, users)` for a rule of credit: the mean over which ranking leads.

    The page consists of the drafted places, at most LONGEST.
    """
    page_odds = page_odds_by(credit)

    @entry
    def odds_of_two_pages(world, pair, users):
        length = world.rules[0].n_drafted
        odds = np.zeros(3)
        for leader in (FIRST, SECOND):
            balanced.start(world, leader)
            for at in range(length):
                balanced.add_document(world, pair, at, users)
            odds += page_odds(world, pair, length, LONGEST, users) / 2.0
        return odds

    return odds_of_two_pages
