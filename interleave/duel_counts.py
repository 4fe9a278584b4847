"""Counts of the outcomes of many live duels."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from rankduel.base.compiling import entry
from rankduel.base.settings import Configured
from rankduel.interleave.duel import outcome_by
from rankduel.interleave.exact.outcome_odds import verdict
from rankduel.interleave.world import World


def play_duels(
    world: World, interleaving: Configured, first: int, second: int, duels: int, users: np.random.Generator
) -> np.ndarray:
    """Play `duels` live duels and return the (losses, ties, wins) of `first`."""
    return _counter(interleaving.name)(world, first, second, duels, users)


@functools.cache
def _counter(name: str) -> Callable[..., Any]:
    outcome = outcome_by(name)

    @entry
    def count(world, first, second, duels, users):
        counts = np.zeros(3, np.int64)
        for _ in range(duels):
            counts[verdict(outcome(world, first, second, users))] += 1
        return counts

    return count
