"""Live comparisons of sets of rankers that keep count of the pages they show: their NDCG and their clicks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from interleave.live import n_measured, note_page
from interleave.multileave.impression import multileave_by
from interleave.multileave.world import SharedWorld, for_another_thread
from rankduel.base.compiling import kernel


class LiveSharedWorld(NamedTuple):
    """A shared world and what was shown in it. One per thread."""

    shared: SharedWorld
    preferences: np.ndarray  # (rankers, rankers) float64: room for those of one page
    shown: np.ndarray  # as in interleave.live.Live


def go_live_together(shared: SharedWorld) -> LiveSharedWorld:
    """The same shared world with a page of its own, and nothing shown yet."""
    n_rankers = len(shared.world.order)
    shown = np.zeros(n_measured(shared.world))
    return LiveSharedWorld(for_another_thread(shared), np.zeros((n_rankers, n_rankers)), shown)


@functools.cache
def live_comparison_by(name: str) -> Callable[..., Any]:
    """`compare(live, rankers, copies, n, won, users)` for one method: who is preferred on a page of all n.

    Rankers of which there are several copies have a duel for every two copies, all decided by the same page.
    Without a preference nobody wins.
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
