"""Many live duels of one pair, counted."""

from __future__ import annotations

import functools

import numpy as np
from numba import njit

from interleave.catalogue import Interleaving
from interleave.duel import duel_by
from interleave.exact.outcome_odds import verdict
from interleave.world import World, named_apart


def play_duels(
    world: World, interleaving: Interleaving, first: int, second: int, duels: int, users: np.random.Generator
) -> np.ndarray:
    """(losses, ties, wins) of `first` in so many live duels."""
    return _counter(interleaving.method)(world, first, second, duels, users)


@functools.cache
def _counter(name: str):
    _, outcome = duel_by(name)

    @njit(nogil=True)
    @named_apart(name)
    def count(world, first, second, duels, users):
        counts = np.zeros(3, np.int64)
        for _ in range(duels):
            counts[verdict(outcome(world, first, second, users))] += 1
        return counts

    return count
