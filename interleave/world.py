"""The world of a duel: queries with their rankings and grades, a user, and workspace for one page.

Ties between documents are broken lazily (`document_at`, `rank_of`): a tied rank receives a random document of
its tie group that has no rank yet, and a tied document a random rank of its group that has no document yet.
The resulting order of every tie group is uniformly random, and an impression costs time in proportion to the
documents read rather than ranked.

The arrays are few, and the kernels are compiled without Numba's reference counting, since they allocate
nothing. Counting references to the arrays of a NamedTuple on every call made a duel seven times slower.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankduel.base.compiling import inlined, kernel, prefetch, record
from rankduel.base.errors import InterleaveError
from rankduel.base.settings import Configured, find, kernel_params
from rankduel.clickmodels.contract import model_for
from rankduel.clickmodels.tables import ClickModel, check_grades, grades_in
from rankduel.letor_data.blocks import (
    DOCS,
    LINE,
    RANKS,
    TIED_WITH,
    entry_of,
    length_of,
    n_untied,
    narrow_entry,
    no_blocks,
)
from rankduel.letor_data.rankings import Rankings
from rankduel.letor_data.sorting import read_only
from rankduel.letor_data.ties import check_tie_mode

FIRST, SECOND, NO_TEAM = 0, 1, 2  # values of World.page[TEAM]
CLICK, CLICK_AND_LEAVE, STAY = 0, 1, 2  # planes of World.user
WEIGHT, TOTAL = 0, 1  # rows of World.weights
# Rows of World.page; RANK + side is a document's rank on a side.
DOC, TEAM, CLICKED, STATE, RANK = range(5)
UNIFORM, BY_SHARE, IN_TURN = range(3)  # values of Rules.query_choice
N_SETTLED, SEEN, SETTLED = 0, 1, 3  # entries of World.settled, see `_remember`

_READ_ONLY = ("order", "ties", "blocks", "block_starts", "labels", "unjudged", "offsets")  # fields of World
FETCHED = 448  # bytes of labels and of a block that are prefetched


class Rules(NamedTuple):
    """Integer settings of the method by name (0 if it does not have them), and integers of the duel.

    A world holds them as one record in memory. As fields of the world they would be passed to every kernel,
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
    redraw: int = 0  # break ties anew for credit
    drop_ties: int = 0  # a tied duel is played again
    query_choice: int = UNIFORM
    next_query: int = 0  # if queries are played IN_TURN
    lists_end: int = 0  # a ranker may list fewer documents than its query has
    n_drafted: int = 0  # places of the page that both rankers compete for, see rankduel.interleave.list_ends
    n_unjudged: int = 0  # documents of the measured page without a judgment


class World(NamedTuple):
    """What kernels read and write; made by `make_world`. One per thread: every duel overwrites the page."""

    order: np.ndarray  # (rankers, n_docs) document at each rank, as in rankduel.letor_data.rankings
    ties: np.ndarray  # (rankers, n_docs) tie groups, as in rankduel.letor_data.rankings
    blocks: (
        np.ndarray
    )  # uint8: the rankings in the layout of rankduel.letor_data.blocks; empty if nothing reads them
    block_starts: np.ndarray  # (n_queries + 1,) int64
    labels: np.ndarray  # (n_docs,) int8
    offsets: np.ndarray  # (n_queries + 1,) int64
    query_shares: np.ndarray  # (n_queries,) float64: cumulative shares of the queries; empty unless BY_SHARE
    user: np.ndarray  # (3, length, grades) float64, thresholds for one random number per rank
    weights: np.ndarray  # (2, longest query) float64, rank^-tau and its running sum
    rules: np.recarray  # (1,), fields of Rules
    rate: float  # exploration rate of the exploitative method
    page: np.ndarray  # (6, length + 2) int64; row STATE holds three numbers of the method
    chances: np.ndarray  # (4, length + 2) float64: probabilities and weights of the method
    settled: np.ndarray  # (2, size) int64, per side broken ties: ranks and their documents; see `_remember`
    unjudged: np.ndarray  # (n_docs,) bool: documents without a judgment; empty if all have one


class Pair(NamedTuple):
    """Two rankers on one query, made by `pair_on`."""

    first: int  # start of the first ranker's block, see rankduel.letor_data.blocks
    second: int
    start: int  # first row of the query
    n_docs: int
    n_first: int  # documents that the first ranker lists, at ranks 0 to n_first - 1
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
    """Return the number of documents that a side lists."""
    return pair.n_first if side == FIRST else pair.n_second


@kernel
def document_at(world, pair, side, rank, users):
    """Return the document that a side has at `rank` in this impression."""
    block = pair.first if side == FIRST else pair.second
    if rank < n_untied(world.blocks, block):
        return narrow_entry(world.blocks, block, pair.n_docs, DOCS, rank)
    return _document_below(world.blocks, world.settled, block, pair.n_docs, side, rank, users)


@kernel
def rank_of(world, pair, side, doc, users):
    """Return the rank of `doc` on a side in this impression."""
    block = pair.first if side == FIRST else pair.second
    if n_untied(world.blocks, block) > 0:
        rank = narrow_entry(world.blocks, block, pair.n_docs, RANKS, doc)
        if rank < n_untied(world.blocks, block):
            return rank
    return _rank_below(world.blocks, world.settled, block, pair.n_docs, side, doc, users)


@kernel
def fetch(world, pair, reads_ranks):
    """Prefetch the memory that an impression is likely to read.

    With many queries it is not in the processor's cache, and the addresses that a kernel reads depend on each
    other, so without prefetching it would wait for each. `reads_ranks` includes the ranks of documents.
    """
    for row in range(0, min(pair.n_docs, FETCHED), LINE):
        prefetch(world.labels, pair.start + row)
    n_docs = pair.n_docs if reads_ranks else 0
    fetch_block(world, pair.first, n_docs)
    fetch_block(world, pair.second, n_docs)


@kernel
def fetch_block(world, block, n_docs):
    """Prefetch a block down to the tie groups of the first ranks; with n_docs=0 only its first documents."""
    prefetch(world.blocks, block)
    for byte in range(LINE, min(2 * n_docs + LINE // 4, FETCHED), LINE):
        prefetch(world.blocks, block + byte)


@kernel
def is_shown(world, at, doc):
    """Return whether `doc` is among the first `at` documents of the page."""
    for rank in range(at):
        if world.page[DOC, rank] == doc:
            return True
    return False


@kernel
def rank_page(world, pair, n_shown, users):
    """Store the ranks that the shown documents have on both sides, for credit; `n_docs` if not listed.

    With the rule `redraw` ties are broken anew first, as in Lerot and apparently in the published matrices.
    """
    if world.rules[0].redraw:
        forget_ties(world)
    for at in range(n_shown):
        for side in (FIRST, SECOND):
            rank = rank_of(world, pair, side, world.page[DOC, at], users)
            world.page[RANK + side, at] = rank if rank < n_listed(pair, side) else pair.n_docs


@kernel
def forget_ties(world):
    """Discard how ties were broken."""
    forget_side(world.settled, FIRST)
    forget_side(world.settled, SECOND)


@kernel
def forget_side(settled, side):
    settled[side, N_SETTLED] = settled[side, SEEN] = settled[side, SEEN + 1] = 0


@kernel
def _document_below(blocks, settled, block, n_docs, side, rank, users):
    """Return the document at a rank that may be tied."""
    size = entry_of(blocks, block, n_docs, TIED_WITH, rank) + 1
    if size == 1:
        return entry_of(blocks, block, n_docs, DOCS, rank)
    known = _find(settled, side, 0, rank)
    if known >= 0:
        return known
    first = entry_of(blocks, block, n_docs, RANKS, entry_of(blocks, block, n_docs, DOCS, rank))
    while True:  # rejection sampling: most documents of a group have no rank yet
        doc = entry_of(blocks, block, n_docs, DOCS, first + int(users.random() * size))
        if _find(settled, side, 1, doc) < 0:
            _remember(settled, side, rank, doc)
            return doc


@kernel
def _rank_below(blocks, settled, block, n_docs, side, doc, users):
    """Return the rank of a document that may be tied."""
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
    """Return the document of a settled rank (which=0) or the rank of a settled document (1), or -1."""
    if (settled[side, SEEN + which] >> (value & 63)) & 1 == 0:
        return -1
    for i in range(SETTLED, SETTLED + 2 * settled[side, N_SETTLED], 2):
        if settled[side, i + which] == value:
            return settled[side, i + 1 - which]
    return -1


@inlined
def _remember(settled, side, rank, doc):
    """Store that a tied `rank` holds `doc`.

    Entry N_SETTLED counts the stored pairs, which start at SETTLED. Bit v mod 64 of entry SEEN is set if rank
    v may be among them; the entry after SEEN is the same for documents. Most searches are for values that are
    not stored, and end at these bits.
    """
    free = SETTLED + 2 * settled[side, N_SETTLED]
    settled[side, free], settled[side, free + 1] = rank, doc
    settled[side, N_SETTLED] += 1
    settled[side, SEEN] |= 1 << (rank & 63)
    settled[side, SEEN + 1] |= 1 << (doc & 63)


TIED_DUELS = {
    "coin": "decided by a fair random draw",
    "drop": "played again with another query until one ranker wins",
}


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
    blocks: bool = True,
) -> World:
    """Return the world of live duels between any two of the rankings.

    Parameters
    ----------
    rankings : Rankings
        Rankings of the documents of all queries.
    labels : ndarray of int, shape (n_docs,)
        Relevance grades.
    model : ClickModel or Configured
        Click probabilities, or a named user, whose table is chosen by the grades of the labels.
    interleaving : Configured
        An interleaving method with its settings.
    length : int, default 10
        Number of documents on a page.
    ties : str, default "random_impression"
        How ties between documents are broken, see rankduel.letor_data.ties.TIE_MODES.
    tied_duels : str, default "coin"
        How tied duels are decided, see TIED_DUELS.
    queries : str or ndarray, default "uniform"
        "uniform", "cycle" (in file order), or a weight per query.
    seed : int, default 0
        Seed of ties that are broken once per run.
    unjudged : ndarray of bool, shape (n_docs,), optional
        Documents that have grade 0 for want of a judgment.
    blocks : bool, default True
        Whether to make `World.blocks`, which duels read. Without them, only `order` and `ties` can be read.

    Returns
    -------
    World

    Raises
    ------
    InterleaveError
        If the arguments do not fit together.
    """
    parts: dict[str, Any] = {"length": length, "ties": ties, "tied_duels": tied_duels, "queries": queries}
    check_world(rankings, labels, model, interleaving, **parts)
    settled = rankings.resolve(ties, seed)
    made = settled.blocks if blocks else no_blocks(rankings.n_queries)
    query_choice, query_shares = _query_choice(queries, rankings.n_queries)
    rules = rules_of(interleaving)._replace(
        redraw=int(ties == "random_impression_redraw"),
        drop_ties=int(tied_duels == "drop"),
        query_choice=query_choice,
        lists_end=int(settled.lengths is not None),
    )
    return World(
        # Numba compiles separately for read-only arrays, so these are read-only whatever their origin.
        order=read_only(settled.order),
        ties=read_only(settled.ties),
        blocks=made.data,
        block_starts=made.starts,
        labels=read_only(np.ascontiguousarray(labels, np.int8)),
        offsets=read_only(np.ascontiguousarray(rankings.offsets, np.int64)),
        query_shares=query_shares,
        user=user_table(_model(model, labels), length),
        weights=rank_weights(_longest(rankings), interleaving.get("tau", 1.0)),
        rules=record(rules),
        rate=float(interleaving.get("rate", 0.5)),
        **_workspace(length),
        unjudged=read_only(np.ascontiguousarray([] if unjudged is None else unjudged, np.bool_)),
    )


def check_world(
    rankings: Rankings,
    labels: np.ndarray,
    model: ClickModel | Configured,
    interleaving: Configured,
    *,
    length: int,
    ties: str,
    tied_duels: str,
    queries: str | np.ndarray,
) -> None:
    """Raise an error if these arguments of `make_world` do not fit together."""
    if length < 1:
        raise InterleaveError(f"a page must have at least 1 document, not {length}")
    if len(labels) != rankings.n_docs:
        raise InterleaveError(f"{len(labels)} labels for rankings of {rankings.n_docs} documents")
    if min(length, _longest(rankings)) > interleaving.thing.longest_page:
        raise InterleaveError(
            f"{interleaving.name} pages have at most {interleaving.thing.longest_page} documents, "
            f"not {length}"
        )
    if rankings.lengths is not None:
        interleaving.thing.check_short_lists(interleaving)
    find(tied_duels, TIED_DUELS, "way to settle tied duels", InterleaveError)
    check_grades(_model(model, labels), labels)
    check_tie_mode(ties)
    _query_choice(queries, rankings.n_queries)


def _model(model: ClickModel | Configured, labels: np.ndarray) -> ClickModel:
    return model if isinstance(model, ClickModel) else model_for(model, grades_in(labels))


def _longest(rankings: Rankings) -> int:
    """Return the number of documents of the longest query."""
    return int(np.diff(rankings.offsets).max())


def rules_of(configured: Configured) -> Rules:
    """Return the integer settings of a method as kernels read them."""
    params = kernel_params(configured, 0)
    return Rules(**{name: int(getattr(params, name)) for name in params._fields if name in Rules._fields})


def asked_in_turn(world: World) -> World:
    """Return a copy of the world whose queries are played in file order, starting with the first."""
    rules = world.rules.copy()
    rules.query_choice, rules.next_query = IN_TURN, 0
    return world._replace(rules=rules)


def for_another_thread(world: World) -> World:
    """Return a copy of the world with its own page and rules; rankings and labels are shared."""
    return world._replace(rules=world.rules.copy(), **_workspace(world.user.shape[1]))


def select_queries(world: World, start: int, stop: int) -> World:
    """Return a world with only the queries from `start` up to `stop`, and copies of their arrays."""
    rows = slice(world.offsets[start], world.offsets[stop])
    blocks = world.blocks.reshape(len(world.order), -1)
    own = slice(world.block_starts[start], world.block_starts[stop])
    part = world._replace(
        order=world.order[:, rows].copy(),
        ties=world.ties[:, rows].copy(),
        blocks=blocks[:, own].reshape(-1),
        block_starts=world.block_starts[start : stop + 1] - own.start,
        labels=world.labels[rows].copy(),
        unjudged=world.unjudged[rows].copy(),
        offsets=world.offsets[start : stop + 1] - rows.start,
        query_shares=np.empty(0),
    )
    return with_kernel_types(part)


def without_rankings(world: World) -> World:
    """Return the world with empty rankings, of the same types, for `with_rankings`."""
    if world.blocks.size:
        world = world._replace(blocks=world.blocks[:0], block_starts=world.block_starts[:0])
    return world._replace(order=world.order[:, :0], ties=world.ties[:, :0])


def with_rankings(world: World, rankings: Rankings) -> World:
    """Return the world that `without_rankings` was applied to; `rankings` are those of its queries."""
    if not world.block_starts.size:  # a world without blocks keeps its starts, all 0
        blocks = rankings.blocks
        world = world._replace(blocks=blocks.data, block_starts=blocks.starts)
    ranked = world._replace(
        order=rankings.order.astype(world.order.dtype), ties=rankings.ties.astype(world.ties.dtype)
    )
    return with_kernel_types(ranked)


def with_kernel_types(world: World) -> World:
    """Return a copy of the world with its own page, and arrays of the types that kernels are compiled for.

    Arrays from another process may be writable or unaligned, and Numba would compile again for them.
    """
    aligned: dict[str, Any] = {
        name: read_only(np.require(getattr(world, name), requirements="A")) for name in _READ_ONLY
    }
    return for_another_thread(world)._replace(**aligned)


def user_table(model: ClickModel, length: int) -> np.ndarray:
    """Return thresholds (3, length, grades) for one uniform number per rank.

    The user clicks if the number is below the first entry, clicks and leaves if it is below the second, and
    leaves without a click if it is not below the third.
    """
    ranks = np.minimum(np.arange(length), len(model.attention) - 1)
    click = model.attention[ranks][:, None] * model.p_click
    stay = 1.0 - (1.0 - click) * model.p_stop * model.leaves_unclicked
    return np.stack([click, click * model.p_stop, stay])


def rank_weights(longest: int, tau: float) -> np.ndarray:
    """Return (2, longest): rank^-tau and its cumulative sum."""
    weights = np.arange(1.0, longest + 1) ** -tau
    return np.stack([weights, np.cumsum(weights)])


def _workspace(length: int) -> dict[str, Any]:
    # Per rank of the page, ties of a side are broken at most twice: for a rank that is passed over, and for a
    # document whose rank is looked up.
    return {
        "page": np.zeros((6, length + 2), np.int64),
        "chances": np.zeros((4, length + 2)),
        "settled": np.zeros((2, SETTLED + 2 * (4 * length + 6)), np.int64),
    }


def _query_choice(queries: str | np.ndarray, n_queries: int) -> tuple[int, np.ndarray]:
    """Return the value of Rules.query_choice, and cumulative shares if the queries have weights."""
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
    shares[np.flatnonzero(weights)[-1] :] = 1.0  # rounding may have left the sum below 1
    return BY_SHARE, shares
