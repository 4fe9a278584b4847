"""Exact odds of team-draft interleaving in O(k^2), by the two-set lemma.

After any number of complete rounds at most two different sets of documents can be on the page, whatever
the coins said. Pages with equal sets have equal futures, so their chances are added up: a round costs two
sets times two orders of picking at the most, where following every coin would cost 2^(k/2) pages.
"""

import numpy as np
from numba import njit

from interleave.outcome_odds import finish, read_rank

LONGEST = 32  # ranks; the documents of two lists must fit into the bits of an integer
_ONE = np.uint64(1)


@njit
def team_draft_odds(left, right, grades, user, neutral_prefix):
    """(loss, tie, win) chances of `left`: two orders of the same documents, numbered from 0.

    `grades` by document, `user` as in World. Nothing below the page's length matters.
    """
    length = min(user.shape[1], len(left))
    docs, first, second = _renumbered(left, right, length)
    odds, spare = np.zeros(3), np.zeros((2, 2 * length + 1))
    pages, reading = np.zeros(2, np.uint64), np.zeros((2, 2 * length + 1))  # per reachable set
    reading[0, length] = 1.0
    at, n_sets = 0, 1
    while neutral_prefix and at < length and first[at] == second[at]:
        read_rank(reading[0], spare[0], at, user, grades[docs[first[at]]], 0.0, 0.0, odds)
        reading[0] = spare[0]
        pages[0] |= _ONE << np.uint64(first[at])
        at += 1
    while length - at >= 2:
        pages, reading, n_sets = _round(
            pages, reading, n_sets, at, first, second, docs, grades, user, spare, odds
        )
        at += 2
    for s in range(n_sets):
        if at == length:
            finish(reading[s], length, odds)
        else:
            _last_pick(reading[s] / 2.0, pages[s], at, first, second, docs, grades, user, spare[0], odds)
    return odds


@njit
def _round(pages, reading, n_sets, at, first, second, docs, grades, user, spare, odds):
    """Both captains pick once, in either order."""
    new_pages, new_reading, n_new = np.zeros(2, np.uint64), np.zeros_like(reading), 0
    for s in range(n_sets):
        for opener in range(2):
            page = pages[s]
            spare[0] = reading[s] / 2.0
            for turn in range(2):
                first_picks = opener == turn
                pick = _best_left(first if first_picks else second, page)
                page |= _ONE << np.uint64(pick)
                _read_pick(
                    spare[turn], spare[1 - turn], at + turn, user, grades[docs[pick]], first_picks, odds
                )
            target = 0
            while target < n_new and new_pages[target] != page:
                target += 1
            n_new = max(n_new, target + 1)
            new_pages[target] = page
            new_reading[target] += spare[0]
    return new_pages, new_reading, n_new


@njit
def _last_pick(reading, page, at, first, second, docs, grades, user, spare, odds):
    """A coin says who fills the last rank of an odd page; nothing follows, so sets need not be told apart."""
    for first_picks in (True, False):
        pick = _best_left(first if first_picks else second, page)
        _read_pick(reading, spare, at, user, grades[docs[pick]], first_picks, odds)
        finish(spare, at + 1, odds)


@njit
def _read_pick(reading, after, at, user, grade, first_picks, odds):
    first_share = 1.0 if first_picks else 0.0
    read_rank(reading, after, at, user, grade, first_share, 1.0 - first_share, odds)


@njit
def _best_left(order, page):
    for pick in order:
        if page & (_ONE << np.uint64(pick)) == np.uint64(0):
            return pick
    return -1


@njit
def _renumbered(left, right, length):
    """Small numbers for the documents in reach: (document by number, left's and right's top as numbers)."""
    docs, second = np.empty(2 * length, np.int64), np.empty(length, np.int64)
    docs[:length] = left[:length]
    n = length
    for rank in range(length):
        number = 0
        while number < n and docs[number] != right[rank]:
            number += 1
        docs[number] = right[rank]
        n = max(n, number + 1)
        second[rank] = number
    return docs, np.arange(length), second
