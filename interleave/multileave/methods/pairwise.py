"""Pairwise preference multileaving (PPM): clicks prefer documents, and documents prefer rankers.

Oosterhuis and de Rijke, "Sensitive and Scalable Online Evaluation with Theoretical Guarantees", CIKM 2017.
Place t of the page is filled uniformly from the documents that some ranking has in its top t and that are not
shown yet. A clicked document is preferred to one that the user considered and did not click. Such a pair
counts if both documents could have stood at either place, weighed by the inverse chance that neither was
shown before the other could be; every ranker gains the weight if it agrees on the pair, else it loses it.

Considered is all down to one document below the last click (`last_plus_one`, as the authors' code has it),
or for each click only what is above it and one below (`strict`).

Lists that end: as many places are drafted as the shortest list has documents. A ranker has a document that it
lists above one that it does not, and neither gains nor loses by two documents that it does not list. For
users who ignore relevance two documents that can stand at either of two places change places with the same
chance, so every ranker scores 0 on average.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from interleave.methods.probabilistic import last_click
from interleave.multileave.contract import Multileaver
from interleave.multileave.world import (
    NOBODY,
    clear_scores,
    document_at,
    order_page,
    prefer_by_difference,
)
from interleave.world import CLICKED, DOC, RANK, TEAM
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting


class Considered(IntEnum):
    """Which documents count as seen without a click."""

    LAST_PLUS_ONE = 0
    STRICT = 1


class Params(NamedTuple):
    considered: Annotated[
        Considered, Setting("unclicked documents that were seen: to one below the last click, or strictly")
    ] = Considered.LAST_PLUS_ONE


@kernel
def make_page(shared, panel, length, users):
    page, waiting, tops = shared.world.page, shared.waiting, shared.tops
    for doc in range(panel.n_docs):
        tops[doc] = 0
    n_waiting = 0
    for place in range(1, length + 1):
        for seat in range(panel.n):
            doc = document_at(shared, panel, seat, place - 1, users)
            if tops[doc] == 0:
                tops[doc] = place
                waiting[n_waiting] = doc
                n_waiting += 1
        shared.choices[place] = n_waiting
        chosen = int(users.random() * n_waiting)
        page[DOC, place - 1], page[TEAM, place - 1] = waiting[chosen], NOBODY
        n_waiting -= 1
        waiting[chosen] = waiting[n_waiting]


@kernel
def prefer(shared, panel, length, preferences, users):
    page = shared.world.page
    n_considered = min(last_click(shared.world, length) + 1, length)
    order_page(shared, panel, n_considered, users)
    clear_scores(shared, panel.n)
    for liked in range(n_considered):
        if page[CLICKED, liked]:
            depth = (
                n_considered
                if shared.world.rules[0].considered == Considered.LAST_PLUS_ONE
                else min(liked + 2, length)
            )
            for other in range(depth):
                if not page[CLICKED, other]:
                    _judge_pair(shared, panel.n, liked, other)
    prefer_by_difference(shared.scores, panel.n, preferences)


@kernel
def _judge_pair(shared, n, liked, other):
    """Score all seats by the order in which they have a clicked document and another one."""
    page, tops = shared.world.page, shared.tops
    top, other_top = tops[page[DOC, liked]], tops[page[DOC, other]]
    if min(liked, other) + 1 < max(top, other_top):
        return  # the upper one stands where the lower one could not have stood
    chance = 1.0
    for place in range(min(top, other_top), max(top, other_top)):
        chance *= 1.0 - 1.0 / shared.choices[place]
    for seat in range(n):
        if page[RANK + seat, liked] != page[RANK + seat, other]:  # otherwise it lists neither
            agrees = page[RANK + seat, liked] < page[RANK + seat, other]
            shared.scores[seat] += 1.0 / chance if agrees else -1.0 / chance


METHOD = Multileaver(
    "pairwise",
    "uniform choice among the tops; clicks prefer documents, and these their rankers",
    "Oosterhuis and de Rijke, CIKM 2017",
    make_page,
    prefer,
    Params,
)
