"""What every ranker makes of every query: document orders with their ties, ready for duels.

Computed once per ranker (one sort per query) and shared by all impressions; ties stay marked, so that
they can be broken anew for each impression or once for a run (`letor_data.ties`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from letor_data.formats import profile_named
from letor_data.letor import Letor
from letor_data.rankers import Ranker
from letor_data.sorting import (
    break_ties,
    end_lists,
    index_dtype,
    n_listed,
    note_positions,
    rank_scores,
    read_only,
)
from letor_data.ties import IMPRESSION_MODES, check_tie_mode
from rankduel.base.errors import DataError
from rankduel.base.notebook import few, html_repr, short_repr
from rankduel.base.threads import n_workers, ordered_map

Progress = Callable[[int], object]  # told how many rankers were just finished
# Order, positions and ties of one ranker; and how many documents of each query it lists, None if all.
Row = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]


@dataclass(frozen=True, eq=False, repr=False)
class Rankings:
    """K rankers over the same documents; query q owns columns offsets[q]:offsets[q + 1].

    Documents and ranks are numbered from 0 within their query. The arrays are read-only, in memory or
    mapped from files; integers are int16 unless a query has more than 32767 documents.

    A list may end before the last document of its query, as those of TREC runs do. The ranks from its end on
    hold the documents that it does not list, in file order and without ties.
    """

    names: tuple[str, ...]
    offsets: np.ndarray  # (n_queries + 1,) int64
    query_keys: np.ndarray  # (n_queries,) uint64, from the query ids
    order: np.ndarray  # (K, n_docs) the document at each rank, best first, ties in file order
    positions: np.ndarray  # (K, n_docs) the rank of each document; ~(first rank of its group) if it is tied
    ties: np.ndarray  # (K, n_docs) tie groups by rank, see letor_data.ties
    digest: str = ""  # of the data ranked
    lengths: np.ndarray | None = None  # (K, n_queries) int32: how many documents a list has; None: all

    def __post_init__(self) -> None:
        for field in ("offsets", "query_keys", "order", "positions", "ties"):
            object.__setattr__(self, field, read_only(getattr(self, field)))
        if self.lengths is not None:
            all_listed = (self.lengths == np.diff(self.offsets)).all()
            object.__setattr__(self, "lengths", None if all_listed else read_only(self.lengths))

    def _facts(self) -> dict[str, object]:
        """What a prompt shows."""
        return {"rankers": few(self.names), "queries": self.n_queries, "documents": self.n_docs}

    def __repr__(self) -> str:
        return short_repr("Rankings", self._facts())

    def _repr_html_(self) -> str:
        return html_repr("Rankings", self._facts())

    @property
    def n_rankers(self) -> int:
        return len(self.names)

    @property
    def n_queries(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_docs(self) -> int:
        return int(self.offsets[-1])

    def resolve(self, mode: str, seed: int = 0, jobs: int = -1) -> Rankings:
        """Ties broken as TIE_MODES says, for a whole run; per-impression modes leave them in place.

        A document's place depends on the seed, the ranker's name, the query's id and its number there:
        not on what else is loaded, nor on the number of jobs.
        """
        check_tie_mode(mode)
        if mode in IMPRESSION_MODES:
            return self
        untied = np.zeros(self.ties.shape, self.ties.dtype)
        if mode == "stable":
            return replace(self, positions=positions_of(self.order, untied, self.offsets), ties=untied)
        shared = mode == "random_run_shared"
        keys = [stable_key(str(seed)) if shared else stable_key(str(seed), name) for name in self.names]
        order = np.empty_like(self.order)
        positions = np.empty_like(self.positions)

        def break_row(k: int) -> None:
            break_ties(
                self.order[k], self.ties[k], self.offsets, self.query_keys, keys[k], order[k], positions[k]
            )

        for _ in ordered_map(break_row, range(self.n_rankers), n_workers(jobs)):
            pass
        return replace(self, order=order, positions=positions, ties=untied)


def positions_of(order: np.ndarray, ties: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return `Rankings.positions` that go with these orders and ties."""
    order, ties = (np.ascontiguousarray(one) for one in (order, ties))
    positions = np.empty_like(order)
    for row in range(len(order)):
        note_positions(read_only(order[row]), read_only(ties[row]), read_only(offsets), positions[row])
    return positions


def rank(
    letor: Letor, rankers: Sequence[Ranker], jobs: int = -1, progress: Progress | None = None
) -> Rankings:
    """Rank every query by every ranker, in memory; `rankings_files.rank_to_folder` for large sets."""
    check_rankers(rankers)
    shape, dtype = (len(rankers), letor.n_docs), index_dtype(letor.offsets)
    order, positions, ties = (np.empty(shape, dtype) for _ in range(3))
    lengths = np.empty((len(rankers), letor.n_queries), np.int32) if lists_may_end(letor) else None
    for k, (*row, ended) in enumerate(ranked_rows(letor, rankers, jobs, progress)):
        order[k], positions[k], ties[k] = row
        if lengths is not None and ended is not None:
            lengths[k] = ended
    names = tuple(ranker.name for ranker in rankers)
    return Rankings(names, letor.offsets, query_keys(letor), order, positions, ties, letor.digest, lengths)


def lists_may_end(letor: Letor) -> bool:
    """Return whether a ranker may list fewer documents than there are: by the profile of the data."""
    return profile_named(letor.profile).lists_may_end


def ranked_rows(
    letor: Letor, rankers: Sequence[Ranker], jobs: int, progress: Progress | None
) -> Iterator[Row]:
    """The rows of `rank`, one ranker after another, only a few ahead of whoever takes them."""
    for row in ordered_map(partial(rank_row, letor), rankers, n_workers(jobs)):
        yield row
        if progress:
            progress(1)


def check_rankers(rankers: Sequence[Ranker]) -> None:
    """Refuse what cannot be told apart later, before any work is done."""
    seen = set()
    for ranker in rankers:
        if ranker.name in seen:
            raise DataError(f"two rankers are named '{ranker.name}'; give one another name")
        seen.add(ranker.name)
    if not seen:
        raise DataError("no rankers to rank by")


def query_keys(letor: Letor) -> np.ndarray:
    """(n_queries,) uint64: a query's key follows from its id, whatever else is loaded."""
    return np.array([stable_key(str(query)) for query in letor.query_ids], np.uint64)


def stable_key(*parts: str) -> np.uint64:
    """64 bits that any process, machine and Python version derives from the same text."""
    text = "\0".join(parts).encode()
    return np.uint64(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little"))


def rank_row(letor: Letor, ranker: Ranker) -> Row:
    """The row of one ranker; an error says which ranker it is."""
    try:
        scores = ranker.score(letor)
        row = rank_scores(scores, letor.offsets)
    except DataError as error:
        raise DataError(f"ranker '{ranker.name}': {error}") from error
    if not lists_may_end(letor):
        return *row, None
    lengths = n_listed(scores, letor.offsets)
    end_lists(*row, letor.offsets, lengths)
    return *row, lengths
