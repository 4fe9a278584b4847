"""Timing and tables for the benchmarks, which compare tools within one run on one machine."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table


def best_of(times: int, work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds of the fastest of `times` calls, which is least affected by other processes."""
    return min(_seconds(work, clock) for _ in range(times))


def _seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start


def peak_gib() -> float:
    """Return the peak memory of this process in GiB, mapped files included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def show(title: str, headings: list[str], rows: list[list[str]]) -> None:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    Console(highlight=False).print(table)
