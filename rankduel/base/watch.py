"""Progress of long work, as callbacks of one object: a terminal's bars or a notebook's bar implement them."""

from __future__ import annotations

from typing import Any


class Watch:
    """Receive the progress of long work; every method does nothing by default.

    Functions that take long have an argument `watch`. Methods may be called from any thread.

    Attributes
    ----------
    command : str
        Command line to store with a run set; empty in Python.

    Examples
    --------
    >>> class Printed(rankduel.Watch):
    ...     def runs(self, done):
    ...         print(f"{done} more runs")
    >>> _ = rankduel.run("arxiv6", "rucb", horizon=100, runs=1, watch=Printed())
    0 more runs
    1 more runs
    """

    command: str = ""

    def reading(self, done: int, total: int) -> None:
        """Receive the number of bytes read so far, and of all bytes."""

    def counting(self, what: str, done: int, total: int) -> None:
        """Receive the number of items done since the last call, and of all items, of the work `what`."""

    def matrix(self, status: Any) -> None:
        """Receive the status of a matrix after every block: done, total, decided, pairs and workers."""

    def playing(self, in_play: Any) -> None:
        """Receive, once before the first run, an object with the progress of the runs in play.

        ``in_play.n_steps()`` is the number of duels of unfinished runs, and ``in_play.horizon`` their length.
        """

    def runs(self, done: int) -> None:
        """Receive the number of runs that ended since the last call; of pages, for shared pages."""


SILENT = Watch()
