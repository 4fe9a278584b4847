"""The win/tie/loss odds of a page, by the distribution of the lead while the user reads.

A click moves the lead by one towards the ranker that it credits. `reading[lead]`, counted from the middle of
the array, is the probability that the user is still reading with this lead, and `left[lead]` that the user
has left with it. Leads cannot exceed the number of ranks read, so a page of k documents costs about k^2
steps. They have no branches, so that the compiler vectorises the loop.
"""

import numpy as np

from rankduel.base.compiling import entry
from rankduel.interleave.world import CLICK, CLICK_AND_LEAVE, STAY

LOSS, TIE, WIN = 0, 1, 2  # entries of `odds`, for the first ranker


@entry
def verdict(lead):
    """Return the entry of the odds that a lead belongs to."""
    return WIN if lead > 0 else (LOSS if lead < 0 else TIE)


@entry
def leads(length):
    """Return zeros for all leads of a page, with one entry more at either end."""
    return np.zeros(2 * length + 3)


@entry
def read_rank(reading, after, left, at, user, grade, first, second):
    """Update the distribution of the lead by rank `at`.

    A click there is credited to the first ranker with probability `first` and to the second with `second`.
    `after`, another array than `reading`, receives the probabilities of reading on.
    """
    click, click_and_leave = user[CLICK, at, grade], user[CLICK_AND_LEAVE, at, grade]
    pass_and_leave = 1.0 - user[STAY, at, grade]
    neither, stay, stay_clicked = 1.0 - first - second, 1.0 - click - pass_and_leave, click - click_and_leave
    middle = len(reading) // 2
    for i in range(middle - at - 1, middle + at + 2):
        clicked = first * reading[i - 1] + neither * reading[i] + second * reading[i + 1]
        left[i] += click_and_leave * clicked + pass_and_leave * reading[i]
        after[i] = stay * reading[i] + stay_clicked * clicked


@entry
def odds_of(left):
    """Return (loss, tie, win) probabilities from the distribution of the final lead."""
    middle, odds = len(left) // 2, np.zeros(3)
    for i in range(len(left)):
        odds[verdict(i - middle)] += left[i]
    return odds


@entry
def credited_page_odds(grades, first_shares, user):
    """Return the odds of a page: clicks credit the first ranker with these probabilities, or the second."""
    length = len(grades)
    reading = leads(length)
    after = leads(length)
    left = leads(length)
    reading[length + 1] = 1.0
    for at in range(length):
        read_rank(reading, after, left, at, user, grades[at], first_shares[at], 1.0 - first_shares[at])
        reading, after = after, reading
    return odds_of(left + reading)
