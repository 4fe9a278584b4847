"""Share work units among the workers of a Dask cluster. No other module imports Dask.

A unit is `function(shared, item)`: a function of a module, a value that all units of a map share, and an
item. Its result depends on nothing else, so it may be computed twice or by any worker, and a map returns the
results in the order of the items. Workers that stop are replaced by others. After a restart of the scheduler
the units without a result are sent again.

The shared value is sent once to each worker that needs it, an item with its own unit only.
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

_AHEAD = 3  # units per thread that are sent or wait to be taken
_LOOK = 1.0  # seconds between two looks at the workers
_CONNECT = 10.0  # seconds until a scheduler counts as absent
_PATIENCE = 600.0  # seconds to wait for a scheduler, or for workers, that were there before
_KINDS_KEPT = 100
_TRIES = 3  # times that a unit may be lost with the workers that computed it, as Dask counts them

T = TypeVar("T")
R = TypeVar("R")
Unit = Callable[[Any, T], R]

_log = logging.getLogger("rankduel.cluster")


class ClusterStatus(NamedTuple):
    """What a display shows of a cluster."""

    n_workers: int
    n_threads: int


class _Lost(Exception):
    """The scheduler, or data that units need, are gone."""


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
    with _workers_here(address) as scheduler:
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
def _workers_here(address: str) -> Iterator[str]:
    """Yield the address of a scheduler; for ``local:N``, of one that is started here with its workers."""
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
        silence_logs=logging.CRITICAL,  # workers that are ended complain about it
    ) as started:
        yield str(started.scheduler_address)


class Cluster:
    """Workers of one scheduler, made by `open_cluster`."""

    def __init__(self, distributed: Any, address: str) -> None:
        self._distributed = distributed
        self._address = address
        self._client: Any = None
        self._id = secrets.token_hex(8)
        self._status = ClusterStatus(0, 0)
        self._next_look = 0.0

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
                self._client = self._distributed.Client(self._address, timeout=_CONNECT, set_as_default=False)
                self._client.wait_for_workers(1, timeout=max(_CONNECT, until - time.monotonic()))
                break
            except (OSError, ValueError, TimeoutError) as problem:
                if time.monotonic() >= until:
                    raise self._absent(problem) from None
                time.sleep(_LOOK)
        _check_versions(self._client.run(versions))
        self._next_look = 0.0

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
        """End the connection; the cluster itself goes on."""
        if self._client is not None:
            with suppress(Exception):  # of a scheduler that is gone
                self._client.close(timeout=_CONNECT)
            self._client = None

    def described(self) -> str:
        """Return a line about the workers and Dask's dashboard."""
        workers, threads = self.status()
        link = self._client.dashboard_link
        shown = f"; dashboard at {link}" if link else ""
        return f"sharing the work among {workers} workers with {threads} threads{shown}"

    def status(self) -> ClusterStatus:
        """Return how many workers there are; the scheduler is asked once a second at most."""
        if time.monotonic() >= self._next_look:
            with suppress(OSError, TimeoutError):
                threads = self._client.nthreads()
                self._status = ClusterStatus(len(threads), sum(threads.values()))
            self._next_look = time.monotonic() + _LOOK
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
        """Yield ``function(shared, item)`` for every item as its unit ends.

        `kind` names what is compiled for an item, if items differ in that.
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

        `n_waiting` tells how many results wait to be taken: they count as units under way, which bounds the
        memory that they need here.
        """
        remaining = enumerate(items)
        again: deque[tuple[int, T]] = deque()
        under_way: dict[Any, tuple[int, T]] = {}
        n_lost: dict[int, int] = {}
        send = self._sender(function, shared, kind)
        while True:
            try:
                room = max(2, _AHEAD * self.status().n_threads) - len(under_way) - n_waiting()
                # Items that were sent before come first: results of later ones may wait for them.
                for number, item in _first(again, remaining, max(room, len(again), not under_way)):
                    under_way[send(item)] = (number, item)
                if not under_way:
                    return
                finished = self._finished(list(under_way))
            except _Lost as problem:
                _log.warning("%s; the units without a result are sent again", problem)
                again.extendleft(sorted(under_way.values(), key=lambda unit: unit[0], reverse=True))
                under_way.clear()
                self.connect(_PATIENCE)
                send = self._sender(function, shared, kind)
                continue
            for future in finished:
                number, item = under_way.pop(future)
                try:
                    result = future.result()
                except self._distributed.KilledWorker:
                    n_lost[number] = n_lost.get(number, 0) + 1
                    if n_lost[number] > _TRIES:
                        raise UsageError(
                            f"a unit of work ended every worker that computed it, {n_lost[number]} times; "
                            "look at the logs of the workers, which may have too little memory"
                        ) from None
                    again.append((number, item))
                    continue
                yield number, result

    def _sender(self, function: Unit[T, R], shared: Any, kind: Callable[[T], str]) -> Callable[[T], Any]:
        """Return a function that sends an item, and returns the future of its result."""
        try:
            (there,) = self._client.scatter([shared], hash=False)
        except (OSError, TimeoutError) as problem:
            raise _Lost(f"the scheduler at {self._address} is gone ({problem})") from None
        compute = functools.partial(_compute, function, versions())
        name = f"{self._id} {function.__qualname__}"
        return lambda item: self._client.submit(compute, f"{name} {kind(item)}", there, item, pure=False)

    def _finished(self, futures: list[Any]) -> list[Any]:
        """Return the futures that ended, at least one.

        Raises
        ------
        _Lost
            If the scheduler is gone, or a future was cancelled there: its worker had the only copy of its
            data.
        """
        while True:
            if self._client.status != "running" or any(one.cancelled() for one in futures):
                raise _Lost(f"the scheduler at {self._address}, or data on a worker, are gone")
            ended = [one for one in futures if one.done()]
            if ended:
                return ended
            with suppress(TimeoutError, self._distributed.client.CancelledError), self._client.as_current():
                self._distributed.wait(futures, timeout=_LOOK, return_when="FIRST_COMPLETED")


Workers = int | Cluster  # what computes: a number of threads here, as `n_workers` takes it, or a cluster


def checked_workers(workers: Workers) -> Workers:
    """Return a cluster as it is, or the number of threads that a number of jobs asks for."""
    return workers if isinstance(workers, Cluster) else n_workers(workers)


def threads_here(workers: Workers) -> int:
    """Return how many threads may compute here what a cluster does not: all cores, if there is a cluster."""
    return n_workers(-1 if isinstance(workers, Cluster) else workers)


def map_in_order(function: Unit[T, R], shared: Any, items: Iterable[T], workers: Workers) -> Iterator[R]:
    """Yield ``function(shared, item)`` for every item in order, computed by threads or by a cluster."""
    if isinstance(workers, Cluster):
        return workers.ordered_map(function, shared, items)
    return ordered_map(functools.partial(function, shared), items, n_workers(workers))


def _first(again: deque[T], remaining: Iterator[T], n: int) -> Iterator[T]:
    """Yield up to `n` entries: those of `again`, which are removed, then the remaining ones."""
    for _ in range(n):
        if again:
            yield again.popleft()
            continue
        entry = next(remaining, None)
        if entry is None:
            return
        yield entry


# ---- on the workers ----


_loaded: set[str] = set()  # names of kinds of units whose code this process has compiled or loaded


def _compute(function: Unit[T, R], expected: Mapping[str, str], kind: str, shared: Any, item: T) -> R:
    """Compute one unit on a worker.

    The first unit of a kind on a machine compiles what the others load: they wait for it.
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
    """Yield the kinds of units that were computed on this machine, to one process at a time.

    Those that are added to the list are there for the next process.
    """
    try:
        import fcntl

        cache_folder().mkdir(parents=True, exist_ok=True)
        file = open(cache_folder() / "cluster.units", "a+")
    except (ImportError, OSError):  # no such locks here, or a folder that cannot be used
        yield []
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        kinds = file.read().splitlines()[-_KINDS_KEPT:]
        known = len(kinds)
        yield kinds
        with suppress(OSError):  # a full disk costs only time
            if len(kinds) > known:
                file.truncate(0)
                file.write("".join(f"{kind}\n" for kind in kinds))
                file.flush()


@functools.cache
def versions() -> dict[str, str]:
    """Return the versions that results depend on; that of rankduel with a digest of its code."""
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
    """Raise an error that names both versions if a worker has another one than this process."""
    here = expected or versions()
    for worker, theirs in found.items():
        for name, wanted in here.items():
            if theirs.get(name) != wanted:
                raise UsageError(
                    f"the worker {worker} has {name} {theirs.get(name, 'none')}, and the command has "
                    f"{name} {wanted}; install the same versions on all machines"
                )
