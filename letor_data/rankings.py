"""Rankings of the documents of every query by every ranker, with their ties.

They are computed once and shared by all impressions. Ties are kept, so that they can be broken for each
impression or once per run (`rankduel.letor_data.ties`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from rankduel.base.errors import DataError
from rankduel.base.notebook import few, html_repr, short_repr
from rankduel.base.threads import n_workers, ordered_map
from rankduel.letor_data.blocks import Blocks, make_blocks
from rankduel.letor_data.catalogue import profile_named
from rankduel.letor_data.letor import Letor, same_objects
from rankduel.letor_data.rankers import Ranker
from rankduel.letor_data.sorting import (
    break_ties,
    end_lists,
    index_dtype,
    n_listed,
    note_positions,
    rank_scores,
    read_only,
)
from rankduel.letor_data.ties import IMPRESSION_MODES, check_tie_mode

Progress = Callable[[int], object]  # called with the number of rankers finished since the last call
# Order, positions and ties of one ranker, and the length of its list for each query, None if it lists all.
Row = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]


class RankingsReference(NamedTuple):
    """Cache file of judged data, rankers, and how ties are broken."""

    path: str  # absolute path of the cache file, without its checksum and '.arrow'
    digest: str  # of the data
    names: tuple[str, ...]  # of the rankers
    texts: tuple[str, ...]  # of the rankers
    ties: str = "random_impression"  # a key of TIE_MODES
    seed: int = 0  # of ties that are broken once per run


class Referred(NamedTuple):
    """A reference, and the rankings that it gives."""

    reference: RankingsReference
    content: tuple[object, ...]  # `Rankings.content`


@dataclass(frozen=True, eq=False, repr=False)
class Rankings:
    """Rankings by K rankers of the same documents; query ``q`` has columns ``offsets[q]:offsets[q + 1]``.

    Documents and ranks are numbered from 0 within their query. The arrays are read-only, in memory or
    mapped from files. Integers are int16 unless a query has more than 32767 documents.

    A list may end before the last document of its query, as in TREC runs. The documents that it does not
    contain follow in file order, without ties.
    """

    names: tuple[str, ...]
    offsets: np.ndarray  # (n_queries + 1,) int64
    query_keys: np.ndarray  # (n_queries,) uint64, from the query ids
    order: np.ndarray  # (K, n_docs) document at each rank, best first, ties in file order
    positions: np.ndarray  # (K, n_docs) rank of each document; ~(first rank of its tie group) if tied
    ties: np.ndarray  # (K, n_docs) tie groups by rank, see rankduel.letor_data.ties
    digest: str = ""  # of the data
    lengths: np.ndarray | None = None  # (K, n_queries) int32, documents in each list; None: all
    referred: Referred | None = None  # how other processes make these rankings; None: they cannot

    def __post_init__(self) -> None:
        for field in ("offsets", "query_keys", "order", "positions", "ties"):
            object.__setattr__(self, field, read_only(getattr(self, field)))
        if self.lengths is not None:
            all_listed = (self.lengths == np.diff(self.offsets)).all()
            object.__setattr__(self, "lengths", None if all_listed else read_only(self.lengths))
        if self.referred is not None and not same_objects(self.referred.content, self.content):
            object.__setattr__(self, "referred", None)  # of the rankings that these were derived from

    def __getstate__(self) -> dict[str, object]:
        """Return the fields for pickle, without blocks, which are made again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def content(self) -> tuple[object, ...]:
        """The fields that a reference determines."""
        arrays = (self.offsets, self.query_keys, self.order, self.positions, self.ties, self.lengths)
        return (self.names, *arrays, self.digest)

    @cached_property
    def blocks(self) -> Blocks:
        """The rankings in the memory layout that duels read; made once."""
        return make_blocks(self)

    def _facts(self) -> dict[str, object]:
        """Return the values that the representation shows."""
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
        """Return rankings with ties broken for a whole run by `mode`, a key of TIE_MODES.

        Modes that break ties per impression leave them unchanged. The order of tied documents depends on the
        seed, the name of the ranker, the query id and the document numbers only: not on other queries or
        rankers, nor on `jobs`.
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
    """Return `Rankings.positions` for `order` and `ties`."""
    order, ties = (np.ascontiguousarray(one) for one in (order, ties))
    positions = np.empty_like(order)
    for row in range(len(order)):
        note_positions(read_only(order[row]), read_only(ties[row]), read_only(offsets), positions[row])
    return positions


def rank(
    letor: Letor, rankers: Sequence[Ranker], jobs: int = -1, progress: Progress | None = None
) -> Rankings:
    """Rank every query by every ranker, in memory."""
    check_rankers(rankers)
    shape, dtype = (len(rankers), letor.n_docs), index_dtype(letor.offsets)
    order, positions, ties = (np.empty(shape, dtype) for _ in range(3))
    lengths = np.empty((len(rankers), letor.n_queries), np.int32) if lists_may_end(letor) else None
    for k, (*row, list_lengths) in enumerate(ranked_rows(letor, rankers, jobs, progress)):
        order[k], positions[k], ties[k] = row
        if lengths is not None and list_lengths is not None:
            lengths[k] = list_lengths
    names = tuple(ranker.name for ranker in rankers)
    return Rankings(names, letor.offsets, query_keys(letor), order, positions, ties, letor.digest, lengths)


def lists_may_end(letor: Letor) -> bool:
    """Return whether a ranker of this data may list fewer documents than a query has, by its profile."""
    return profile_named(letor.profile).lists_may_end


def ranked_rows(
    letor: Letor, rankers: Sequence[Ranker], jobs: int, progress: Progress | None
) -> Iterator[Row]:
    """Yield the rows of `rank`; at most a few rows are computed in advance."""
    for row in ordered_map(partial(rank_row, letor), rankers, n_workers(jobs)):
        yield row
        if progress:
            progress(1)


def check_rankers(rankers: Sequence[Ranker]) -> None:
    """Raise an error if there are no rankers, or two have the same name."""
    seen = set()
    for ranker in rankers:
        if ranker.name in seen:
            raise DataError(f"two rankers are named '{ranker.name}'; give one another name")
        seen.add(ranker.name)
    if not seen:
        raise DataError("no rankers are given; expected at least one")


def query_keys(letor: Letor) -> np.ndarray:
    """Return (n_queries,) uint64 keys, each a hash of the query id alone."""
    digests = [_digest(str(query)) for query in letor.query_ids.tolist()]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def stable_key(*parts: str) -> np.uint64:
    """Return a 64-bit hash of `parts` that is the same on every machine and Python version."""
    return np.uint64(int.from_bytes(_digest("\0".join(parts)), "little"))


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def rank_row(letor: Letor, ranker: Ranker) -> Row:
    """Return the row of one ranker; errors name the ranker."""
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
