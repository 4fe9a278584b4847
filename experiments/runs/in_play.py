"""Runs that are being played, for a display in another thread to look at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from bandits.loop import Progress
from experiments.cluster import Cluster
from rankduel.base.compiling import record


class InPlay:
    """The runs in play; those of other processes, and of policies that compare sets, stay at step 0."""

    def __init__(self, horizon: int) -> None:
        self.horizon = horizon
        self.cluster: Cluster | None = None  # whose workers play the runs, if any
        self._running: dict[int, np.recarray] = {}  # by identity: threads add and remove their own

    @contextmanager
    def playing(self) -> Iterator[np.recarray]:
        """Yield a record that a run writes its step to, while it is in play."""
        progress = record(Progress())
        self._running[id(progress)] = progress
        try:
            yield progress
        finally:
            del self._running[id(progress)]

    def n_steps(self) -> int:
        """Return how many steps the runs in play have played."""
        return sum(int(one.step[0]) for one in list(self._running.values()))
