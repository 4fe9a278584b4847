"""Pairwise preference multileaving (PPM): clicks imply preferences between documents, which score rankers.

Oosterhuis and de Rijke, "Sensitive and Scalable Online Evaluation with Theoretical Guarantees", CIKM 2017.
Place t of the page is filled uniformly from the documents that some ranking has in its top t and that are not
shown yet. A clicked document is preferred to one that the user considered and did not click. Such a pair
counts if both documents could have been at either place. Its weight is the inverse probability that neither
was shown before the other was a candidate. The weight is added to the score of every ranker that agrees with
the pair and subtracted from that of the others.

Scores are sums over the pairs, as in the public implementation mpkato/interleaving, whose scores these are
with considered="strict". The authors' code (HarrieO/PairwisePreferenceMultileave) adds weights of agreeing
pairs only, and divides by the number n of pairs that count: of a page of n pairs, preferences here are 2 n
times theirs. The sum is what the paper's guarantee holds for: the weights make the mean score 0 for users who
ignore relevance. After the division, by a number that differs from page to page, the mean is not 0.

Documents down to one below the last click are considered (`last_plus_one`, as in the authors' code), or for
each click those above it and the one below (`strict`).

Lists that end: as many places are drafted as the shortest list has documents. A ranker has a document that it
lists above one that it does not, and neither gains nor loses by two documents that it does not list. For
users who ignore relevance two documents that can stand at either of two places change places with the same
chance, so every ranker scores 0 on average.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting
from rankduel.interleave.methods.probabilistic import last_click
from rankduel.interleave.multileave.contract import Multileaver
from rankduel.interleave.multileave.world import (
    NO_TEAM,
    clear_scores,
    document_at,
    order_page,
    prefer_by_difference,
)
from rankduel.interleave.world import CLICKED, DOC, RANK, TEAM


class Considered(IntEnum):
    """Which documents the user is taken to have considered."""

    LAST_PLUS_ONE = 0
    STRICT = 1


class Params(NamedTuple):
    considered: Annotated[
        Considered, Setting("unclicked documents that were seen: to one below the last click, or strictly")
    ] = Considered.LAST_PLUS_ONE


@kernel
def make_page(shared, group, length, users):
    page, waiting, tops = shared.world.page, shared.waiting, shared.tops
    for doc in range(group.n_docs):
        tops[doc] = 0
    n_waiting = 0
    for place in range(1, length + 1):
        for side in range(group.n):
            doc = document_at(shared, group, side, place - 1, users)
            if tops[doc] == 0:
                tops[doc] = place
                waiting[n_waiting] = doc
                n_waiting += 1
        shared.choices[place] = n_waiting
        chosen = int(users.random() * n_waiting)
        page[DOC, place - 1], page[TEAM, place - 1] = waiting[chosen], NO_TEAM
        n_waiting -= 1
        waiting[chosen] = waiting[n_waiting]


@kernel
def prefer(shared, group, length, preferences, users):
    page = shared.world.page
    n_considered = min(last_click(shared.world, length) + 1, length)
    order_page(shared, group, n_considered, users)
    clear_scores(shared, group.n)
    for liked in range(n_considered):
        if page[CLICKED, liked]:
            depth = (
                n_considered
                if shared.world.rules[0].considered == Considered.LAST_PLUS_ONE
                else min(liked + 2, length)
            )
            for other in range(depth):
                if not page[CLICKED, other]:
                    _judge_pair(shared, group.n, liked, other)
    prefer_by_difference(shared.scores, group.n, preferences)


@kernel
def _judge_pair(shared, n, liked, other):
    """Update all scores by the order in which sides have the documents at places `liked` and `other`."""
    page, tops = shared.world.page, shared.tops
    top, other_top = tops[page[DOC, liked]], tops[page[DOC, other]]
    if min(liked, other) + 1 < max(top, other_top):
        return  # one of the documents was no candidate for the upper place
    chance = 1.0
    for place in range(min(top, other_top), max(top, other_top)):
        chance *= 1.0 - 1.0 / shared.choices[place]
    for side in range(n):
        if page[RANK + side, liked] != page[RANK + side, other]:  # equal if the side lists neither
            agrees = page[RANK + side, liked] < page[RANK + side, other]
            shared.scores[side] += 1.0 / chance if agrees else -1.0 / chance


METHOD = Multileaver(
    "pairwise",
    "uniform choice among the tops; clicks imply document preferences, which score rankers",
    "Oosterhuis and de Rijke, CIKM 2017",
    make_page,
    prefer,
    Params,
)
