"""Live comparisons of sets of rankers that measure the pages they show."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankduel.base.compiling import kernel
from rankduel.interleave.live import n_measured, note_page
from rankduel.interleave.multileave.impression import multileave_by
from rankduel.interleave.multileave.world import SharedWorld, for_another_thread


class LiveSharedWorld(NamedTuple):
    """A shared world and the sums of measurements of its pages. One per thread."""

    shared: SharedWorld
    preferences: np.ndarray  # (rankers, rankers) float64: workspace for one page
    shown: np.ndarray  # as in rankduel.interleave.live.Live


def go_live_together(shared: SharedWorld) -> LiveSharedWorld:
    """Return a copy of the shared world with its own page, and measurements at 0."""
    n_rankers = len(shared.world.order)
    shown = np.zeros(n_measured(shared.world))
    return LiveSharedWorld(for_another_thread(shared), np.zeros((n_rankers, n_rankers)), shown)


@functools.cache
def live_comparison_by(name: str) -> Callable[..., Any]:
    """Return `compare(live, rankers, copies, n, won, users)` for a method, which shows a page of n rankers.

    won[x, y] receives the duels that ranker x won against y: one for every pair of their copies if x is
    preferred on the page, otherwise 0.
    """
    impression = multileave_by(name)

    @kernel
    def compare(live, rankers, copies, n, won, users):
        n_clicks, ndcg = impression(live.shared, rankers, n, live.preferences, users)
        note_page(live.shown, n_clicks, ndcg, live.shared.world.rules[0].n_unjudged)
        for x in range(n):
            for y in range(n):
                won[x, y] = copies[x] * copies[y] if live.preferences[x, y] > 0.0 else 0

    return compare
