"""Optimized multileaving: of some ways to mix many rankings, a fair and sensitive choice.

Schuth, Sietsma, Whiteson, Lefortier and de Rijke, "Multileaved Comparisons for Fast Online Evaluation", CIKM
2014. Pages are sampled: at each rank a random ranker appends its best document that is not there yet. A
document at rank r of a ranking is worth 1 / r to its ranker (`inverse`), or -r (`linear`); r is one more than
the page's length for all documents below. A linear programme (HiGHS) finds the distribution over the sampled
pages under which down to every rank the documents are worth the same to all rankers, and under which the
rankers' gains, discounted by rank, vary least. Few pages are seldom enough for that: then the least
unfair distributions are taken instead. A click earns every ranker the document's worth.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np
from numba import njit, objmode

from interleave.methods.optimized import solve_fair_page_odds
from interleave.multileave.contract import Multileaver
from interleave.multileave.world import NOBODY, clear_scores, document_at, prefer_by_difference
from interleave.world import CLICKED, DOC, RANK, TEAM
from rankduel.base.settings import Setting


class Credit(IntEnum):
    """What a click on a document is worth, by its rank."""

    INVERSE = 0
    LINEAR = 1


_PATIENCE = 10  # draws per page wanted: there may not be so many different ones


class Params(NamedTuple):
    credit: Annotated[Credit, Setting("what a click is worth: by inverse ranks, or by ranks")] = (
        Credit.INVERSE
    )
    n_lists: Annotated[int, Setting("pages sampled to choose from", at_least=1, at_most=10_000)] = 10


def plan(worth: np.ndarray) -> tuple[np.ndarray, float]:
    """(chance of each page, unfairness); `worth[page, at, ranker]` is a document's to a ranker."""
    n_pages, length, _ = worth.shape
    down_to = worth.cumsum(axis=1)
    unfair = down_to - down_to.mean(axis=2, keepdims=True)
    gains = (worth / np.arange(1, length + 1)[:, None]).sum(axis=1)
    spread = ((gains - gains.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return solve_fair_page_odds(unfair.reshape(n_pages, -1), -spread)


def draw_page(worth: np.ndarray, number: float) -> int:
    """The page that a uniform number draws from the plan."""
    chances, _ = plan(worth)
    return min(int(np.searchsorted(np.cumsum(chances), number, "right")), len(chances) - 1)


@njit
def make_page(shared, panel, length, users):
    page, n = shared.world.page, panel.n
    # ranks[doc, seat]: where a seat has the document; all below the page's length are equally far down
    ranks = np.empty((panel.n_docs, n), np.int64)
    tops = np.empty((n, length), np.int64)
    for doc in range(panel.n_docs):
        for seat in range(n):
            ranks[doc, seat] = length
    for seat in range(n):
        for rank in range(length):
            tops[seat, rank] = document_at(shared, panel, seat, rank, users)
            ranks[tops[seat, rank], seat] = rank
    pages = np.empty((shared.world.rules[0].n_lists, length), np.int64)
    n_pages = _sample_pages(pages, tops, users)
    worth = np.empty((n_pages, length, n))
    for i in range(n_pages):
        for at in range(length):
            for seat in range(n):
                worth[i, at, seat] = _worth(shared, ranks[pages[i, at], seat])
    number = users.random()
    with objmode(chosen="int64"):
        chosen = draw_page(worth, number)
    for at in range(length):
        page[DOC, at], page[TEAM, at] = pages[chosen, at], NOBODY
        for seat in range(n):
            page[RANK + seat, at] = ranks[pages[chosen, at], seat]


@njit
def _sample_pages(pages, tops, users):
    """Fill in different pages; returned is how many were found."""
    n_pages = 0
    for _ in range(_PATIENCE * len(pages)):
        _sample_page(pages[n_pages], tops, users)
        is_new = True
        for earlier in range(n_pages):
            is_new &= not _are_equal(pages[earlier], pages[n_pages])
        n_pages += is_new
        if n_pages == len(pages):
            break
    return n_pages


@njit
def _sample_page(page, tops, users):
    """At each rank a random ranker appends its best document that is not there yet."""
    for at in range(len(page)):
        seat, rank = int(users.random() * len(tops)), 0
        while _is_above(page, at, tops[seat, rank]):
            rank += 1
        page[at] = tops[seat, rank]


@njit
def _is_above(page, at, doc):
    for above in range(at):
        if page[above] == doc:
            return True
    return False


@njit
def _are_equal(page, other):
    for at in range(len(page)):
        if page[at] != other[at]:
            return False
    return True


@njit
def _worth(shared, rank):
    """Of a document to a ranker that has it at this rank."""
    return 1.0 / (rank + 1.0) if shared.world.rules[0].credit == Credit.INVERSE else -(rank + 1.0)


@njit
def prefer(shared, panel, length, preferences, users):
    page = shared.world.page
    clear_scores(shared, panel.n)
    for at in range(length):
        if page[CLICKED, at]:
            for seat in range(panel.n):
                shared.scores[seat] += _worth(shared, page[RANK + seat, at])
    prefer_by_difference(shared.scores, panel.n, preferences)


METHOD = Multileaver(
    "optimized",
    "of sampled pages, the fairest and then the most even distribution",
    "Schuth et al., CIKM 2014",
    make_page,
    prefer,
    Params,
    calls_python=True,
)
