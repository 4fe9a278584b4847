"""Optimized multileaving: a fair and sensitive distribution over sampled pages.

Schuth, Sietsma, Whiteson, Lefortier and de Rijke, "Multileaved Comparisons for Fast Online Evaluation", CIKM
2014. Pages are sampled: at each rank a random ranker appends its best document that is not there yet. The
credit of a document at rank r of a ranking is 1 / r (`inverse`) or -r (`linear`); r is one more than the
length of the page for all documents below. A linear programme finds the distribution over the sampled pages
for which the expected credit of the documents down to every rank is the same for all rankers, and for which
the rankers' gains, discounted by rank, have the smallest variance. If no distribution is fair, as often with
few pages, the least unfair ones are used instead. Of several optima, the one is used that gives the page
sampled first the largest probability, then the second, and so on. A click credits every ranker with the
credit of the document.

Lists that end: all rankings and the sampled pages are cut to the length of the shortest ranking.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, NamedTuple

from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting
from rankduel.interleave.multileave.contract import Multileaver
from rankduel.interleave.multileave.fair_odds import solve
from rankduel.interleave.multileave.world import NO_TEAM, clear_scores, document_at, prefer_by_difference
from rankduel.interleave.world import CLICKED, DOC, RANK, TEAM


class Credit(IntEnum):
    """The credit of a click on a document, by its rank."""

    INVERSE = 0
    LINEAR = 1


_DRAWS_PER_PAGE = 10  # at most, since there may be fewer different pages than wanted


class Params(NamedTuple):
    credit: Annotated[Credit, Setting("credit of a click: by inverse ranks, or by ranks")] = Credit.INVERSE
    n_lists: Annotated[int, Setting("number of sampled pages", at_least=1, at_most=10_000)] = 10


@kernel
def make_page(shared, group, length, users):
    page, sampled = shared.world.page, shared.sampled
    _look_up_tops(shared, group, length, users)
    n_pages = _sample_pages(shared, group.n, length, users)
    _state_programme(shared, group.n, n_pages, length)
    solve(shared.programme, n_pages, length * group.n)
    chosen = _draw(shared.programme.chances, n_pages, users.random())
    for at in range(length):
        doc = sampled.pages[chosen, at]
        page[DOC, at], page[TEAM, at] = doc, NO_TEAM
        for side in range(group.n):
            page[RANK + side, at] = sampled.ranks[doc, side]


@kernel
def _look_up_tops(shared, group, length, users):
    """Store the top documents of every side, and their ranks; documents below have rank `length`."""
    tops, ranks = shared.sampled.tops, shared.sampled.ranks
    for doc in range(group.n_docs):
        for side in range(group.n):
            ranks[doc, side] = length
    for side in range(group.n):
        for rank in range(length):
            tops[side, rank] = document_at(shared, group, side, rank, users)
            ranks[tops[side, rank], side] = rank


@kernel
def _sample_pages(shared, n, length, users):
    """Sample different pages, and return their number."""
    pages, n_pages = shared.sampled.pages, 0
    for _ in range(_DRAWS_PER_PAGE * len(pages)):
        _sample_page(shared.sampled, n_pages, n, length, users)
        n_pages += _is_new(pages, n_pages, length)
        if n_pages == len(pages):
            break
    return n_pages


@kernel
def _sample_page(sampled, number, n, length, users):
    """Sample a page: at each rank a random side appends its best document that is not there yet."""
    for at in range(length):
        side, rank = int(users.random() * n), 0
        while _is_above(sampled.pages, number, at, sampled.tops[side, rank]):
            rank += 1
        sampled.pages[number, at] = sampled.tops[side, rank]


@kernel
def _is_above(pages, number, at, doc):
    for above in range(at):
        if pages[number, above] == doc:
            return True
    return False


@kernel
def _is_new(pages, number, length):
    """Return whether a page differs from all pages before it."""
    for earlier in range(number):
        at = 0
        while at < length and pages[earlier, at] == pages[number, at]:
            at += 1
        if at == length:
            return False
    return True


@kernel
def _state_programme(shared, n, n_pages, length):
    """Store the residuals of all pages: the credit down to every rank, minus its mean over the sides.

    The spread of a page is n times the variance of the sides' gains discounted by rank.
    """
    sampled, table, gains = shared.sampled, shared.programme.table, shared.scores
    for number in range(n_pages):
        clear_scores(shared, n)
        for at in range(length):
            doc, here = sampled.pages[number, at], at * n
            for side in range(n):
                worth = _worth(shared, sampled.ranks[doc, side])
                gains[side] += worth / (at + 1.0)
                table[number, here + side] = worth + (table[number, here - n + side] if at > 0 else 0.0)
        for at in range(length):
            _centre(table, number, at * n, n)
        table[number, length * n + 1] = _spread(gains, n)


@kernel
def _centre(table, number, start, n):
    total = 0.0
    for at in range(start, start + n):
        total += table[number, at]
    for at in range(start, start + n):
        table[number, at] -= total / n


@kernel
def _spread(gains, n):
    total, squares = 0.0, 0.0
    for side in range(n):
        total += gains[side]
    for side in range(n):
        squares += (gains[side] - total / n) ** 2
    return squares


@kernel
def _draw(chances, n_pages, number):
    """Return the page that a uniform number draws."""
    total = 0.0
    for page in range(n_pages - 1):
        total += chances[page]
        if number < total:
            return page
    return n_pages - 1


@kernel
def _worth(shared, rank):
    """Return the credit of a document for a ranker that has it at `rank`."""
    return 1.0 / (rank + 1.0) if shared.world.rules[0].credit == Credit.INVERSE else -(rank + 1.0)


@kernel
def prefer(shared, group, length, preferences, users):
    page = shared.world.page
    clear_scores(shared, group.n)
    for at in range(length):
        if page[CLICKED, at]:
            for side in range(group.n):
                shared.scores[side] += _worth(shared, page[RANK + side, at])
    prefer_by_difference(shared.scores, group.n, preferences)


METHOD = Multileaver(
    "optimized",
    "the fairest distribution over sampled pages, and of these the one of least variance",
    "Schuth et al., CIKM 2014",
    make_page,
    prefer,
    Params,
)
