"""The world a duel happens in: queries with their rankings and grades, one user, and room for one page.

Ties between documents are settled only when somebody looks (`document_at`, `rank_of`): a tied rank is given
a random document of its group that has no rank yet, a tied document a random rank of its group that has
no document yet. That is a uniformly random order of every tie group, revealed piece by piece, so an
impression costs what the user reads and not what the rankings hold.

Everything is packed into a few arrays, and the kernels are compiled without Numba's reference counting
(they allocate nothing): counting references to the arrays of a NamedTuple on every call made a duel
seven times slower.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clickmodels.contract import model_for
from clickmodels.tables import ClickModel, check_grades, grades_in
from letor_data.blocks import (
    DOCS,
    LINE,
    RANKS,
    TIED_WITH,
    blocks_of,
    entry_of,
    length_of,
    n_untied,
    narrow_entry,
)
from letor_data.rankings import Rankings
from letor_data.sorting import read_only
from rankduel.base.compiling import inlined, kernel, prefetch, record
from rankduel.base.errors import InterleaveError
from rankduel.base.settings import Configured, find, kernel_params

FIRST, SECOND, NOBODY = 0, 1, 2  # whose pick a document is
CLICK, CLICK_AND_LEAVE, STAY = 0, 1, 2  # planes of World.user
WEIGHT, TOTAL = 0, 1  # rows of World.weights
# Rows of World.page; RANK + side is a document's rank on a side.
DOC, TEAM, CLICKED, STATE, RANK = range(5)
UNIFORM, BY_SHARE, IN_TURN = range(3)  # values of Rules.query_choice
N_SETTLED, SEEN, SETTLED = 0, 1, 3  # entries of World.settled, see `_remember`

FETCHED = 448  # bytes of labels and of a block that are asked for ahead of use


class Rules(NamedTuple):
    """Switches and whole numbers of a method by the names of its settings (0 for those it does not have), and
    what the duel is told besides.

    A world holds them as one record in memory: as numbers of their own they would be handed to every kernel,
    which made a probabilistic duel 30 % slower.
    """

    credit: int = 0
    prefix: int = 0
    type: int = 0
    weighting: int = 0
    ranker: int = 0
    considered: int = 0
    samples: int = 0
    n_samples: int = 0
    n_lists: int = 0
    redraw: int = 0  # ties are broken anew for credit
    drop_ties: int = 0  # a tied duel is played again
    query_choice: int = UNIFORM
    next_query: int = 0  # whose turn it is, if queries are asked IN_TURN
    lists_end: int = 0  # a ranker may list fewer documents than its query has
    n_drafted: int = 0  # places of the page that both rankers compete for, see interleave.list_ends
    n_unjudged: int = 0  # documents of the measured page without a judgment


class World(NamedTuple):
    """Made by `interleave.world.make_world`. One per thread: every duel overwrites the page."""

    order: np.ndarray  # (rankers, n_docs) document at each rank; these two as in letor_data.rankings
    ties: np.ndarray  # (rankers, n_docs) tie groups
    blocks: np.ndarray  # uint8: the same as impressions read it; these two as in letor_data.blocks
    block_starts: np.ndarray  # (n_queries + 1,) int64
    labels: np.ndarray  # (n_docs,) int8
    offsets: np.ndarray  # (n_queries + 1,) int64
    query_shares: np.ndarray  # (n_queries,) float64: running shares of the queries; empty unless BY_SHARE
    user: np.ndarray  # (3, length, grades) float64, thresholds for one random number per rank
    weights: np.ndarray  # (2, longest query) float64, rank^-tau and its running sum
    rules: np.recarray  # (1,), fields of Rules
    rate: float  # exploration rate of the exploitative method
    page: np.ndarray  # (6, length + 2) int64; row STATE is a method's own, three numbers
    chances: np.ndarray  # (4, length + 2) float64, likewise what a method remembers of its draws
    settled: np.ndarray  # (2, room) int64, per side tied ranks and their documents; see `_remember`
    unjudged: np.ndarray  # (n_docs,) bool: documents without a judgment; empty if all have one


class Pair(NamedTuple):
    """Two rankers on one query; made by `pair_on`."""

    first: int  # where the block of the first ranker starts, see letor_data.blocks
    second: int
    start: int  # first row of the query
    n_docs: int
    n_first: int  # documents that the first ranker lists: it has them at its first ranks
    n_second: int


@kernel
def pair_on(world, query, first, second):
    """Return two rankers on a query."""
    start = world.offsets[query]
    row_bytes, block = world.block_starts[-1], world.block_starts[query]
    n_docs = world.offsets[query + 1] - start
    left, right = first * row_bytes + block, second * row_bytes + block
    if world.rules[0].lists_end:
        n_first = length_of(world.blocks, left, n_docs)
        n_second = length_of(world.blocks, right, n_docs)
        return Pair(left, right, start, n_docs, n_first, n_second)
    return Pair(left, right, start, n_docs, n_docs, n_docs)


@kernel
def n_listed(pair, side):
    """How many documents a side lists."""
    return pair.n_first if side == FIRST else pair.n_second


@kernel
def document_at(world, pair, side, rank, users):
    """The document that a side has at this rank, in this impression."""
    block = pair.first if side == FIRST else pair.second
    if rank < n_untied(world.blocks, block):
        return narrow_entry(world.blocks, block, pair.n_docs, DOCS, rank)
    return _document_below(world.blocks, world.settled, block, pair.n_docs, side, rank, users)


@kernel
def rank_of(world, pair, side, doc, users):
    """The rank that a document has on a side, in this impression."""
    block = pair.first if side == FIRST else pair.second
    if n_untied(world.blocks, block) > 0:
        rank = narrow_entry(world.blocks, block, pair.n_docs, RANKS, doc)
        if rank < n_untied(world.blocks, block):
            return rank
    return _rank_below(world.blocks, world.settled, block, pair.n_docs, side, doc, users)


@kernel
def fetch(world, pair, reads_ranks):
    """Ask for the memory that an impression is likely to read, all at once, before any of it is waited for.

    With many queries it lies in no cache, and what a kernel reads next often depends on what it read last.
    `reads_ranks`: the method asks for the ranks of documents.
    """
    for row in range(0, min(pair.n_docs, FETCHED), LINE):
        prefetch(world.labels, pair.start + row)
    n_docs = pair.n_docs if reads_ranks else 0
    fetch_block(world, pair.first, n_docs)
    fetch_block(world, pair.second, n_docs)


@kernel
def fetch_block(world, block, n_docs):
    """Ask for a block down to the tie groups of the first ranks; with n_docs=0 for its first documents."""
    prefetch(world.blocks, block)
    for byte in range(LINE, min(2 * n_docs + LINE // 4, FETCHED), LINE):
        prefetch(world.blocks, block + byte)


@kernel
def is_shown(world, at, doc):
    """Is the document among the first `at` of the page?"""
    for rank in range(at):
        if world.page[DOC, rank] == doc:
            return True
    return False


@kernel
def rank_page(world, pair, n_shown, users):
    """Fill in the ranks that the shown documents have on both sides, for credit; `n_docs` if not listed.

    With the rule `redraw` ties are broken anew first: Lerot does so, and its published matrices show it.
    """
    if world.rules[0].redraw:
        forget_ties(world)
    for at in range(n_shown):
        for side in (FIRST, SECOND):
            rank = rank_of(world, pair, side, world.page[DOC, at], users)
            world.page[RANK + side, at] = rank if rank < n_listed(pair, side) else pair.n_docs


@kernel
def forget_ties(world):
    """From here on ties are settled anew."""
    forget_side(world.settled, FIRST)
    forget_side(world.settled, SECOND)


@kernel
def forget_side(settled, side):
    settled[side, N_SETTLED] = settled[side, SEEN] = settled[side, SEEN + 1] = 0


@kernel
def _document_below(blocks, settled, block, n_docs, side, rank, users):
    """The document at a rank that may be tied."""
    size = entry_of(blocks, block, n_docs, TIED_WITH, rank) + 1
    if size == 1:
        return entry_of(blocks, block, n_docs, DOCS, rank)
    known = _find(settled, side, 0, rank)
    if known >= 0:
        return known
    first = entry_of(blocks, block, n_docs, RANKS, entry_of(blocks, block, n_docs, DOCS, rank))
    while True:  # most of a group is free, so this takes one or two turns
        doc = entry_of(blocks, block, n_docs, DOCS, first + int(users.random() * size))
        if _find(settled, side, 1, doc) < 0:
            _remember(settled, side, rank, doc)
            return doc


@kernel
def _rank_below(blocks, settled, block, n_docs, side, doc, users):
    """The rank of a document that may be tied."""
    first = entry_of(blocks, block, n_docs, RANKS, doc)
    size = entry_of(blocks, block, n_docs, TIED_WITH, first) + 1
    if size == 1:
        return first
    known = _find(settled, side, 1, doc)
    if known >= 0:
        return known
    while True:
        rank = first + int(users.random() * size)
        if _find(settled, side, 0, rank) < 0:
            _remember(settled, side, rank, doc)
            return rank


@inlined
def _find(settled, side, which, value):
    """The document of a settled rank (which=0), or the rank of a settled document (1); -1 if it is not."""
    if (settled[side, SEEN + which] >> (value & 63)) & 1 == 0:
        return -1
    for i in range(SETTLED, SETTLED + 2 * settled[side, N_SETTLED], 2):
        if settled[side, i + which] == value:
            return settled[side, i + 1 - which]
    return -1


@inlined
def _remember(settled, side, rank, doc):
    """Settle a rank and a document.

    Entry N_SETTLED counts the settled pairs, which follow from SETTLED on. Bit v mod 64 of entry SEEN says
    that rank v may be among them, and the entry after it says so of documents: most searches are for one
    that is not, and need not look at the pairs.
    """
    free = SETTLED + 2 * settled[side, N_SETTLED]
    settled[side, free], settled[side, free + 1] = rank, doc
    settled[side, N_SETTLED] += 1
    settled[side, SEEN] |= 1 << (rank & 63)
    settled[side, SEEN + 1] |= 1 << (doc & 63)


TIED_DUELS = {"coin": "a fair coin decides", "drop": "played again with another query until somebody wins"}


def make_world(
    rankings: Rankings,
    labels: np.ndarray,
    model: ClickModel | Configured,
    interleaving: Configured,
    *,
    length: int = 10,
    ties: str = "random_impression",
    tied_duels: str = "coin",
    queries: str | np.ndarray = "uniform",
    seed: int = 0,
    unjudged: np.ndarray | None = None,
) -> World:
    """What a live duel needs.

    model       a table, or a user by name, whose table is then chosen by the grades of the labels
    ties        between documents, see letor_data.ties.TIE_MODES; `seed` is for those broken once per run
    tied_duels  between rankers, see TIED_DUELS
    queries     "uniform", "cycle" (in file order), or a weight per query
    unjudged    a truth value per document, for those that have grade 0 for want of a judgment
    """
    if length < 1:
        raise InterleaveError(f"a page must have at least 1 document, not {length}")
    if len(labels) != rankings.n_docs:
        raise InterleaveError(f"{len(labels)} labels for rankings of {rankings.n_docs} documents")
    longest = int(np.diff(rankings.offsets).max())
    if min(length, longest) > interleaving.thing.longest_page:
        raise InterleaveError(
            f"{interleaving.name} pages have at most {interleaving.thing.longest_page} documents, "
            f"not {length}"
        )
    if rankings.lengths is not None:
        interleaving.thing.check_short_lists(interleaving)
    find(tied_duels, TIED_DUELS, "way to settle tied duels", InterleaveError)
    if not isinstance(model, ClickModel):
        model = model_for(model, grades_in(labels))
    check_grades(model, labels)
    settled = rankings.resolve(ties, seed)
    blocks = blocks_of(settled)
    query_choice, query_shares = _query_choice(queries, rankings.n_queries)
    rules = rules_of(interleaving)._replace(
        redraw=int(ties == "random_impression_redraw"),
        drop_ties=int(tied_duels == "drop"),
        query_choice=query_choice,
        lists_end=int(settled.lengths is not None),
    )
    return World(
        # Numba compiles for read-only arrays apart: they are so here wherever they came from.
        order=read_only(settled.order),
        ties=read_only(settled.ties),
        blocks=blocks.data,
        block_starts=blocks.starts,
        labels=read_only(np.ascontiguousarray(labels, np.int8)),
        offsets=read_only(np.ascontiguousarray(rankings.offsets, np.int64)),
        query_shares=query_shares,
        user=user_table(model, length),
        weights=rank_weights(longest, interleaving.get("tau", 1.0)),
        rules=record(rules),
        rate=float(interleaving.get("rate", 0.5)),
        **_room(length),
        unjudged=read_only(np.ascontiguousarray([] if unjudged is None else unjudged, np.bool_)),
    )


def rules_of(configured: Configured) -> Rules:
    """Return the switches and whole numbers of a method as kernels see them."""
    params = kernel_params(configured, 0)
    return Rules(**{name: int(getattr(params, name)) for name in params._fields if name in Rules._fields})


def asked_in_turn(world: World) -> World:
    """Return a world that asks its queries in turn, from `next_query` on."""
    rules = world.rules.copy()
    rules.query_choice, rules.next_query = IN_TURN, 0
    return world._replace(rules=rules)


def for_another_thread(world: World) -> World:
    """The same world with a page of its own."""
    return world._replace(rules=world.rules.copy(), **_room(world.user.shape[1]))


def user_table(model: ClickModel, length: int) -> np.ndarray:
    """(3, length, grades): with one uniform number per rank, the user clicks below the first entry, clicks
    and leaves below the second, and leaves without a click from the third on."""
    ranks = np.minimum(np.arange(length), len(model.attention) - 1)
    click = model.attention[ranks][:, None] * model.p_click
    stay = 1.0 - (1.0 - click) * model.p_stop * model.leaves_unclicked
    return np.stack([click, click * model.p_stop, stay])


def rank_weights(longest: int, tau: float) -> np.ndarray:
    """(2, longest): rank^-tau and its running sum."""
    weights = np.arange(1.0, longest + 1) ** -tau
    return np.stack([weights, np.cumsum(weights)])


def _room(length: int) -> dict[str, Any]:
    # A side settles at most two ties for each rank of the page: a rank it walks over, and a document it is
    # asked for.
    return {
        "page": np.zeros((6, length + 2), np.int64),
        "chances": np.zeros((4, length + 2)),
        "settled": np.zeros((2, SETTLED + 2 * (4 * length + 6)), np.int64),
    }


def _query_choice(queries: str | np.ndarray, n_queries: int) -> tuple[int, np.ndarray]:
    """Return how queries are chosen, and their running shares if they have any."""
    if isinstance(queries, str):
        choices = {"uniform": UNIFORM, "cycle": IN_TURN}
        return find(queries, choices, "choice of queries", InterleaveError), np.empty(0)
    weights = np.asarray(queries, np.float64)
    if weights.shape != (n_queries,) or not (
        np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0
    ):
        raise InterleaveError(
            f"query weights must be {n_queries} numbers that are not negative and not all 0"
        )
    shares = np.cumsum(weights) / weights.sum()
    shares[np.flatnonzero(weights)[-1] :] = 1.0  # whatever rounding made of the sum
    return BY_SHARE, shares
