"""Share work units among the workers of a Dask cluster. No other module imports Dask.

A unit is `function(shared, item)`: a function of a module, a value that all units of a map share, and an
item. Its result depends on nothing else, so it may be computed twice or by any worker, and a map returns the
results in the order of the items. If a worker stops, other workers compute its units. After a restart of the
scheduler, units without a result are sent again.

The shared value is sent once to each worker that needs it; an item is sent with its unit. A `Transfer` says
which data they contain. Data that workers can read from files are not sent: if a worker cannot read them, the
map continues with the transfer that contains them.
"""

from __future__ import annotations

import collections
import functools
import hashlib
import itertools
import logging
import os
import platform
import secrets
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from rankduel.base.cache_folders import cache_folder
from rankduel.base.errors import UsageError
from rankduel.base.private_folders import make_own_folder
from rankduel.base.text import counted
from rankduel.base.threads import n_workers

LOCAL = "local:"  # 'local:4' starts four worker processes on this machine
MOST_LOCAL = 256
_TLS = "tls://"
_CERTIFICATES = (
    "TLS needs certificates of the scheduler's authority, which Dask's configuration names: "
    "distributed.comm.tls.ca-file, client.cert and client.key"
)

_UNITS_PER_THREAD = 3  # units that are computed or whose results have not been consumed
_POLL_SECONDS = 1.0  # between two queries of the workers
_CONNECT_SECONDS = 10.0  # until a scheduler counts as absent
_RECONNECT_SECONDS = 600.0  # to wait for a scheduler or workers that were lost
_LOCK_DAYS = 7
_MOST_RESENDS = 3  # times that a unit is sent again after Dask gave up on it
_MOST_LOSSES = 5  # of the scheduler or of data on a worker, one after the other without a result

T = TypeVar("T")
Unit = Callable[[Any, Any], Any]  # shared, item as sent -> result

_log = logging.getLogger("rankduel.cluster")


class ClusterStatus(NamedTuple):
    """Numbers of workers and threads of a cluster, for progress displays."""

    n_workers: int
    n_threads: int


_KILLED = object()  # outcome of a unit whose workers ended


class Compiling(NamedTuple):
    """How units of several kinds compile their code; one process of a machine does so for all."""

    kind: Callable[[Any], str]  # item -> name of the code
    call: Callable[[Any, Any], object]  # shared, item as sent: compile the code


class Transfer(NamedTuple):
    """How data reach workers: in the shared value, in the items, or from a file."""

    shared: Any  # value that all units share
    pack: Callable[[Any], Any] = lambda item: item  # returns the item as it is sent
    data: str = ""  # what the log says about the data


class DataUnreadableError(Exception):
    """Data that a unit refers to cannot be read on its worker."""


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
        raise UsageError(
            "scheduler=... needs Dask: pip install 'rankduel[dask]'", parameter="scheduler"
        ) from None
    with _quiet(), _scheduler(address) as (scheduler, security):
        cluster = Cluster(distributed, scheduler, security)
        try:
            cluster.connect()
            _log.info("%s", cluster.described())
            yield cluster
        finally:
            cluster.close()


@contextmanager
def _quiet() -> Iterator[None]:
    """Print no tracebacks of Dask about lost connections: `Cluster` says what is lost, and connects again."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [log.level for log in loggers]
    for log in loggers:
        log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for log, level in zip(loggers, levels):
            log.setLevel(level)


@contextmanager
def workers_of(jobs: int, scheduler: str | None) -> Iterator[Workers]:
    """Yield the cluster of a scheduler, or `jobs` if there is none."""
    if scheduler is None:
        yield jobs
        return
    with open_cluster(scheduler) as cluster:
        yield cluster


@contextmanager
def _scheduler(address: str) -> Iterator[tuple[str, Any]]:
    """Yield the address of a scheduler and its `Security`; None for that of Dask's configuration.

    For ``local:N``, start a scheduler and workers on this machine. Every user of the machine can connect to
    their ports, and whoever is let in runs code as this user. So they use TLS with a key that is made for
    them and stays in their memory. Their folder is new: Dask's usual one, where spilled data are pickled, has
    a fixed name, so that another user could have made it.
    """
    if not address.startswith(LOCAL):
        yield address, None
        return
    count = address.removeprefix(LOCAL)
    if not (count.isascii() and count.isdigit() and 1 <= int(count) <= MOST_LOCAL):
        raise UsageError(
            f"scheduler='{address}': expected a number of worker processes from 1 to {MOST_LOCAL}, as in "
            "'local:4'; or the address of a scheduler, tcp://HOST:PORT or tls://HOST:PORT",
            parameter="scheduler",
        )
    import dask
    from distributed import LocalCluster, Security

    try:
        security = Security.temporary()
    except ImportError:
        raise UsageError(
            f"scheduler='{address}' needs the package cryptography, for TLS: pip install 'rankduel[dask]'",
            parameter="scheduler",
        ) from None
    with (
        tempfile.TemporaryDirectory(prefix="rankduel-workers-", ignore_cleanup_errors=True) as folder,
        dask.config.set(temporary_directory=folder),
        LocalCluster(
            n_workers=int(count),
            threads_per_worker=1,
            host="127.0.0.1",
            protocol="tls://",
            security=security,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,  # otherwise workers log errors when they are stopped
        ) as started,
    ):
        yield str(started.scheduler_address), security


class Cluster:
    """Connection to the workers of one scheduler, made by `open_cluster`."""

    def __init__(self, distributed: Any, address: str, security: Any = None) -> None:
        self._distributed = distributed
        self._address = address
        self._security = security
        self._client: Any = None
        self._id = secrets.token_hex(8)
        self._status = ClusterStatus(0, 0)
        self._next_poll = 0.0
        self._logged: set[str] = set()
        self._unreadable: set[str] = set()  # `Transfer.data` of data that a worker could not read

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
                    self._address, security=self._security, timeout=_CONNECT_SECONDS, set_as_default=False
                )
                self._client.wait_for_workers(1, timeout=max(_CONNECT_SECONDS, until - time.monotonic()))
                found = self._client.run(versions)
                break
            except (OSError, ValueError, TimeoutError) as problem:
                if time.monotonic() >= until:
                    raise self._absent(problem) from None
                time.sleep(_POLL_SECONDS)
            except TypeError:  # from Dask, without certificates
                if not self._address.startswith(_TLS):
                    raise
                raise UsageError(
                    f"scheduler='{self._address}': {_CERTIFICATES}", parameter="scheduler"
                ) from None
            except ImportError as problem:
                raise UsageError(
                    f"a worker of {self._address} cannot load rankduel ({problem}); install the same "
                    "versions on all machines"
                ) from None
        _check_versions(found)
        self._next_poll = 0.0

    def _absent(self, problem: Exception) -> UsageError:
        if self._client is not None and self._client.status == "running":
            return UsageError(
                f"the scheduler at {self._address} has no workers; 'dask worker {self._address}' starts one"
            )
        uses_tls = self._address.startswith(_TLS)
        hint = _CERTIFICATES if uses_tls else f"the address of one that uses TLS begins with {_TLS}"
        return UsageError(
            f"no Dask scheduler at {self._address} ({type(problem).__name__}); start one with "
            f"'dask scheduler' and workers with 'dask worker ADDRESS'; {hint}"
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
        among = f"{counted(workers, 'worker')} with {counted(threads, 'thread')}"
        return f"sharing the work among {among}{shown}"

    def status(self) -> ClusterStatus:
        """Return the numbers of workers and threads; query the scheduler at most once a second."""
        if time.monotonic() >= self._next_poll:
            with suppress(OSError, TimeoutError):
                threads = self._client.nthreads()
                self._status = ClusterStatus(len(threads), sum(threads.values()))
            self._next_poll = time.monotonic() + _POLL_SECONDS
        return self._status

    def ordered_map(self, function: Unit, transfers: Sequence[Transfer], items: Iterable[T]) -> Iterator[Any]:
        """Yield ``function(shared, item)`` for every item, in the order of the items.

        The first of `transfers` is used. After a worker that cannot read its data, units without a result
        are sent by the next; the last contains all data.
        """
        arrived: dict[int, Any] = {}
        n_taken = 0
        for number, result in self._results(function, transfers, items, lambda: len(arrived)):
            arrived[number] = result
            while n_taken in arrived:
                yield arrived.pop(n_taken)
                n_taken += 1

    def unordered_map(
        self,
        function: Unit,
        transfers: Sequence[Transfer],
        items: Iterable[T],
        compiling: Compiling | None = None,
    ) -> Iterator[Any]:
        """Yield the results of `ordered_map` in the order in which the units end."""
        for _, result in self._results(function, transfers, items, lambda: 0, compiling):
            yield result

    def _results(
        self,
        function: Unit,
        transfers: Sequence[Transfer],
        items: Iterable[T],
        n_waiting: Callable[[], int],
        compiling: Compiling | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """Yield the number of every item with its result, in any order.

        `n_waiting` returns the number of results that have not been consumed. They count as units in
        progress, which bounds the memory for results.
        """
        usable = [one for one in transfers if one.data not in self._unreadable]
        remaining = enumerate(items)
        to_send: deque[tuple[int, T]] = deque()  # lost items first: results of later items may wait for them
        in_progress: dict[Any, tuple[int, T]] = {}
        n_lost: collections.Counter[int] = collections.Counter()
        n_losses = 0  # since the last result
        send: Callable[[T], Any] | None = None
        while True:
            try:
                if send is None:
                    send = self._make_send(function, usable[0], compiling)
                room = max(2, _UNITS_PER_THREAD * self.status().n_threads) - len(in_progress) - n_waiting()
                n_units = max(room, len(to_send), not in_progress)
                to_send.extend(itertools.islice(remaining, n_units - len(to_send)))
                while to_send:
                    future = send(to_send[0][1])
                    in_progress[future] = to_send.popleft()
                if not in_progress:
                    return
                outcomes = {future: self._outcome(future) for future in self._wait(list(in_progress))}
            except _Lost as problem:
                n_losses += 1
                _check_losses(n_losses, problem)
                _log.warning("%s; the units without a result are sent again", problem)
                to_send.extendleft(sorted(in_progress.values(), key=lambda unit: unit[0], reverse=True))
                in_progress.clear()
                self.connect(_RECONNECT_SECONDS)
                send = None
                continue
            for future, outcome in outcomes.items():
                unit = in_progress.pop(future)
                if outcome is _KILLED:
                    _check_lost(n_lost, unit[0])
                    to_send.append(unit)
                elif isinstance(outcome, DataUnreadableError):
                    to_send.append(unit)
                    if len(usable) > 1:  # otherwise another unit has reported it
                        _log.info("a worker cannot read the data (%s)", outcome)
                        self._unreadable.add(usable.pop(0).data)
                        send = None
                else:
                    n_losses = 0
                    yield unit[0], outcome

    def _make_send(
        self, function: Unit, transfer: Transfer, compiling: Compiling | None
    ) -> Callable[[T], Any]:
        """Send the shared value, and return a function that sends an item and returns the future."""
        if transfer.data and transfer.data not in self._logged:
            self._logged.add(transfer.data)
            _log.info("%s", transfer.data)
        with self._connected():
            (scattered,) = self._client.scatter([transfer.shared], hash=False)
        compute = functools.partial(_compute, function, compiling and compiling.call, versions())
        name = f"{self._id} {function.__qualname__}"

        def send(item: T) -> Any:
            kind = f"{name} {compiling.kind(item)}" if compiling else name
            with self._connected():
                return self._client.submit(compute, kind, scattered, transfer.pack(item), pure=False)

        return send

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Convert the errors of a connection that was lost to `_Lost`."""
        client = self._distributed.client
        try:
            yield
        except (OSError, TimeoutError, client.CancelledError, client.ClosedClientError) as problem:
            lost = f"the scheduler at {self._address}, or data on a worker, are gone"
            raise _Lost(f"{lost} ({type(problem).__name__})") from None

    def _outcome(self, future: Any) -> Any:
        """Return the result of a unit that ended, _KILLED if it ended its workers, or DataUnreadableError.

        Any other error of the unit is raised.
        """
        with self._connected():
            problem = future.exception() if future.status == "error" else None
            if problem is None:
                return future.result()
        if isinstance(problem, self._distributed.KilledWorker):
            return _KILLED
        if isinstance(problem, DataUnreadableError):
            return problem
        raise problem

    def _wait(self, futures: list[Any]) -> list[Any]:
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


def _check_lost(n_lost: collections.Counter[int], unit: int) -> None:
    """Count that a unit ended its workers; raise UsageError if it did so too often."""
    n_lost[unit] += 1
    if n_lost[unit] > _MOST_RESENDS:
        raise UsageError(
            f"a unit of work ended every worker that computed it, {n_lost[unit]} times; look at the logs of "
            "the workers, which may have too little memory"
        )


def _check_losses(n_losses: int, problem: _Lost) -> None:
    """Raise UsageError after too many losses without a result, as when every worker is ended by its nanny."""
    if n_losses > _MOST_LOSSES:
        raise UsageError(
            f"{problem}, {n_losses} times without a result in between; look at the logs of the scheduler and "
            "the workers, which may have too little memory"
        ) from None


Workers = int | Cluster  # a number of threads on this machine, as for `n_workers`, or a cluster


def checked_workers(workers: Workers) -> Workers:
    """Return a cluster unchanged, or the number of threads for a number of jobs."""
    return workers if isinstance(workers, Cluster) else n_workers(workers)


def threads_here(workers: Workers) -> int:
    """Return the number of threads for work that is not sent to a cluster; all cores if there is one."""
    return n_workers(-1 if isinstance(workers, Cluster) else workers)


# ---- on the workers ----


_loaded: set[str] = set()  # kinds of units whose code this process has compiled or loaded


def _compute(
    function: Unit,
    compile_code: Callable[[Any, Any], object] | None,
    expected: Mapping[str, str],
    kind: str,
    shared: Any,
    item: Any,
) -> Any:
    """Compute one unit on a worker.

    One process of a machine compiles the code of a kind of units, by `compile_code` or by its first unit. The
    other processes wait, and load the code from disk.
    """
    _check_versions({platform.node(): versions()}, expected)
    if kind not in _loaded:
        with _first_on_machine(kind) as is_first:
            if is_first and compile_code is None:
                result = function(shared, item)
                _loaded.add(kind)
                return result
            if compile_code is not None:
                compile_code(shared, item)
        _loaded.add(kind)
    return function(shared, item)


@contextmanager
def _first_on_machine(kind: str) -> Iterator[bool]:
    """Lock a kind of units on this machine, and yield whether no process has had the lock before."""
    name = hashlib.sha256(kind.encode()).hexdigest()[:32]
    with ExitStack() as stack:
        is_first = True
        try:
            import fcntl

            folder = cache_folder() / "cluster"
            make_own_folder(folder)
            _remove_old_locks(folder)
            file = stack.enter_context(open(folder / name, "a+"))
            fcntl.flock(file, fcntl.LOCK_EX)
            is_first = file.tell() == 0
        except (ImportError, OSError):  # without locks, or with an unusable folder, every process compiles
            file = None
        yield is_first
        if file is not None:
            with suppress(OSError):  # on a full disk, the next process compiles again
                file.write("compiled\n")
                file.flush()


def _remove_old_locks(folder: Path) -> None:
    """Remove the locks of commands that ended long ago."""
    for path in folder.iterdir():
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _LOCK_DAYS * 86_400:
                path.unlink()


def _source_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield names and paths of all modules; in a checkout, subpackages are symbolic links."""
    for folder, _, files in os.walk(root, followlinks=True):
        for path in (Path(folder, file) for file in files if file.endswith(".py")):
            yield path.relative_to(root).as_posix(), path


@functools.cache
def versions() -> dict[str, str]:
    """Return the versions that results depend on; the version of rankduel contains a digest of its code."""
    digest = hashlib.sha256()
    for name, path in sorted(_source_files(Path(__file__).parents[1])):
        digest.update(name.encode() + b"\0" + path.read_bytes())
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
