"""References to rankings, by which another process makes them again from the cache file of the data.

A reference is small, and rankings are large: four to seven bytes per document and ranker. Only rankings by
features and weighted sums of features have references; other rankers need files or Python objects of their
own. The data are identified by their digest, which their cache file contains, and not by the file that was
parsed.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankduel.base.errors import DataError
from rankduel.letor_data.cache import load
from rankduel.letor_data.cached_text import cache_stem_of
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers.contract import Ranker
from rankduel.letor_data.rankers.texts import KINDS, parse
from rankduel.letor_data.rankings import Rankings, rank


class RankingsReference(NamedTuple):
    """Cache file of judged data, rankers, and how ties are broken."""

    path: str  # absolute path of the cache file, without its checksum and '.arrow'
    digest: str  # of the data
    names: tuple[str, ...]  # of the rankers
    texts: tuple[str, ...]  # of the rankers
    ties: str = "random_impression"  # a key of TIE_MODES
    seed: int = 0  # of ties that are broken once per run


_references: weakref.WeakKeyDictionary[Rankings, RankingsReference] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def remember_reference(rankings: Rankings, letor: Letor, rankers: Sequence[Ranker]) -> None:
    """Let `reference_of` return a reference to the rankings of `letor` by `rankers`, if there can be one."""
    path = cache_stem_of(letor)
    names, texts = rankings.names, tuple(ranker.text for ranker in rankers)
    if path is not None and rankings.lengths is None and all(map(_is_of_columns, texts)):
        _references[rankings] = RankingsReference(str(path), letor.digest, names, texts)


def reference_of(rankings: Rankings) -> RankingsReference | None:
    """Return the reference to `rankings`; None if other processes cannot make them again."""
    return _references.get(rankings)


def rank_again(
    reference: RankingsReference, start: int = 0, stop: int | None = None, jobs: int = 1
) -> Rankings:
    """Return the rankings of a reference, for the queries from `start` up to `stop`.

    The data of the last reference stay open, for the other threads and calls of this process.

    Raises
    ------
    DataError
        If the cache file is absent, damaged or of other data.
    """
    with _lock:
        letor, rankers = _opened(reference)
    if (start, stop) != (0, None):
        letor = letor.take_queries(np.arange(letor.n_queries)[start:stop])
    return rank(letor, rankers, jobs).resolve(reference.ties, reference.seed, jobs)


def _is_of_columns(text: str) -> bool:
    """Return whether the text of a ranker refers to features only, and not to a file or a Python object."""
    return bool(text) and text.partition(":")[0].lower() not in KINDS


@functools.lru_cache(maxsize=1)
def _opened(reference: RankingsReference) -> tuple[Letor, list[Ranker]]:
    letor = load(Path(reference.path), reference.digest)
    if letor is None:
        raise DataError(f"{reference.path}.*.arrow: no readable cache file of these data")
    rankers = [parse(text, letor) for text in reference.texts]
    if tuple(ranker.name for ranker in rankers) != reference.names:
        raise DataError(f"{reference.path}.*.arrow: the texts of the rankers do not determine their names")
    return letor, rankers
