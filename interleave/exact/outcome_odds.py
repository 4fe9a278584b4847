"""The win/tie/loss odds of a page, by following the lead while the user reads.

A clicked rank moves the lead by one towards whoever it is credited to. `reading[lead]`, counted from the
middle of the array, is the chance that the user is still reading with this lead, `left[lead]` that the user
is gone. Only leads up to the number of ranks read are possible, so a page of k documents costs about k^2
steps, and none of them asks a question: the loop runs on vectors.
"""

import numpy as np

from interleave.world import CLICK, CLICK_AND_LEAVE, STAY
from rankduel.base.compiling import entry

LOSS, TIE, WIN = 0, 1, 2  # entries of `odds`, for the first ranker


@entry
def verdict(lead):
    """Which of the odds a lead belongs to."""
    return WIN if lead > 0 else (LOSS if lead < 0 else TIE)


@entry
def leads(length):
    """No chance for any lead of a page this long; one place more at either end, so that neighbours exist."""
    return np.zeros(2 * length + 3)


@entry
def read_rank(reading, after, left, at, user, grade, first, second):
    """The user reads rank `at`; a click there is the first's with chance `first`, the second's with `second`.

    `after` receives the chances of reading on; it must be another array.
    """
    click, click_and_leave = user[CLICK, at, grade], user[CLICK_AND_LEAVE, at, grade]
    pass_and_leave = 1.0 - user[STAY, at, grade]
    nobody, stay, stay_clicked = 1.0 - first - second, 1.0 - click - pass_and_leave, click - click_and_leave
    middle = len(reading) // 2
    for i in range(middle - at - 1, middle + at + 2):
        clicked = first * reading[i - 1] + nobody * reading[i] + second * reading[i + 1]
        left[i] += click_and_leave * clicked + pass_and_leave * reading[i]
        after[i] = stay * reading[i] + stay_clicked * clicked


@entry
def odds_of(left):
    """(loss, tie, win) chances, once everybody has left."""
    middle, odds = len(left) // 2, np.zeros(3)
    for i in range(len(left)):
        odds[verdict(i - middle)] += left[i]
    return odds


@entry
def credited_page_odds(grades, first_shares, user):
    """Odds of a page whose clicks belong to the first ranker with these chances, else to the second."""
    length = len(grades)
    reading = leads(length)
    after = leads(length)
    left = leads(length)
    reading[length + 1] = 1.0
    for at in range(length):
        read_rank(reading, after, left, at, user, grades[at], first_shares[at], 1.0 - first_shares[at])
        reading, after = after, reading
    return odds_of(left + reading)
