"""The world of a page that many rankers share.

A shared world is a world (`rankduel.interleave.world`) with as many sides as rankers on the page: `page` and
`settled` have a row for every side. Ties are broken lazily, as in a duel, and stay the same from the making
of a page to the credit for its clicks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankduel.base.compiling import kernel, record
from rankduel.base.errors import InterleaveError
from rankduel.base.settings import Configured
from rankduel.clickmodels.tables import ClickModel
from rankduel.interleave.catalogue import interleaving
from rankduel.interleave.multileave.fair_odds import Programme, workspace_for
from rankduel.interleave.world import (
    CLICKED,
    DOC,
    RANK,
    Pair,
    World,
    fetch_block,
    forget_side,
    make_world,
    rank_weights,
    rules_of,
)
from rankduel.interleave.world import document_at as document_on_side
from rankduel.interleave.world import rank_of as rank_on_side
from rankduel.letor_data.blocks import RANKS, TIED_WITH, entry_of, length_of
from rankduel.letor_data.evaluation.gains import ideal_dcg
from rankduel.letor_data.rankings import Rankings

NO_TEAM = -1  # in page[TEAM]: no ranker picked the document
TIED = 1e-12  # scores and degrees this close are equal
_AHEAD = 6  # sides whose blocks are prefetched


class SharedWorld(NamedTuple):
    """A world and workspace for pages of up to K rankers; made by `make_shared_world`.

    One per thread: every impression overwrites the page. K is the number of all rankers.
    """

    world: World
    ideal: np.ndarray  # (n_queries,) float64: the largest DCG of each query
    round: np.ndarray  # (K,) int64: the sides, those that have picked in this round first
    heads: np.ndarray  # (K,) int64: the next rank that each side picks from
    scores: np.ndarray  # (K,) float64: credit of each side
    shares: np.ndarray  # (length, K) float64: probability that a side contributed each document
    odds: np.ndarray  # (2 * length + 3, K) float64: distributions of the leads in clicks over one side
    waiting: np.ndarray  # (longest query,) int64: candidates for the next place
    tops: (
        np.ndarray
    )  # (longest query,) int64: the best rank of each document on any ranking, from 1; 0: none yet
    choices: np.ndarray  # (length + 1,) int64: number of candidates for each place
    sampled: SampledPages
    programme: Programme  # over the sampled pages


class SampledPages(NamedTuple):
    """Sampled pages, for methods that choose among them; empty for others."""

    pages: np.ndarray  # (n_lists, length) int64
    tops: np.ndarray  # (K, length) int64: the best documents of each side
    ranks: np.ndarray  # (longest query, K) int64: rank of each document on each side


class Group(NamedTuple):
    """The rankers that share a page, on one query; made by `group_on`."""

    rankers: np.ndarray  # int64; side s is ranker rankers[s]
    n: int  # number of sides
    start: int  # first row of the query
    n_docs: int
    block: int  # start of the query's block among the blocks of a ranker
    row_bytes: int  # size of all blocks of a ranker


@kernel
def group_on(world, query, rankers, n):
    """Return rankers[:n] on a query."""
    start = world.offsets[query]
    n_docs = world.offsets[query + 1] - start
    return Group(rankers, n, start, n_docs, world.block_starts[query], world.block_starts[-1])


@kernel
def document_at(shared, group, side, rank, users):
    """Return the document that a side has at `rank` in this impression."""
    return document_on_side(shared.world, as_pair(group, side, group.n_docs), side, rank, users)


@kernel
def rank_of(shared, group, side, doc, users):
    """Return the rank of `doc` on a side in this impression."""
    return rank_on_side(shared.world, as_pair(group, side, group.n_docs), side, doc, users)


@kernel
def as_pair(group, side, n_own):
    """Return the ranker of a side, which lists `n_own` documents, as both sides of a pair."""
    block = block_of(group, side)
    return Pair(block, block, group.start, group.n_docs, n_own, n_own)


@kernel
def block_of(group, side):
    """Return the start of the block of a side's ranker."""
    return group.rankers[side] * group.row_bytes + group.block


@kernel
def n_listed(shared, group, side):
    """Return the number of documents that a side lists, at its first ranks."""
    if not shared.world.rules[0].lists_end:
        return group.n_docs
    return length_of(shared.world.blocks, block_of(group, side), group.n_docs)


@kernel
def forget_ties(shared, n):
    """Discard how ties were broken."""
    for side in range(n):
        forget_side(shared.world.settled, side)


@kernel
def rank_page(shared, group, n_shown, users):
    """Store the ranks of the first documents of the page on every side; `n_docs` if not listed."""
    page = shared.world.page
    for side in range(group.n):
        n_own = n_listed(shared, group, side)
        if side + _AHEAD < group.n:
            fetch_block(shared.world, block_of(group, side + _AHEAD), group.n_docs)
        for at in range(n_shown):
            rank = rank_of(shared, group, side, page[DOC, at], users)
            page[RANK + side, at] = rank if rank < n_own else group.n_docs


@kernel
def order_page(shared, group, n_shown, users):
    """Store ranks as `rank_page` does, for credit that compares documents with clicked ones only.

    Ties between documents without a click, which are most ties, are not broken.
    """
    world = shared.world
    for side in range(group.n):
        block = block_of(group, side)
        n_own = n_listed(shared, group, side)
        for at in range(n_shown):
            rank = entry_of(world.blocks, block, group.n_docs, RANKS, world.page[DOC, at])
            world.page[RANK + side, at] = rank if rank < n_own else group.n_docs
        for at in range(n_shown):
            if world.page[CLICKED, at] and world.page[RANK + side, at] < n_own:
                _break_ties_with(shared, group, side, at, n_shown, users)


@kernel
def _break_ties_with(shared, group, side, at, n_shown, users):
    """Break the ties between the document at place `at` and other documents of the page, on one side."""
    page, blocks, block = shared.world.page, shared.world.blocks, block_of(group, side)
    first = entry_of(blocks, block, group.n_docs, RANKS, page[DOC, at])
    last = first + entry_of(blocks, block, group.n_docs, TIED_WITH, first)
    if first < last:
        for other in range(n_shown):
            if first <= page[RANK + side, other] <= last:
                page[RANK + side, other] = rank_of(shared, group, side, page[DOC, other], users)


@kernel
def next_in_round(sides, n, picks, users):
    """Return the side that picks next after `picks` picks. In every round all sides pick, in random order."""
    if picks == 0:
        for side in range(n):
            sides[side] = side
    done = picks % n
    chosen = done + int(users.random() * (n - done))
    sides[done], sides[chosen] = sides[chosen], sides[done]
    return sides[done]


@kernel
def clear_scores(shared, n):
    for side in range(n):
        shared.scores[side] = 0.0


@kernel
def clear(preferences, n):
    for x in range(n):
        for y in range(n):
            preferences[x, y] = 0.0


@kernel
def prefer_higher(scores, n, preferences):
    """Set preferences to the sign of the difference of scores."""
    for x in range(n):
        for y in range(n):
            lead = scores[x] - scores[y]
            preferences[x, y] = (1.0 if lead > TIED else 0.0) - (1.0 if lead < -TIED else 0.0)


@kernel
def prefer_by_difference(scores, n, preferences):
    """Set preferences to the difference of scores."""
    for x in range(n):
        for y in range(n):
            lead = scores[x] - scores[y]
            preferences[x, y] = lead if abs(lead) > TIED else 0.0


def make_shared_world(
    rankings: Rankings,
    labels: np.ndarray,
    model: ClickModel | Configured,
    multileaving: Configured,
    length: int = 10,
    ties: str = "random_impression",
    queries: str | np.ndarray = "uniform",
    seed: int = 0,
    *,
    unjudged: np.ndarray | None = None,
) -> SharedWorld:
    """Return the world of multileaved impressions; parameters as in `make_world` of duels."""
    if ties == "random_impression_redraw":
        raise InterleaveError(
            f"multileaving credits the rankings that made the page, and ties='{ties}' would break ties anew; "
            "choose another way to break ties, such as 'random_impression'"
        )
    # A world for duels, in which the rules and weights of the method are replaced.
    world = make_world(
        rankings,
        labels,
        model,
        interleaving("team_draft"),
        length=length,
        ties=ties,
        queries=queries,
        seed=seed,
        unjudged=unjudged,
    )
    longest = int(np.diff(world.offsets).max())
    weights = rank_weights(longest, multileaving.get("tau", 1.0))
    kept = {field: int(world.rules[0][field]) for field in ("query_choice", "lists_end")}
    rules = rules_of(multileaving)._replace(**kept)
    world = world._replace(rules=record(rules), weights=weights)
    return _with_workspace(world, ideal_dcg(world.labels, world.offsets, length))


def for_another_thread(shared: SharedWorld) -> SharedWorld:
    """Return a copy of the shared world with its own page; rankings and labels are shared."""
    return _with_workspace(shared.world._replace(rules=shared.world.rules.copy()), shared.ideal)


def _with_workspace(world: World, ideal: np.ndarray) -> SharedWorld:
    """Return a shared world with workspace for a page of all rankers."""
    n_rankers, length, longest = len(world.order), world.user.shape[1], world.weights.shape[1]
    room: dict[str, Any] = {
        "page": np.zeros((RANK + n_rankers, length + 2), np.int64),
        "settled": np.zeros((n_rankers, *world.settled.shape[1:]), np.int64),
    }
    return SharedWorld(
        world=world._replace(**room),
        ideal=ideal,
        round=np.zeros(n_rankers, np.int64),
        heads=np.zeros(n_rankers, np.int64),
        scores=np.zeros(n_rankers),
        shares=np.zeros((length, n_rankers)),
        odds=np.zeros((2 * length + 3, n_rankers)),
        waiting=np.zeros(longest, np.int64),
        tops=np.zeros(longest, np.int64),
        choices=np.zeros(length + 1, np.int64),
        **_room_for_samples(int(world.rules[0].n_lists), n_rankers, length, longest),
    )


def _room_for_samples(n_lists: int, n_rankers: int, length: int, longest: int) -> dict[str, Any]:
    if n_lists == 0:
        n_rankers = length = longest = 0
    sampled = SampledPages(
        pages=np.zeros((n_lists, length), np.int64),
        tops=np.zeros((n_rankers, length), np.int64),
        ranks=np.zeros((longest, n_rankers), np.int64),
    )
    return {"sampled": sampled, "programme": workspace_for(n_lists, length * n_rankers)}
