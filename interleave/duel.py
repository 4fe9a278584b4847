"""The live duel: draw a query, interleave a page, simulate clicks and credit them.

The page is generated only as deep as the user reads. Documents below were not seen, so they cannot change the
outcome. Document constraints generate one document more.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from rankduel.base.compiling import entry, kernel
from rankduel.interleave.catalogue import METHODS
from rankduel.interleave.list_ends import fill_place, page_length
from rankduel.interleave.world import (
    BY_SHARE,
    CLICK,
    CLICK_AND_LEAVE,
    CLICKED,
    DOC,
    STAY,
    UNIFORM,
    fetch,
    forget_ties,
    pair_on,
)


@kernel
def choose_query(world, users):
    """Return the number of the next query: drawn uniformly or by shares, or the next in file order."""
    n_queries = len(world.offsets) - 1
    if world.rules[0].query_choice == UNIFORM:
        return int(users.random() * n_queries)
    if world.rules[0].query_choice == BY_SHARE:
        return _first_above(world.query_shares, users.random())
    query = world.rules[0].next_query
    world.rules[0].next_query = (query + 1) % n_queries
    return query


@kernel
def _first_above(shares, number):
    """Return `np.searchsorted(shares, number, "right")`, which would take half a second longer to compile."""
    low, high = 0, len(shares) - 1
    while low < high:
        middle = (low + high) // 2
        if shares[middle] > number:
            high = middle
        else:
            low = middle + 1
    return low


def reader(next_document: Callable[..., Any], calls_python: bool) -> Callable[..., Any]:
    """Return `read(world, pair, length, whole, users)`, which shows documents and records clicks.

    `read` stops when the user leaves and returns the number of documents shown. With `whole` it shows all
    `length` documents, without clicks once the user has left. `next_document` has the signature of a
    method's.
    """

    @(entry if calls_python else kernel)
    def read(world, pair, length, whole, users):
        n_shown, is_reading = 0, True
        for at in range(length):
            doc = next_document(world, pair, at, users)
            world.page[CLICKED, at] = 0
            n_shown += 1
            if is_reading:
                grade = world.labels[pair.start + doc]
                number = users.random()
                world.page[CLICKED, at] = number < world.user[CLICK, at, grade]
                if number < world.user[CLICK_AND_LEAVE, at, grade] or number >= world.user[STAY, at, grade]:
                    if not whole:
                        break
                    is_reading = False
        return n_shown

    return read


def _drafted_or_filled(next_document: Callable[..., Any], calls_python: bool) -> Callable[..., Any]:
    """Return `next_document` extended to the places below the drafted ones."""

    @(entry if calls_python else kernel)
    def drafted_or_filled(world, pair, at, users):
        if at < world.rules[0].n_drafted:
            return next_document(world, pair, at, users)
        return fill_place(world, pair, at, users)

    return drafted_or_filled


@functools.cache
def drafter_by(name: str) -> Callable[..., Any]:
    """Return `draft(world, pair, length, users)` for a method, which stores and returns the drafted count."""
    n_drafted = METHODS[name].n_drafted

    @kernel
    def draft(world, pair, length, users):
        drafted = n_drafted(world, pair, length, users) if world.rules[0].lists_end else length
        world.rules[0].n_drafted = drafted
        return drafted

    return draft


@functools.cache
def draft_length_by(name: str) -> Callable[..., Any]:
    """Return `draft_length(world, pair, users)` for a method, which returns the number of drafted places."""
    draft = drafter_by(name)

    @entry
    def draft_length(world, pair, users):
        return draft(world, pair, page_length(world, pair), users)

    return draft_length


@functools.cache
def outcome_by(name: str) -> Callable[..., Any]:
    """Return `outcome(world, first, second, users)` for a method, which plays a duel and returns the lead.

    The lead is positive if `first` earned more credit, negative if `second` did, and 0 for a tie.
    """
    method = METHODS[name]
    read, credit = reader(method.next_document, method.calls_python), method.credit
    draft, reads_ranks = drafter_by(name), method.reads_ranks

    @(entry if method.calls_python else kernel)
    def outcome(world, first, second, users):
        query = choose_query(world, users)
        pair = pair_on(world, query, first, second)
        fetch(world, pair, reads_ranks)
        forget_ties(world)
        length = draft(world, pair, page_length(world, pair), users)  # clicks below earn no credit
        n_read = read(world, pair, length, False, users)
        lead = credit(world, pair, n_read, users)
        return lead if first != second else 0.0  # a ranker against itself is a tie by definition

    return outcome


@functools.cache
def impression_by(name: str) -> Callable[..., Any]:
    """Return `impression(world, first, second, ideal, users)` for a method, which measures whole pages.

    `impression` returns the lead as `outcome` does, the number of clicks, and NDCG of the page. `ideal` is
    rankduel.letor_data.evaluation.gains.ideal_dcg at the length of the page. A query without a relevant
    document has NDCG 0.
    """
    method = METHODS[name]
    next_document = _drafted_or_filled(method.next_document, method.calls_python)
    read, credit = reader(next_document, method.calls_python), method.credit
    draft, reads_ranks = drafter_by(name), method.reads_ranks

    @(entry if method.calls_python else kernel)
    def impression(world, first, second, ideal, users):
        query = choose_query(world, users)
        pair = pair_on(world, query, first, second)
        fetch(world, pair, reads_ranks)
        forget_ties(world)
        length = page_length(world, pair)
        drafted = draft(world, pair, length, users)
        # The page is completed before `credit`, which may break ties anew. There are no clicks below the
        # document at which the user left, so the lead has the same law as in `outcome`.
        read(world, pair, length, True, users)
        n_clicks, gain = clicks_and_gain(world, pair.start, length)
        lead = credit(world, pair, drafted, users)
        return lead if first != second else 0.0, n_clicks, gain / ideal[query] if ideal[query] > 0.0 else 0.0

    return impression


@kernel
def clicks_and_gain(world, start, length):
    """Return (clicks, DCG) of the page (letor_data/evaluation/gains.py), and note its unjudged documents."""
    n_clicks, gain = 0, 0.0
    if len(world.unjudged) > 0:
        world.rules[0].n_unjudged = 0
        for at in range(length):
            world.rules[0].n_unjudged += world.unjudged[start + world.page[DOC, at]]
    for at in range(length):
        n_clicks += world.page[CLICKED, at]
        gain += (2.0 ** world.labels[start + world.page[DOC, at]] - 1.0) / np.log2(at + 2.0)
    return n_clicks, gain
