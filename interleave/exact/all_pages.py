"""Exact odds of probabilistic interleaving on a query of few documents, over all pages that it may show."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from rankduel.base.compiling import entry, kernel
from rankduel.interleave.exact.click_patterns import LONGEST, page_odds_by, pattern_chance
from rankduel.interleave.exact.outcome_odds import LOSS, TIE, WIN, credited_page_odds
from rankduel.interleave.methods import probabilistic
from rankduel.interleave.world import DOC, FIRST, RANK, SECOND, is_shown, rank_of, rank_page


def has_patterns(credit: int) -> bool:
    """Return whether a rule of credit depends on the whole set of clicks."""
    return credit in (probabilistic.Credit.MARGINAL_SIGN, probabilistic.Credit.MARGINAL_SAMPLED)


@functools.cache
def all_pages_odds(by_pattern: bool) -> Callable[..., Any]:
    """Return `odds(world, pair, users)`: those over all pages of the drafted places.

    `by_pattern` says whether the rule of credit depends on the whole set of clicks. Ties are broken as
    `users` draws them. The time grows as the number of pages.
    """
    page_odds = _patterns_odds if by_pattern else credited_odds

    @entry
    def odds_over_pages(world, pair, users):
        length = world.rules[0].n_drafted
        ranks = _all_ranks(world, pair, users)
        odds, more = np.zeros(3), True
        _fill_up(world, 0, length)
        while more:
            _note_ranks(world, ranks, length)
            chance = page_chance(world, pair, length)
            if chance > 0.0:
                odds += chance * page_odds(world, pair, length, users)
            more = _next_page(world, pair.n_docs, length)
        return odds

    return odds_over_pages


@entry
def _all_ranks(world, pair, users):
    ranks = np.empty((2, pair.n_docs), np.int64)
    for side in (FIRST, SECOND):
        for doc in range(pair.n_docs):
            ranks[side, doc] = rank_of(world, pair, side, doc, users)
    return ranks


@kernel
def _note_ranks(world, ranks, length):
    for at in range(length):
        for side in (FIRST, SECOND):
            world.page[RANK + side, at] = ranks[side, world.page[DOC, at]]


@kernel
def _next_page(world, n_docs, length):
    """Turn the page into the next one in lexicographic order; return False if it is the last."""
    for at in range(length - 1, -1, -1):
        doc = _next_document(world, at, world.page[DOC, at] + 1)
        if doc < n_docs:
            world.page[DOC, at] = doc
            _fill_up(world, at + 1, length)
            return True
    return False


@kernel
def _fill_up(world, start, length):
    """Show at every rank from `start` on the first document that is not above it."""
    for at in range(start, length):
        world.page[DOC, at] = _next_document(world, at, 0)


@kernel
def _next_document(world, at, doc):
    """Return the first document from number `doc` on that is not above rank `at`."""
    while is_shown(world, at, doc):
        doc += 1
    return doc


@kernel
def page_chance(world, pair, length):
    """Return the probability of the page in `world`, whose ranks are filled in."""
    chance = 1.0
    for at in range(length):
        mean = 0.0
        for side in (FIRST, SECOND):
            weight = probabilistic.weight_at(world.weights, pair, world.page[RANK + side, at])
            mean += weight / probabilistic.rest(world, pair, side, at) / 2.0
        chance *= mean
    return chance


_marginal_odds = page_odds_by(probabilistic.marginal)


@entry
def _patterns_odds(world, pair, length, users):
    """Return the odds of the page in `world`, over all patterns of clicks."""
    return _marginal_odds(world, pair, length, LONGEST, users)


@entry
def credited_odds(world, pair, length, users):
    """Return the odds of the page in `world`, for a rule that credits every click by itself.

    Assignments and clicks are integrated out.
    """
    bernoulli = world.rules[0].credit == probabilistic.Credit.MARGINAL_BERNOULLI
    if bernoulli and world.rules[0].redraw:  # credit by assignment does not depend on a redraw
        rank_page(world, pair, length, users)
    probabilistic.posteriors(world, pair, length, 0.5)
    grades = np.empty(length, np.int64)
    for at in range(length):
        grades[at] = world.labels[pair.start + world.page[DOC, at]]
    odds = credited_page_odds(grades, world.chances[probabilistic.POSTERIOR, :length], world.user)
    if bernoulli:  # a tie with clicks has a random winner; only a page without clicks remains a tie
        undecided = odds[TIE] - pattern_chance(world, pair, length, 0)
        odds[LOSS] += undecided / 2.0
        odds[TIE] -= undecided
        odds[WIN] += undecided / 2.0
    return odds
