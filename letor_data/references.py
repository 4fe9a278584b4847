"""References to rankings, by which another process makes them again from the cache file of the data.

A reference is small, and rankings are large: four to seven bytes per document and ranker. Only rankings by
features and weighted sums of features have references; other rankers need files or Python objects of their
own. The data are identified by their digest, which their cache file contains, and not by the file that was
parsed.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rankduel.base.errors import DataError
from rankduel.letor_data.cache import load
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers.contract import Ranker
from rankduel.letor_data.rankers.texts import KINDS, parse
from rankduel.letor_data.rankings import Rankings, RankingsReference, Referred, rank

_lock = threading.Lock()


def with_reference(rankings: Rankings, letor: Letor, rankers: Sequence[Ranker]) -> Rankings:
    """Return the rankings of `letor` by `rankers` with a reference to them, if there can be one."""
    names, texts = rankings.names, tuple(ranker.text for ranker in rankers)
    if letor.file is None or rankings.lengths is not None or not all(map(_is_of_columns, texts)):
        return rankings
    reference = RankingsReference(str(letor.file.stem), letor.digest, names, texts)
    return replace(rankings, referred=Referred(reference, rankings.content))


def reference_of(rankings: Rankings) -> RankingsReference | None:
    """Return the reference to `rankings`; None if other processes cannot make them again."""
    return None if rankings.referred is None else rankings.referred.reference


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
