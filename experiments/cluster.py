"""Share work units among the workers of a Dask cluster. No other module imports Dask.

A unit is `function(shared, item)`: a function of a module, a value that all units of a map share, and an
item. Its result depends on nothing else, so it may be computed twice or by any worker, and a map returns the
results in the order of the items. If a worker stops, other workers compute its units. After a restart of the
scheduler, units without a result are sent again.

The shared value is sent once to each worker that needs it; an item is sent with its unit.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import platform
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from rankduel.base.errors import UsageError
from rankduel.base.files import cache_folder
from rankduel.base.threads import n_workers, ordered_map

PACKAGES = ("bandits", "clickmodels", "experiments", "interleave", "letor_data", "rankduel")
LOCAL = "local:"  # 'local:4' starts four worker processes on this machine
MOST_LOCAL = 256

_UNITS_PER_THREAD = 3  # units that are computed or whose results have not been consumed
_POLL_SECONDS = 1.0  # between two queries of the workers
_CONNECT_SECONDS = 10.0  # until a scheduler counts as absent
_RECONNECT_SECONDS = 600.0  # to wait for a scheduler or workers that were lost
_MOST_KINDS = 100
_MOST_RESENDS = 3  # times that a unit is sent again after Dask gave up on it

T = TypeVar("T")
R = TypeVar("R")
Unit = Callable[[Any, T], R]

_log = logging.getLogger("rankduel.cluster")


class ClusterStatus(NamedTuple):
    """Numbers of workers and threads of a cluster, for progress displays."""

    n_workers: int
    n_threads: int


class _Lost(Exception):
    """The connection to the scheduler, or data that units need, was lost."""


@contextmanager
def open_cluster(address: str) -> Iterator[Cluster]:
    """Connect to the scheduler at `address`, or start worker processes for ``local:N``.

    Raises
    ------
    UsageError
        If Dask is not installed, no scheduler answers, there are no workers, or a worker has other versions.
    """
    try:
        import distributed
    except ImportError:
        raise UsageError("--scheduler needs Dask: pip install 'rankduel[dask]'") from None
    with _scheduler_address(address) as scheduler:
        cluster = Cluster(distributed, scheduler)
        try:
            cluster.connect()
            _log.info("%s", cluster.described())
            yield cluster
        finally:
            cluster.close()


@contextmanager
def workers_of(jobs: int, scheduler: str | None) -> Iterator[Workers]:
    """Yield the cluster of a scheduler, or `jobs` if there is none."""
    if scheduler is None:
        yield jobs
        return
    with open_cluster(scheduler) as cluster:
        yield cluster


@contextmanager
def _scheduler_address(address: str) -> Iterator[str]:
    """Yield the address of a scheduler; for ``local:N``, start a scheduler and workers on this machine."""
    if not address.startswith(LOCAL):
        yield address
        return
    count = address.removeprefix(LOCAL)
    if not (count.isascii() and count.isdigit() and 1 <= int(count) <= MOST_LOCAL):
        raise UsageError(
            f"--scheduler {address}: expected a number of worker processes from 1 to {MOST_LOCAL}, as in "
            "'local:4'; or the address of a scheduler, tcp://HOST:PORT"
        )
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=int(count),
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,  # otherwise workers log errors when they are stopped
    ) as started:
        yield str(started.scheduler_address)


class Cluster:
    """Connection to the workers of one scheduler, made by `open_cluster`."""

    def __init__(self, distributed: Any, address: str) -> None:
        self._distributed = distributed
        self._address = address
        self._client: Any = None
        self._id = secrets.token_hex(8)
        self._status = ClusterStatus(0, 0)
        self._next_poll = 0.0

    def connect(self, patience: float = 0.0) -> None:
        """Connect to the scheduler; wait up to `patience` seconds for it and for a worker.

        Raises
        ------
        UsageError
            If no scheduler answers by then, there is no worker, or a worker has other versions.
        """
        until = time.monotonic() + patience
        while True:
            self.close()
            try:
                self._client = self._distributed.Client(
                    self._address, timeout=_CONNECT_SECONDS, set_as_default=False
                )
                self._client.wait_for_workers(1, timeout=max(_CONNECT_SECONDS, until - time.monotonic()))
                break
            except (OSError, ValueError, TimeoutError) as problem:
                if time.monotonic() >= until:
                    raise self._absent(problem) from None
                time.sleep(_POLL_SECONDS)
        _check_versions(self._client.run(versions))
        self._next_poll = 0.0

    def _absent(self, problem: Exception) -> UsageError:
        if self._client is not None and self._client.status == "running":
            return UsageError(
                f"the scheduler at {self._address} has no workers; 'dask worker {self._address}' starts one"
            )
        return UsageError(
            f"no Dask scheduler at {self._address} ({type(problem).__name__}); start one with "
            "'dask scheduler' and workers with 'dask worker ADDRESS'"
        )

    def close(self) -> None:
        """Close the connection; the scheduler and its workers keep running."""
        if self._client is not None:
            with suppress(Exception):  # the scheduler may have stopped
                self._client.close(timeout=_CONNECT_SECONDS)
            self._client = None

    def described(self) -> str:
        """Return a line about the workers and Dask's dashboard."""
        workers, threads = self.status()
        link = self._client.dashboard_link
        shown = f"; dashboard at {link}" if link else ""
        return f"sharing the work among {workers} workers with {threads} threads{shown}"

    def status(self) -> ClusterStatus:
        """Return the numbers of workers and threads; query the scheduler at most once a second."""
        if time.monotonic() >= self._next_poll:
            with suppress(OSError, TimeoutError):
                threads = self._client.nthreads()
                self._status = ClusterStatus(len(threads), sum(threads.values()))
            self._next_poll = time.monotonic() + _POLL_SECONDS
        return self._status

    def ordered_map(self, function: Unit[T, R], shared: Any, items: Iterable[T]) -> Iterator[R]:
        """Yield ``function(shared, item)`` for every item, in the order of the items."""
        arrived: dict[int, R] = {}
        n_taken = 0
        for number, result in self._results(function, shared, items, lambda: len(arrived)):
            arrived[number] = result
            while n_taken in arrived:
                yield arrived.pop(n_taken)
                n_taken += 1

    def unordered_map(
        self,
        function: Unit[T, R],
        shared: Any,
        items: Iterable[T],
        kind: Callable[[T], str] = lambda item: "",
    ) -> Iterator[R]:
        """Yield ``function(shared, item)`` for every item, in the order in which the units end.

        `kind` returns a name of the code that is compiled for an item, if items differ in it.
        """
        for _, result in self._results(function, shared, items, lambda: 0, kind):
            yield result

    def _results(
        self,
        function: Unit[T, R],
        shared: Any,
        items: Iterable[T],
        n_waiting: Callable[[], int],
        kind: Callable[[T], str] = lambda item: "",
    ) -> Iterator[tuple[int, R]]:
        """Yield the number of every item with its result, in any order.

        `n_waiting` returns the number of results that have not been consumed. They count as units in
        progress, which bounds the memory for results.
        """
        remaining = enumerate(items)
        to_resend: deque[tuple[int, T]] = deque()
        in_progress: dict[Any, tuple[int, T]] = {}
        n_lost: dict[int, int] = {}
        send = self._make_send(function, shared, kind)
        while True:
            try:
                room = max(2, _UNITS_PER_THREAD * self.status().n_threads) - len(in_progress) - n_waiting()
                # Items that were lost are sent first: results of later items may wait for them.
                n_units = max(room, len(to_resend), not in_progress)
                for number, item in _next_units(to_resend, remaining, n_units):
                    in_progress[send(item)] = (number, item)
                if not in_progress:
                    return
                finished = self._wait_for_units(list(in_progress))
            except _Lost as problem:
                _log.warning("%s; the units without a result are sent again", problem)
                to_resend.extendleft(sorted(in_progress.values(), key=lambda unit: unit[0], reverse=True))
                in_progress.clear()
                self.connect(_RECONNECT_SECONDS)
                send = self._make_send(function, shared, kind)
                continue
            for future in finished:
                number, item = in_progress.pop(future)
                try:
                    result = future.result()
                except self._distributed.KilledWorker:
                    n_lost[number] = n_lost.get(number, 0) + 1
                    if n_lost[number] > _MOST_RESENDS:
                        raise UsageError(
                            f"a unit of work ended every worker that computed it, {n_lost[number]} times; "
                            "look at the logs of the workers, which may have too little memory"
                        ) from None
                    to_resend.append((number, item))
                    continue
                yield number, result

    def _make_send(self, function: Unit[T, R], shared: Any, kind: Callable[[T], str]) -> Callable[[T], Any]:
        """Send `shared`, and return a function that sends an item and returns the future of its result."""
        try:
            (scattered,) = self._client.scatter([shared], hash=False)
        except (OSError, TimeoutError) as problem:
            raise _Lost(f"the scheduler at {self._address} is gone ({problem})") from None
        compute = functools.partial(_compute, function, versions())
        name = f"{self._id} {function.__qualname__}"
        return lambda item: self._client.submit(compute, f"{name} {kind(item)}", scattered, item, pure=False)

    def _wait_for_units(self, futures: list[Any]) -> list[Any]:
        """Wait for at least one future, and return those that ended.

        Raises
        ------
        _Lost
            If the scheduler stopped, or cancelled a future since the only worker with its data stopped.
        """
        while True:
            if self._client.status != "running" or any(one.cancelled() for one in futures):
                raise _Lost(f"the scheduler at {self._address}, or data on a worker, are gone")
            ended = [one for one in futures if one.done()]
            if ended:
                return ended
            with suppress(TimeoutError, self._distributed.client.CancelledError), self._client.as_current():
                self._distributed.wait(futures, timeout=_POLL_SECONDS, return_when="FIRST_COMPLETED")


Workers = int | Cluster  # a number of threads on this machine, as for `n_workers`, or a cluster


def checked_workers(workers: Workers) -> Workers:
    """Return a cluster unchanged, or the number of threads for a number of jobs."""
    return workers if isinstance(workers, Cluster) else n_workers(workers)


def threads_here(workers: Workers) -> int:
    """Return the number of threads for work that is not sent to a cluster; all cores if there is one."""
    return n_workers(-1 if isinstance(workers, Cluster) else workers)


def map_in_order(function: Unit[T, R], shared: Any, items: Iterable[T], workers: Workers) -> Iterator[R]:
    """Yield ``function(shared, item)`` for every item in order, computed by threads or by a cluster."""
    if isinstance(workers, Cluster):
        return workers.ordered_map(function, shared, items)
    return ordered_map(functools.partial(function, shared), items, n_workers(workers))


def _next_units(to_resend: deque[T], remaining: Iterator[T], n: int) -> Iterator[T]:
    """Yield up to `n` entries: first those of `to_resend`, which are removed, then the remaining ones."""
    for _ in range(n):
        if to_resend:
            yield to_resend.popleft()
            continue
        entry = next(remaining, None)
        if entry is None:
            return
        yield entry


# ---- on the workers ----


_loaded: set[str] = set()  # kinds of units whose code this process has compiled or loaded


def _compute(function: Unit[T, R], expected: Mapping[str, str], kind: str, shared: Any, item: T) -> R:
    """Compute one unit on a worker.

    Other units of the same kind on this machine wait for the first one, which compiles their code.
    """
    _check_versions({platform.node(): versions()}, expected)
    if kind not in _loaded:
        with _kinds_on_machine() as kinds:
            if kind not in kinds:
                result = function(shared, item)
                kinds.append(kind)
                _loaded.add(kind)
                return result
        _loaded.add(kind)
    return function(shared, item)


@contextmanager
def _kinds_on_machine() -> Iterator[list[str]]:
    """Lock and yield the list of the kinds of units whose code was compiled on this machine.

    Kinds that are appended to the list are stored for the next process.
    """
    try:
        import fcntl

        cache_folder().mkdir(parents=True, exist_ok=True)
        file = open(cache_folder() / "cluster.units", "a+")
    except (ImportError, OSError):  # a system without these locks, or an unusable folder
        yield []
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        kinds = file.read().splitlines()[-_MOST_KINDS:]
        known = len(kinds)
        yield kinds
        with suppress(OSError):  # on a full disk, the next process compiles again
            if len(kinds) > known:
                file.truncate(0)
                file.write("".join(f"{kind}\n" for kind in kinds))
                file.flush()


@functools.cache
def versions() -> dict[str, str]:
    """Return the versions that results depend on; the version of rankduel contains a digest of its code."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return {
        "rankduel": f"{version('rankduel')} ({digest.hexdigest()[:12]})",
        "numba": version("numba"),
        "numpy": version("numpy"),
        "python": platform.python_version(),
    }


def _check_versions(
    found: Mapping[str, Mapping[str, str]], expected: Mapping[str, str] | None = None
) -> None:
    """Raise an error that names both versions if a version of a worker differs from that of this process."""
    here = expected or versions()
    for worker, theirs in found.items():
        for name, wanted in here.items():
            if theirs.get(name) != wanted:
                raise UsageError(
                    f"the worker {worker} has {name} {theirs.get(name, 'none')}, and the command has "
                    f"{name} {wanted}; install the same versions on all machines"
                )
