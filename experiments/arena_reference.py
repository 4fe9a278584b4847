"""Arenas that are sent to the workers of a cluster without their rankings, which workers make again."""

from __future__ import annotations

import platform
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from rankduel.base.errors import RankduelError
from rankduel.experiments.arena import Arena
from rankduel.experiments.cluster import DataUnreadableError, Transfer
from rankduel.letor_data.rankings import Rankings, RankingsReference
from rankduel.letor_data.references import rank_again, reference_of

SENT = "the data are sent to the workers"  # in the log


@dataclass(frozen=True, eq=False)
class ArenaReference:
    """An arena, and how a worker makes its rankings."""

    arena: Arena  # with rankings of no documents
    rankings: RankingsReference

    @cached_property
    def made(self) -> Arena:
        """The arena with its rankings, on a worker."""
        return replace(self.arena, rankings=rankings_on_worker(self.rankings))


_lock = threading.Lock()


def reference_to(arena: Arena) -> ArenaReference | None:
    """Return a reference to `arena`; None if workers cannot make its rankings."""
    found = reference_of(arena.rankings)
    if found is None:
        return None
    none = {name: getattr(arena.rankings, name)[:, :0] for name in ("order", "positions", "ties")}
    return ArenaReference(replace(arena, rankings=replace(arena.rankings, **none)), found)


def read_by_workers(reference: RankingsReference) -> str:
    """Return what the log says about data that are not sent."""
    return f"the workers read the data from {reference.path}.*.arrow"


def transfers_of(arena: Arena, shared: Callable[[Arena | ArenaReference], object]) -> list[Transfer]:
    """Return the transfers of an arena in a shared value: by reference, if there is one, and by value.

    `shared` returns the value that contains its argument.
    """
    by_value = Transfer(shared(arena), data=SENT)
    sent = reference_to(arena)
    if sent is None:
        return [by_value]
    return [Transfer(shared(sent), data=read_by_workers(sent.rankings)), by_value]


def arena_of(sent: Arena | ArenaReference) -> Arena:
    """Return the arena on a worker, which keeps it for as long as it has the reference.

    Raises
    ------
    DataUnreadableError
        If this machine has no cache file of the data.
    """
    if isinstance(sent, Arena):
        return sent
    with _lock:
        return sent.made


def rankings_on_worker(reference: RankingsReference, start: int = 0, stop: int | None = None) -> Rankings:
    """Return the rankings of the queries from `start` up to `stop`, as `rank_again` does.

    Raises
    ------
    DataUnreadableError
        If this machine has no cache file of the data.
    """
    try:
        return rank_again(reference, start, stop, jobs=-1 if stop is None else 1)
    except RankduelError as problem:
        raise DataUnreadableError(f"{platform.node()}: {problem}") from None
