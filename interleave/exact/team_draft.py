"""Exact odds of team-draft interleaving in O(k^2), by the two-set lemma.

After any number of complete rounds at most two different sets of documents can be on the page. Pages with
equal sets continue alike, so their probabilities are added. A round costs at most two sets times two orders
of picking, where enumerating all orders would cost 2^(k/2) pages.

If lists end, a round is drafted if both rankers can pick given either set, in either order
(rankduel.interleave.methods.team_draft).
"""

from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import entry
from rankduel.interleave.exact.outcome_odds import leads, odds_of, read_rank

LONGEST = 32  # ranks; the documents of two lists must fit into the bits of an integer
_ONE = np.uint64(1)


class _State(NamedTuple):
    """The sets of documents that can be on the page, with the distribution of the lead for each."""

    pages: np.ndarray  # (2,) uint64, documents as bits
    reading: np.ndarray  # (2, leads) per set, see outcome_odds
    n: np.ndarray  # (1,) number of sets


class _Draft(NamedTuple):
    """The lists that the rankers pick from; documents are numbered from 0."""

    first: np.ndarray  # int64: the top of the first ranking, at most as long as the page
    second: np.ndarray  # int64
    grades: np.ndarray  # int64, by number


@entry
def team_draft_odds(left, right, grades, user, neutral_prefix):
    """Return the (loss, tie, win) probabilities of `left` against `right`, two lists of document numbers.

    `grades` are by document, `user` is that of a World. Ranks below the length of the page do not matter.
    """
    draft = _draft(left[: user.shape[1]], right[: user.shape[1]], grades)
    length = min(user.shape[1], len(draft.grades))
    ends = min(len(draft.first), len(draft.second)) < length
    now = _no_sets(length)
    then = _no_sets(length)
    gone = leads(length)
    spare = np.zeros((2, 2 * length + 3))
    now.n[0], now.reading[0, length + 1] = 1, 1.0
    at = 0
    in_both = min(length, min(len(draft.first), len(draft.second)))
    while neutral_prefix and at < in_both and draft.first[at] == draft.second[at]:
        pick = draft.first[at]
        read_rank(now.reading[0], spare[0], gone, at, user, draft.grades[pick], 0.0, 0.0)
        _copy(spare[0], 1.0, now.reading[0])
        now.pages[0] |= _ONE << np.uint64(pick)
        at += 1
    while length - at >= 2 and not (ends and _is_over(draft, now, True)):
        _round(draft, user, now, then, at, spare, gone)
        now, then = then, now
        at += 2
    drafts_last = at == length - 1 and not (ends and _is_over(draft, now, False))
    for s in range(now.n[0]):
        if not drafts_last:
            _add_to(gone, now.reading[s])
        else:
            _copy(now.reading[s], 0.5, spare[1])
            _last_pick(draft, user, spare[1], now.pages[s], at, spare[0], gone)
    return odds_of(gone)


@entry
def _is_over(draft, state, both_pick):
    """Return whether a ranker may have no document left, before or after the pick of the other."""
    for s in range(state.n[0]):
        page = state.pages[s]
        first = _best_left(draft.first, page)
        second = _best_left(draft.second, page)
        if first < 0 or second < 0:
            return True
        if both_pick and first == second:
            page |= _ONE << np.uint64(first)
            if _best_left(draft.first, page) < 0 or _best_left(draft.second, page) < 0:
                return True
    return False


@entry
def _no_sets(length):
    return _State(np.zeros(2, np.uint64), np.zeros((2, 2 * length + 3)), np.zeros(1, np.int64))


@entry
def _round(draft, user, now, then, at, spare, gone):
    """Let both rankers pick once, in either order."""
    then.n[0] = 0
    for s in range(now.n[0]):
        for opener in range(2):
            page = now.pages[s]
            _copy(now.reading[s], 0.5, spare[0])
            for turn in range(2):
                first_picks = opener == turn
                pick = _best_left(draft.first if first_picks else draft.second, page)
                page |= _ONE << np.uint64(pick)
                _read_pick(
                    spare[turn], spare[1 - turn], gone, at + turn, user, draft.grades[pick], first_picks
                )
            _add(then, page, spare[0])


@entry
def _add(state, page, reading):
    """Add a page to the sets; probabilities of equal sets are added."""
    for s in range(state.n[0]):
        if state.pages[s] == page:
            _add_to(state.reading[s], reading)
            return
    s = state.n[0]
    state.pages[s] = page
    _copy(reading, 1.0, state.reading[s])
    state.n[0] += 1


@entry
def _last_pick(draft, user, reading, page, at, spare, gone):
    """Let either ranker fill the last rank of a page of odd length; sets do not matter any more."""
    for first_picks in (True, False):
        pick = _best_left(draft.first if first_picks else draft.second, page)
        _read_pick(reading, spare, gone, at, user, draft.grades[pick], first_picks)
        _add_to(gone, spare)


# Loops, since array expressions take seconds to compile.
@entry
def _copy(source, factor, target):
    for i in range(len(source)):
        target[i] = factor * source[i]


@entry
def _add_to(total, part):
    for i in range(len(part)):
        total[i] += part[i]


@entry
def _read_pick(reading, after, gone, at, user, grade, first_picks):
    first_share = 1.0 if first_picks else 0.0
    read_rank(reading, after, gone, at, user, grade, first_share, 1.0 - first_share)


@entry
def _best_left(order, page):
    for pick in order:
        if page & (_ONE << np.uint64(pick)) == np.uint64(0):
            return pick
    return -1


@entry
def _draft(left, right, grades):
    """Number the documents: those of `left` first, then those that only `right` has."""
    docs = np.empty(len(left) + len(right), np.int64)  # by number
    first = np.empty(len(left), np.int64)
    second = np.empty(len(right), np.int64)
    for rank in range(len(left)):
        docs[rank], first[rank] = left[rank], rank
    n = len(left)
    for rank in range(len(right)):
        number = 0
        while number < n and docs[number] != right[rank]:
            number += 1
        docs[number] = right[rank]
        n = max(n, number + 1)
        second[rank] = number
    by_number = np.empty(n, np.int64)
    for number in range(n):
        by_number[number] = grades[docs[number]]
    return _Draft(first, second, by_number)
