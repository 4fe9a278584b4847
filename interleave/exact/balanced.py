"""Exact odds of balanced interleaving (Joachims' credit) in O(k^3), conditional on the lowest click.

The depth of the comparison depends on the lowest click alone. Given this click, every click above it changes
the lead by a fixed amount, so the distribution of the lead can be updated rank by rank.
"""

import numpy as np

from rankduel.base.compiling import entry
from rankduel.interleave.exact.outcome_odds import TIE, verdict
from rankduel.interleave.methods import balanced
from rankduel.interleave.world import CLICK, CLICK_AND_LEAVE, DOC, FIRST, RANK, SECOND, STAY, rank_page


@entry
def balanced_odds(world, pair, users):
    """Return (loss, tie, win) probabilities of the first ranker: the mean over which ranking leads."""
    length = world.rules[0].n_drafted
    odds = np.zeros(3)
    for leader in (FIRST, SECOND):
        balanced.start(world, leader)
        for at in range(length):
            balanced.add_document(world, pair, at, users)
        rank_page(world, pair, length, users)
        odds += _page_odds(world, pair, length) / 2.0
    return odds


@entry
def _page_odds(world, pair, length):
    click, stay_clicked, stay = _chances(world, pair, length)
    nothing_below = np.ones(length + 1)  # probability of no click at a rank or below, given that it is read
    for at in range(length - 1, -1, -1):
        leave = 1.0 - click[at] - stay[at]
        nothing_below[at] = leave + stay[at] * nothing_below[at + 1]
    odds = np.zeros(3)
    odds[TIE] = nothing_below[0]
    reading = np.empty(2 * length + 1)  # by lead; the lead 0 is in the middle
    after = np.empty(2 * length + 1)
    for last in range(length):
        depth = min(world.page[RANK + FIRST, last], world.page[RANK + SECOND, last])
        for i in range(2 * length + 1):
            reading[i] = after[i] = 0.0
        reading[length] = 1.0
        for at in range(last):
            credit = _credit(world, at, depth)
            for i in range(length - at - 1, length + at + 2):
                after[i] = stay[at] * reading[i] + stay_clicked[at] * reading[i - credit]
            reading, after = after, reading
        ends = click[last] - stay_clicked[last] + stay_clicked[last] * nothing_below[last + 1]
        credit = _credit(world, last, depth)
        for lead in range(-last, last + 1):
            odds[verdict(lead + credit)] += ends * reading[length + lead]
    return odds


@entry
def _chances(world, pair, length):
    """Return the probabilities per rank to click, to click and read on, and to read on without a click."""
    click = np.empty(length)
    stay_clicked = np.empty(length)
    stay = np.empty(length)
    for at in range(length):
        grade = world.labels[pair.start + world.page[DOC, at]]
        click[at] = world.user[CLICK, at, grade]
        stay_clicked[at] = click[at] - world.user[CLICK_AND_LEAVE, at, grade]
        stay[at] = world.user[STAY, at, grade] - click[at]
    return click, stay_clicked, stay


@entry
def _credit(world, at, depth):
    return int(world.page[RANK + FIRST, at] <= depth) - int(world.page[RANK + SECOND, at] <= depth)
