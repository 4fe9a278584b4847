"""Optimized multileaving: of some ways to mix many rankings, a fair and sensitive choice.

Schuth, Sietsma, Whiteson, Lefortier and de Rijke, "Multileaved Comparisons for Fast Online Evaluation", CIKM
2014. Pages are sampled: at each rank a random ranker appends its best document that is not there yet. A
document at rank r of a ranking is worth 1 / r to its ranker (`inverse`), or -r (`linear`); r is one more than
the page's length for all documents below. A linear programme finds the distribution over the sampled pages
under which down to every rank the documents are worth the same to all rankers, and under which the
rankers' gains, discounted by rank, vary least. Few pages are seldom enough for that: then the least
unfair distributions are taken instead. Of several such distributions, the one is taken that gives the page
sampled first the largest chance, then the second, and so on. A click earns every ranker the document's worth.

Lists that end: all rankings are cut to the length of the shortest one, and so are the pages that are sampled.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, NamedTuple

from interleave.multileave.contract import Multileaver
from interleave.multileave.fair_odds import solve
from interleave.multileave.world import NOBODY, clear_scores, document_at, prefer_by_difference
from interleave.world import CLICKED, DOC, RANK, TEAM
from rankduel.base.compiling import kernel
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


@kernel
def make_page(shared, panel, length, users):
    page, sampled = shared.world.page, shared.sampled
    _look_up_tops(shared, panel, length, users)
    n_pages = _sample_pages(shared, panel.n, length, users)
    _state_programme(shared, panel.n, n_pages, length)
    solve(shared.programme, n_pages, length * panel.n)
    chosen = _draw(shared.programme.chances, n_pages, users.random())
    for at in range(length):
        doc = sampled.pages[chosen, at]
        page[DOC, at], page[TEAM, at] = doc, NOBODY
        for seat in range(panel.n):
            page[RANK + seat, at] = sampled.ranks[doc, seat]


@kernel
def _look_up_tops(shared, panel, length, users):
    """The best documents of every seat, and their ranks; below the page's length all are equally far down."""
    tops, ranks = shared.sampled.tops, shared.sampled.ranks
    for doc in range(panel.n_docs):
        for seat in range(panel.n):
            ranks[doc, seat] = length
    for seat in range(panel.n):
        for rank in range(length):
            tops[seat, rank] = document_at(shared, panel, seat, rank, users)
            ranks[tops[seat, rank], seat] = rank


@kernel
def _sample_pages(shared, n, length, users):
    """Fill in different pages; returned is how many were found."""
    pages, n_pages = shared.sampled.pages, 0
    for _ in range(_PATIENCE * len(pages)):
        _sample_page(shared.sampled, n_pages, n, length, users)
        n_pages += _is_new(pages, n_pages, length)
        if n_pages == len(pages):
            break
    return n_pages


@kernel
def _sample_page(sampled, number, n, length, users):
    """At each rank a random ranker appends its best document that is not there yet."""
    for at in range(length):
        seat, rank = int(users.random() * n), 0
        while _is_above(sampled.pages, number, at, sampled.tops[seat, rank]):
            rank += 1
        sampled.pages[number, at] = sampled.tops[seat, rank]


@kernel
def _is_above(pages, number, at, doc):
    for above in range(at):
        if pages[number, above] == doc:
            return True
    return False


@kernel
def _is_new(pages, number, length):
    """Is this page different from all before it?"""
    for earlier in range(number):
        at = 0
        while at < length and pages[earlier, at] == pages[number, at]:
            at += 1
        if at == length:
            return False
    return True


@kernel
def _state_programme(shared, n, n_pages, length):
    """A page's residuals: down to every rank, how much more it is worth to a seat than to the average one.

    Its spread is the variance, times n, of the seats' gains discounted by rank.
    """
    sampled, table, gains = shared.sampled, shared.programme.table, shared.scores
    for number in range(n_pages):
        clear_scores(shared, n)
        for at in range(length):
            doc, here = sampled.pages[number, at], at * n
            for seat in range(n):
                worth = _worth(shared, sampled.ranks[doc, seat])
                gains[seat] += worth / (at + 1.0)
                table[number, here + seat] = worth + (table[number, here - n + seat] if at > 0 else 0.0)
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
    for seat in range(n):
        total += gains[seat]
    for seat in range(n):
        squares += (gains[seat] - total / n) ** 2
    return squares


@kernel
def _draw(chances, n_pages, number):
    """The page that a uniform number draws."""
    total = 0.0
    for page in range(n_pages - 1):
        total += chances[page]
        if number < total:
            return page
    return n_pages - 1


@kernel
def _worth(shared, rank):
    """Of a document to a ranker that has it at this rank."""
    return 1.0 / (rank + 1.0) if shared.world.rules[0].credit == Credit.INVERSE else -(rank + 1.0)


@kernel
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
)
