"""Exact probabilities to lose, tie and win a duel on one query, by method.

    team_draft            all pages at once, by the two-set lemma: O(k^2)
    balanced              its two pages, given the lowest click: O(k^3); credit="lerot" by click patterns
    document_constraints  its two pages, click pattern by click pattern
    optimized             every page of its plan, click pattern by click pattern
    probabilistic         given a drawn page: expected over assignments and clicks (Rao-Blackwell), or for
                          marginal credits on a page with many clickable ranks over a few drawn clicks;
                          if there are few documents, over all pages

Clicks below the drafted places of a page (rankduel.interleave.list_ends) earn no credit, so they are left
out.

If rankings are tied, the result is conditional on how `users` broke the ties. Average over draws, and test
with `is_exact` whether that is necessary.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from rankduel.base.compiling import entry, python_version
from rankduel.base.errors import InterleaveError
from rankduel.base.settings import Configured
from rankduel.interleave.duel import draft_length_by
from rankduel.interleave.exact import team_draft
from rankduel.interleave.exact.all_pages import all_pages_odds, credited_odds, has_patterns
from rankduel.interleave.exact.balanced import balanced_odds
from rankduel.interleave.exact.click_patterns import LONGEST, MOST_BITS, page_odds_by
from rankduel.interleave.exact.two_pages import two_pages_odds
from rankduel.interleave.methods import balanced, document_constraints, optimized, probabilistic
from rankduel.interleave.world import (
    BY_SHARE,
    DOC,
    FIRST,
    SECOND,
    Pair,
    World,
    document_at,
    forget_ties,
    pair_on,
)

FEW_DOCUMENTS = 6  # documents of a query up to which all pages of probabilistic interleave are enumerated
FEW_CLICKABLE = 6  # clickable ranks up to which all click patterns of a drawn page are enumerated


def query_odds(
    world: World,
    interleaving: Configured,
    query: int,
    first: int,
    second: int,
    users: np.random.Generator,
    all_patterns: bool = False,
) -> np.ndarray:
    """Return the (loss, tie, win) probabilities of `first` on one query.

    They are conditional on how `users` breaks ties, and for `probabilistic` with more than FEW_DOCUMENTS
    documents on one drawn page. Its marginal_sign and marginal_sampled credits depend on the whole set of
    clicks: if more than FEW_CLICKABLE ranks of a drawn page can be clicked, the mean over four drawn sets is
    returned, which is unbiased and far faster. `all_patterns` enumerates all sets in any case.
    """
    if interleaving.name not in _ODDS:
        raise InterleaveError(f"'{interleaving.name}' has no exact odds; simulate it")
    if first == second:
        return np.array([0.0, 1.0, 0.0])
    pair = Pair(*map(int, python_version(pair_on)(world, query, first, second)))
    forget_ties(world)
    if interleaving.name != "team_draft":  # its odds compute the drafted places themselves
        world.rules[0].n_drafted = _n_drafted(world, interleaving, pair, users)
    return _ODDS[interleaving.name](world, pair, LONGEST if all_patterns else FEW_CLICKABLE, users)


def _n_drafted(world: World, interleaving: Configured, pair: Pair, users: np.random.Generator) -> int:
    if not world.rules[0].lists_end:
        return min(world.user.shape[1], pair.n_docs)
    return int(draft_length_by(interleaving.name)(world, pair, users))


def mean_odds(
    world: World,
    interleaving: Configured,
    first: int,
    second: int,
    users: np.random.Generator,
    draws: int = 1,
    all_patterns: bool = False,
) -> np.ndarray:
    """Return the mean of `query_odds` over the queries, by their shares, and over draws."""
    shares = query_shares(world)
    total = np.zeros(3)
    for query in np.flatnonzero(shares).tolist():
        for _ in range(draws):
            odds = query_odds(world, interleaving, query, first, second, users, all_patterns)
            total += shares[query] / draws * odds
    return total


def query_shares(world: World) -> np.ndarray:
    """Return the share of duels that are played on each query."""
    n_queries = len(world.offsets) - 1
    if world.rules[0].query_choice == BY_SHARE:
        return np.diff(world.query_shares, prepend=0.0)
    return np.full(n_queries, 1 / n_queries)


def is_exact(world: World, interleaving: Configured, first: int, second: int) -> bool:
    """Return whether `mean_odds` draws no random numbers that matter: no page, assignment or tie."""
    if interleaving.name not in _ODDS:
        return False
    if first == second:
        return True
    if interleaving.name == "probabilistic" and (
        np.diff(world.offsets).max() > FEW_DOCUMENTS or interleaving.get("credit") == "marginal_sampled"
    ):
        return False
    # These methods do not compare ranks below the length of the page; the others do.
    shallow = interleaving.name in ("team_draft", "optimized") or interleaving.get("credit") == "joachims"
    ties = world.ties[[first, second]]
    return not (ties[:, _in_reach(world)] if shallow else ties).any()


def longest_exact_page(interleaving: Configured) -> int:
    """Return the number of documents up to which a page of the method has odds; 0 if it has none."""
    if interleaving.name not in _ODDS:
        return 0
    if interleaving.name == "team_draft":
        return team_draft.LONGEST
    by_rank = interleaving.name == "probabilistic" or interleaving.get("credit") == "joachims"
    return sys.maxsize if by_rank else LONGEST


def compiled_odds(interleaving: Configured) -> Callable[..., Any] | None:
    """Return `odds(world, pair, users)` as `query_odds` computes them, compiled; None if they need Python.

    Ties must be forgotten and Rules.n_drafted set. Those of `probabilistic` are for few documents.
    """
    credit = interleaving.get("credit")
    if interleaving.name == "balanced":
        return balanced_odds if credit == "joachims" else two_pages_odds(balanced.credit)
    if interleaving.name == "document_constraints":
        return two_pages_odds(document_constraints.credit)
    if interleaving.name == "probabilistic":
        return all_pages_odds(has_patterns(probabilistic.Credit[credit.upper()]))
    return None


def _in_reach(world: World) -> np.ndarray:
    """Return a mask of the ranks, over all queries, that are above the length of the page."""
    rank = np.arange(world.offsets[-1]) - np.repeat(world.offsets[:-1], np.diff(world.offsets))
    return rank < world.user.shape[1]


def _page_length(world: World, longest: int = LONGEST) -> int:
    """Return the number of drafted places; refuse more than `longest`."""
    length = int(world.rules[0].n_drafted)
    if length > longest:
        raise InterleaveError(f"exact odds are for pages of at most {longest} documents here, not {length}")
    return length


def _balanced_odds(world: World, pair: Pair, most: int, users: np.random.Generator) -> np.ndarray:
    if world.rules[0].credit == balanced.Credit.JOACHIMS:
        return balanced_odds(world, pair, users)
    _page_length(world)
    return two_pages_odds(balanced.credit)(world, pair, users)


def _document_constraints_odds(world: World, pair: Pair, most: int, users: np.random.Generator) -> np.ndarray:
    _page_length(world)
    return two_pages_odds(document_constraints.credit)(world, pair, users)


@entry
def _top(world, pair, side, length, users):
    """Return the documents that a side has at its first `length` ranks."""
    top = np.empty(length, np.int64)
    for rank in range(length):
        top[rank] = document_at(world, pair, side, rank, users)
    return top


def _team_draft_odds(world: World, pair: Pair, most: int, users: np.random.Generator) -> np.ndarray:
    world.rules[0].n_drafted = min(world.user.shape[1], pair.n_docs)
    length = _page_length(world, team_draft.LONGEST)
    left = _top(world, pair, FIRST, min(length, pair.n_first), users)
    right = _top(world, pair, SECOND, min(length, pair.n_second), users)
    grades = world.labels[pair.start : pair.start + pair.n_docs]
    return team_draft.team_draft_odds(left, right, grades, world.user, bool(world.rules[0].prefix))


def _optimized_odds(world: World, pair: Pair, most: int, users: np.random.Generator) -> np.ndarray:
    length = _page_length(world)
    if length == 0:
        return np.array([0.0, 1.0, 0.0])
    left = _top(world, pair, FIRST, length, users)
    right = _top(world, pair, SECOND, length, users)
    made = optimized.plan(tuple(left.tolist()), tuple(right.tolist()), int(world.rules[0].credit))
    odds = np.zeros(3)
    for page, chance, credits in zip(made.pages, made.chances, made.credits):
        world.page[DOC, : len(page)], world.chances[optimized.CREDITS, : len(page)] = page, credits
        odds += chance * page_odds_by(optimized.credit)(world, pair, len(page), LONGEST, users)
    return odds


def _probabilistic_odds(world: World, pair: Pair, most: int, users: np.random.Generator) -> np.ndarray:
    """Return odds over all pages if there are few documents, and otherwise given one drawn page."""
    length = int(world.rules[0].n_drafted)
    if pair.n_docs > FEW_DOCUMENTS:
        _draw_page(world, pair, length, users)
        return page_odds(world, pair, length, most, users)
    return all_pages_odds(has_patterns(world.rules[0].credit))(world, pair, users)


_ODDS: dict[str, Callable[..., np.ndarray]] = {
    "balanced": _balanced_odds,
    "team_draft": _team_draft_odds,
    "document_constraints": _document_constraints_odds,
    "probabilistic": _probabilistic_odds,
    "optimized": _optimized_odds,
}


@entry
def _draw_page(world, pair, length, users):
    for at in range(length):
        probabilistic.next_document(world, pair, at, users)


def page_odds(world: World, pair: Pair, length: int, most: int, users: np.random.Generator) -> np.ndarray:
    """Return the odds of the page in `world` for the credit of its rules, over assignments and clicks."""
    if not has_patterns(world.rules[0].credit):
        return credited_odds(world, pair, length, users)
    _page_length(world, LONGEST if most == LONGEST else MOST_BITS)
    return page_odds_by(probabilistic.marginal)(world, pair, length, most, users)
