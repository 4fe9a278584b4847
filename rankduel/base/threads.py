"""Count the threads of a job, and map a function over threads with bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from rankduel.base.errors import UsageError

MOST_JOBS = 1024
T = TypeVar("T")
R = TypeVar("R")


def n_workers(jobs: int) -> int:
    """Return the number of threads or processes for `jobs`: -1 means all cores, -2 all but one.

    Raises
    ------
    UsageError
        If `jobs` is 0, more than `MOST_JOBS`, or no whole number.
    """
    from joblib import effective_n_jobs  # imported here: slow, and most commands start no jobs

    if not isinstance(jobs, int) or not -MOST_JOBS <= jobs <= MOST_JOBS or jobs == 0:
        raise UsageError(
            f"jobs is {jobs}; expected a whole number from 1 to {MOST_JOBS:,}, or -1 for as many as there "
            "are cores"
        )
    return int(effective_n_jobs(jobs))


def ordered_map(function: Callable[[T], R], items: Iterable[T], threads: int) -> Iterator[R]:
    """Yield `function(item)` for each item, in order, computed on threads.

    At most `threads` + 1 results are being computed or waiting, so memory is bounded if the consumer is
    slow. (Generators of joblib compute all results.)
    """
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
