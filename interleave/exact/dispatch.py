"""Exact chances to lose, tie and win a duel on one query, without simulating anybody.

    team_draft            all pages at once, by the two-set lemma: O(k^2)
    balanced              its two pages, by the last click: O(k^3); credit="lerot" by click patterns
    document_constraints  its two pages, click pattern by click pattern
    optimized             every page of its plan, click pattern by click pattern
    probabilistic         given a drawn page: coins and clicks integrated out (Rao-Blackwell), or for the
                          marginal credits on a page with many clickable ranks a few drawn clicks;
                          over all pages too where there are few documents

Clicks below the drafted places of a page (interleave.list_ends) count for neither, so these are left out.

Where rankings are tied, the result holds for the ties as `users` happened to break them: average over
draws, and say so (`is_exact`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from interleave.duel import draft_length_by
from interleave.exact import team_draft
from interleave.exact.balanced import balanced_odds
from interleave.exact.click_patterns import LONGEST, MOST_BITS, page_odds_by, pattern_chance
from interleave.exact.outcome_odds import TIE, credited_page_odds
from interleave.methods import balanced, document_constraints, optimized, probabilistic
from interleave.world import (
    BY_SHARE,
    DOC,
    FIRST,
    RANK,
    SECOND,
    Pair,
    World,
    document_at,
    forget_ties,
    pair_on,
    rank_of,
    rank_page,
)
from rankduel.base.compiling import entry, python_version
from rankduel.base.errors import InterleaveError
from rankduel.base.settings import Configured

FEW_DOCUMENTS = 6  # up to here all pages of probabilistic interleave are listed
FEW_CLICKABLE = 6  # up to here all click patterns of a drawn page are


def query_odds(
    world: World,
    interleaving: Configured,
    query: int,
    first: int,
    second: int,
    users: np.random.Generator,
    all_patterns: bool = False,
) -> np.ndarray:
    """(loss, tie, win) chances of `first` on one query.

    Given how `users` breaks the ties; for `probabilistic` with more than FEW_DOCUMENTS documents given one
    drawn page. Its marginal_sign and marginal_sampled credits depend on the whole set of clicks: where more
    than FEW_CLICKABLE ranks of a drawn page may be clicked, four drawn sets of clicks stand for all
    (splitting), which is just as right on average and far faster; `all_patterns` goes through all anyway.
    """
    if interleaving.name not in _ODDS:
        raise InterleaveError(f"'{interleaving.name}' has no exact odds; simulate it")
    if first == second:
        return np.array([0.0, 1.0, 0.0])
    pair = Pair(*map(int, python_version(pair_on)(world, query, first, second)))
    forget_ties(world)
    if interleaving.name != "team_draft":  # whose odds see where the lists end
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
    """The mean of `query_odds` over the queries, each as often as the world asks it, and over draws."""
    shares = query_shares(world)
    total = np.zeros(3)
    for query in np.flatnonzero(shares).tolist():
        for _ in range(draws):
            odds = query_odds(world, interleaving, query, first, second, users, all_patterns)
            total += shares[query] / draws * odds
    return total


def query_shares(world: World) -> np.ndarray:
    """How often each query is asked."""
    n_queries = len(world.offsets) - 1
    if world.rules[0].query_choice == BY_SHARE:
        return np.diff(world.query_shares, prepend=0.0)
    return np.full(n_queries, 1 / n_queries)


def is_exact(world: World, interleaving: Configured, first: int, second: int) -> bool:
    """Does `mean_odds` leave nothing to chance? No page or coin drawn, and no tie that could matter."""
    if interleaving.name not in _ODDS:
        return False
    if first == second:
        return True
    if interleaving.name == "probabilistic" and (
        np.diff(world.offsets).max() > FEW_DOCUMENTS or interleaving.get("credit") == "marginal_sampled"
    ):
        return False
    # To these all ranks below the page's reach are alike; the others compare them.
    shallow = interleaving.name in ("team_draft", "optimized") or interleaving.get("credit") == "joachims"
    ties = world.ties[[first, second]]
    return not (ties[:, _in_reach(world)] if shallow else ties).any()


def _in_reach(world: World) -> np.ndarray:
    """Which rows are ranks that a page can reach."""
    rank = np.arange(world.offsets[-1]) - np.repeat(world.offsets[:-1], np.diff(world.offsets))
    return rank < world.user.shape[1]


def _page_length(world: World, longest: int = LONGEST) -> int:
    """Return how many places are drafted; refuse more than are feasible."""
    length = int(world.rules[0].n_drafted)
    if length > longest:
        raise InterleaveError(f"exact odds are for pages of at most {longest} documents here, not {length}")
    return length


def _balanced_odds(world: World, pair: Pair, most: int, users: np.random.Generator) -> np.ndarray:
    if world.rules[0].credit == balanced.Credit.JOACHIMS:
        return balanced_odds(world, pair, users)
    return _two_pages_odds(world, pair, users, balanced.credit)


def _document_constraints_odds(world: World, pair: Pair, most: int, users: np.random.Generator) -> np.ndarray:
    return _two_pages_odds(world, pair, users, document_constraints.credit)


def _two_pages_odds(
    world: World, pair: Pair, users: np.random.Generator, credit: Callable[..., Any]
) -> np.ndarray:
    length = _page_length(world)
    odds = np.zeros(3)
    for leader in (FIRST, SECOND):
        _build_balanced(world, pair, leader, length, users)
        odds += page_odds_by(credit)(world, pair, length, LONGEST, users) / 2
    return odds


@entry
def _build_balanced(world, pair, leader, length, users):
    balanced.start(world, leader)
    for at in range(length):
        balanced.add_document(world, pair, at, users)


@entry
def _top(world, pair, side, length, users):
    """What a side has at its first ranks."""
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
    """Over all pages where there are few documents, over one drawn page otherwise."""
    length = int(world.rules[0].n_drafted)
    if pair.n_docs > FEW_DOCUMENTS:
        _draw_page(world, pair, length, users)
        return page_odds(world, pair, length, most, users)
    ranks = _all_ranks(world, pair, users)
    odds = np.zeros(3)
    for page in itertools.permutations(range(pair.n_docs), length):
        world.page[DOC, :length] = page
        world.page[RANK : RANK + 2, :length] = ranks[:, list(page)]
        chance = page_chance(world, pair, length)
        if chance > 0:
            odds += chance * page_odds(world, pair, length, LONGEST, users)
    return odds


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


@entry
def _all_ranks(world, pair, users):
    ranks = np.empty((2, pair.n_docs), np.int64)
    for side in (FIRST, SECOND):
        for doc in range(pair.n_docs):
            ranks[side, doc] = rank_of(world, pair, side, doc, users)
    return ranks


@entry
def page_chance(world, pair, length):
    """The chance that probabilistic interleave shows the page in `world`, whose ranks are known."""
    chance = 1.0
    for at in range(length):
        mean = 0.0
        for side in (FIRST, SECOND):
            weight = probabilistic.weight_at(world.weights, pair, side, world.page[RANK + side, at])
            mean += weight / probabilistic.rest(world, pair, side, at) / 2.0
        chance *= mean
    return chance


def page_odds(world: World, pair: Pair, length: int, most: int, users: np.random.Generator) -> np.ndarray:
    """The odds of the page in `world`: credit as the world's rules say, coins and clicks integrated out."""
    credit = world.rules[0].credit
    if credit in (probabilistic.Credit.MARGINAL_SIGN, probabilistic.Credit.MARGINAL_SAMPLED):
        _page_length(world, LONGEST if most == LONGEST else MOST_BITS)
        return page_odds_by(probabilistic.marginal)(world, pair, length, most, users)
    if (
        credit == probabilistic.Credit.MARGINAL_BERNOULLI and world.rules[0].redraw
    ):  # the coins thrown know no redraw
        rank_page(world, pair, length, users)
    probabilistic.posteriors(world, pair, length, 0.5)
    grades = world.labels[pair.start + world.page[DOC, :length]]
    odds = credited_page_odds(grades, world.chances[probabilistic.POSTERIOR, :length], world.user)
    if credit == probabilistic.Credit.MARGINAL_BERNOULLI:  # tied clicks are decided by a coin
        undecided = odds[TIE] - pattern_chance(world, pair, length, 0)
        odds += np.array([undecided / 2, -undecided, undecided / 2])
    return odds
