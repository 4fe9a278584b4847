"""Progress of the runs that are being played, for a display in another thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from rankduel.bandits.loop import Progress
from rankduel.base.compiling import record
from rankduel.experiments.cluster import Cluster


class InPlay:
    """Progress of the runs in play; runs in other processes, and of policies on sets, stay at step 0."""

    def __init__(self, horizon: int) -> None:
        self.horizon = horizon
        self.cluster: Cluster | None = None  # whose workers play the runs, if any
        self._running: dict[int, np.recarray] = {}  # by id(): every thread adds and removes its own record

    @contextmanager
    def playing(self) -> Iterator[np.recarray]:
        """Yield a record to which a run writes its step, and count the run until the block ends."""
        progress = record(Progress())
        self._running[id(progress)] = progress
        try:
            yield progress
        finally:
            del self._running[id(progress)]

    def n_steps(self) -> int:
        """Return the number of steps that the runs in play have done so far."""
        return sum(int(one.step[0]) for one in list(self._running.values()))
