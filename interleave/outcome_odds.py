"""The win/tie/loss odds of a page, by following the lead while the user reads.

A clicked rank moves the lead by one towards whoever it is credited to. `reading[middle + lead]` is the chance
that the user is still reading with this lead; what leaves goes to the final odds at once. Only leads up to
the number of ranks read are possible, so a page of k documents costs about k^2 steps.
"""

import numpy as np
from numba import njit

from interleave.world import CLICK, CLICK_AND_LEAVE, STAY

LOSS, TIE, WIN = 0, 1, 2  # entries of `odds`, for the first ranker


@njit
def verdict(lead):
    """Which of the odds a lead belongs to."""
    return WIN if lead > 0 else (LOSS if lead < 0 else TIE)


@njit
def read_rank(reading, after, at, user, grade, first, second, odds):
    """The user reads rank `at`; a click there is the first's with chance `first`, the second's with `second`.

    `after` receives the chances of reading on; it must be another array.
    """
    click, click_and_leave = user[CLICK, at, grade], user[CLICK_AND_LEAVE, at, grade]
    pass_and_leave = 1.0 - user[STAY, at, grade]
    middle = len(reading) // 2
    for lead in range(-at - 1, at + 2):
        i = middle + lead
        clicked = (1.0 - first - second) * reading[i]
        if lead > -at:
            clicked += first * reading[i - 1]
        if lead < at:
            clicked += second * reading[i + 1]
        odds[verdict(lead)] += click_and_leave * clicked + pass_and_leave * reading[i]
        after[i] = (1.0 - click - pass_and_leave) * reading[i] + (click - click_and_leave) * clicked


@njit
def finish(reading, at, odds):
    """The page ends after `at` ranks."""
    middle = len(reading) // 2
    for lead in range(-at, at + 1):
        odds[verdict(lead)] += reading[middle + lead]


@njit
def credited_page_odds(grades, first_shares, user):
    """Odds of a page whose clicks belong to the first ranker with these chances, else to the second."""
    length = len(grades)
    odds, reading, after = np.zeros(3), np.zeros(2 * length + 1), np.zeros(2 * length + 1)
    reading[length] = 1.0
    for at in range(length):
        read_rank(reading, after, at, user, grades[at], first_shares[at], 1.0 - first_shares[at], odds)
        reading, after = after, reading
    finish(reading, length, odds)
    return odds
