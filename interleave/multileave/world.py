"""The world of a page that many rankers share: a seat for each of them, and room for what they earn.

A shared world is a world (`interleave.world`) with as many sides as rankers: its page has a row of ranks for
every seat, and its settled ties a layer. So ties are settled as in a duel, only when somebody looks, and stay
as they are from the making of the page to the credit for its clicks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clickmodels.tables import ClickModel
from interleave.catalogue import interleaving
from interleave.multileave.fair_odds import Programme, room_for
from interleave.world import (
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
from interleave.world import document_at as document_on_side
from interleave.world import rank_of as rank_on_side
from letor_data.blocks import RANKS, TIED_WITH, entry_of, length_of
from letor_data.evaluation.gains import ideal_dcg
from letor_data.rankings import Rankings
from rankduel.base.compiling import kernel, record
from rankduel.base.errors import InterleaveError
from rankduel.base.settings import Configured

NOBODY = -1  # in page[TEAM]: the document was nobody's pick
TIED = 1e-12  # scores and degrees this close are equal
_AHEAD = 6  # seats whose blocks are asked for before they are read


class SharedWorld(NamedTuple):
    """Made by `make_shared_world`. One per thread: every impression overwrites the page.

    K is the number of all rankers: that many can share a page.
    """

    world: World
    ideal: np.ndarray  # (n_queries,) float64: the best DCG each query allows
    round: np.ndarray  # (K,) int64: the seats, those that had their turn in this round first
    heads: np.ndarray  # (K,) int64: the next rank that each seat would pick from
    scores: np.ndarray  # (K,) float64: what the clicks earned each seat
    shares: np.ndarray  # (length, K) float64: the chance that a seat contributed each document
    odds: np.ndarray  # (2 * length + 3, K) float64: of one seat's leads in clicks over every other
    waiting: np.ndarray  # (longest query,) int64: documents that may come next
    tops: np.ndarray  # (longest query,) int64: the best place of each document on any ranking; 0: none yet
    choices: np.ndarray  # (length + 1,) int64: how many documents were waiting for each place
    sampled: SampledPages
    programme: Programme  # over the sampled pages


class SampledPages(NamedTuple):
    """Pages to choose from, for methods that sample some; empty for others."""

    pages: np.ndarray  # (n_lists, length) int64
    tops: np.ndarray  # (K, length) int64: the best documents of each seat
    ranks: np.ndarray  # (longest query, K) int64: where each seat has each document


class Panel(NamedTuple):
    """The rankers that share a page, on one query; made by `panel_on`."""

    rankers: np.ndarray  # int64; seat s belongs to rankers[s]
    n: int  # seats taken
    start: int  # first row of the query
    n_docs: int
    block: int  # where the query's block starts among those of a ranker
    row_bytes: int  # of the blocks of a ranker


@kernel
def panel_on(world, query, rankers, n):
    """Return rankers[:n] on a query."""
    start = world.offsets[query]
    n_docs = world.offsets[query + 1] - start
    return Panel(rankers, n, start, n_docs, world.block_starts[query], world.block_starts[-1])


@kernel
def document_at(shared, panel, seat, rank, users):
    """The document that a seat has at this rank, in this impression."""
    return document_on_side(shared.world, alone(panel, seat, panel.n_docs), seat, rank, users)


@kernel
def rank_of(shared, panel, seat, doc, users):
    """The rank that a document has for a seat, in this impression."""
    return rank_on_side(shared.world, alone(panel, seat, panel.n_docs), seat, doc, users)


@kernel
def alone(panel, seat, n_own):
    """Return the ranker of `seat`, which lists `n_own` documents, as both sides of a pair."""
    block = block_of(panel, seat)
    return Pair(block, block, panel.start, panel.n_docs, n_own, n_own)


@kernel
def block_of(panel, seat):
    """Where the block of a seat's ranker starts."""
    return panel.rankers[seat] * panel.row_bytes + panel.block


@kernel
def n_listed(shared, panel, seat):
    """How many documents a seat lists: it has them at its first ranks."""
    if not shared.world.rules[0].lists_end:
        return panel.n_docs
    return length_of(shared.world.blocks, block_of(panel, seat), panel.n_docs)


@kernel
def forget_ties(shared, n):
    """From here on ties are settled anew."""
    for seat in range(n):
        forget_side(shared.world.settled, seat)


@kernel
def rank_page(shared, panel, n_shown, users):
    """Store the ranks that the first documents of the page have for every seat; `n_docs` if not listed."""
    page = shared.world.page
    for seat in range(panel.n):
        n_own = n_listed(shared, panel, seat)
        if seat + _AHEAD < panel.n:
            fetch_block(shared.world, block_of(panel, seat + _AHEAD), panel.n_docs)
        for at in range(n_shown):
            rank = rank_of(shared, panel, seat, page[DOC, at], users)
            page[RANK + seat, at] = rank if rank < n_own else panel.n_docs


@kernel
def order_page(shared, panel, n_shown, users):
    """`rank_page` for those who only ask which documents stand above a clicked one, and which below.

    Ties between documents that were not clicked stay unbroken: that is most of them, and most of the time.
    """
    world = shared.world
    for seat in range(panel.n):
        block = block_of(panel, seat)
        n_own = n_listed(shared, panel, seat)
        for at in range(n_shown):
            rank = entry_of(world.blocks, block, panel.n_docs, RANKS, world.page[DOC, at])
            world.page[RANK + seat, at] = rank if rank < n_own else panel.n_docs
        for at in range(n_shown):
            if world.page[CLICKED, at] and world.page[RANK + seat, at] < n_own:
                _break_ties_with(shared, panel, seat, at, n_shown, users)


@kernel
def _break_ties_with(shared, panel, seat, at, n_shown, users):
    """Give this document, and those on the page that a seat ties with it, the ranks of this impression."""
    page, blocks, block = shared.world.page, shared.world.blocks, block_of(panel, seat)
    first = entry_of(blocks, block, panel.n_docs, RANKS, page[DOC, at])
    last = first + entry_of(blocks, block, panel.n_docs, TIED_WITH, first)
    if first < last:
        for other in range(n_shown):
            if first <= page[RANK + seat, other] <= last:
                page[RANK + seat, other] = rank_of(shared, panel, seat, page[DOC, other], users)


@kernel
def next_in_round(seats, n, picks, users):
    """Whose turn it is after so many picks: every round visits all seats, in a new random order."""
    if picks == 0:
        for seat in range(n):
            seats[seat] = seat
    done = picks % n
    chosen = done + int(users.random() * (n - done))
    seats[done], seats[chosen] = seats[chosen], seats[done]
    return seats[done]


@kernel
def clear_scores(shared, n):
    for seat in range(n):
        shared.scores[seat] = 0.0


@kernel
def clear(preferences, n):
    for x in range(n):
        for y in range(n):
            preferences[x, y] = 0.0


@kernel
def prefer_higher(scores, n, preferences):
    """Who scored more is preferred: 1, -1, or 0 for equal scores."""
    for x in range(n):
        for y in range(n):
            lead = scores[x] - scores[y]
            preferences[x, y] = (1.0 if lead > TIED else 0.0) - (1.0 if lead < -TIED else 0.0)


@kernel
def prefer_by_difference(scores, n, preferences):
    """Preferred by as much as one scored more than the other."""
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
    """What a multileaved impression needs; see `interleave.world.make_world` for the settings."""
    if ties == "random_impression_redraw":
        raise InterleaveError(
            f"multileaving credits the rankings that made the page; ties='{ties}' would not"
        )
    # A world for any two of the rankers; what belongs to a method is replaced.
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
    return _seated(world, ideal_dcg(world.labels, world.offsets, length))


def for_another_thread(shared: SharedWorld) -> SharedWorld:
    """The same shared world with a page of its own."""
    return _seated(shared.world._replace(rules=shared.world.rules.copy()), shared.ideal)


def _seated(world: World, ideal: np.ndarray) -> SharedWorld:
    """A seat for every ranker."""
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
    return {"sampled": sampled, "programme": room_for(n_lists, length * n_rankers)}
