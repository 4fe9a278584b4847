"""Test jobs on a Dask cluster of a scheduler and three workers that are killed, paused or lack disk space.

Every job must write the same bytes as one thread.
"""

import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from support import arenas

from experiments.cluster import open_cluster, versions
from experiments.matrix.build import write_matrix
from experiments.runs.problem import Problem
from experiments.runs.run import run
from rankduel.base.errors import RankduelError

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

SILENT = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "10 s"
}  # a worker without a message for this time counts as lost


@contextlib.contextmanager
def process(module, *arguments, limit=None, **variables):
    """Run a module until the end of the block; `limit` is the largest file that it may write, in bytes."""
    settings = {"PYTHONPATH": os.pathsep.join(sys.path)}
    started = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **settings, **variables},
        preexec_fn=limit and (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))),
    )
    try:
        yield started
    finally:
        started.kill()
        started.wait()


class Machines:
    """A scheduler and its workers."""

    def __init__(self, stack):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.stack, self.workers, self.scheduler = stack, [], None

    def start(self, n_workers=3, **more):
        """Start a scheduler and workers."""
        options = ("--host", "127.0.0.1", "--port", self.port, "--no-dashboard")
        self.scheduler = self.stack.enter_context(process("distributed.cli.dask_scheduler", *options, **more))
        self.add(n_workers, **more)
        self.wait(n_workers)

    def add(self, n_workers=1, **more):
        options = ("--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        for _ in range(n_workers):
            worker = process("distributed.cli.dask_worker", self.address, *options, **more)
            self.workers.append(self.stack.enter_context(worker))

    def wait(self, n_workers):
        from distributed import Client

        with Client(self.address, timeout=60) as client:
            client.wait_for_workers(n_workers, timeout=60)


@pytest.fixture
def machines():
    with contextlib.ExitStack() as stack:
        yield Machines(stack)


@pytest.fixture(scope="module")
def arena():
    return arenas.arena()


def job(arena, output, workers, progress=lambda status: None):
    """Build a matrix in some seconds, in about a hundred units."""
    return write_matrix(arena, output, duels=40_000, simulate=True, jobs=workers, progress=progress)


class After:
    """Call a function once, after `n_reports` reports of progress."""

    def __init__(self, n_reports, function):
        self.left, self.function, self.called = n_reports, function, False

    def __call__(self, *_):
        self.left -= 1
        if self.left == 0:
            self.called = True
            self.function()


@pytest.fixture(scope="module")
def expected(arena, tmp_path_factory):
    """Return the bytes of the matrix that one thread writes."""
    output = tmp_path_factory.mktemp("here") / "here.prefs.parquet"
    job(arena, output, 1)
    return output.read_bytes()


def test_three_workers_write_the_same_bytes(machines, arena, expected, tmp_path):
    machines.start()
    output = tmp_path / "there.prefs.parquet"
    seen = []
    with open_cluster(machines.address) as cluster:
        job(arena, output, cluster, seen.append)
    assert output.read_bytes() == expected
    assert 3 in {status.workers for status in seen}


def test_a_killed_worker_changes_no_byte(machines, arena, expected, tmp_path):
    machines.start()
    kill = After(5, lambda: machines.workers[0].send_signal(signal.SIGKILL))
    output = tmp_path / "there.prefs.parquet"
    with open_cluster(machines.address) as cluster:
        job(arena, output, cluster, kill)
    assert kill.called and machines.workers[0].wait(10) == -signal.SIGKILL
    assert output.read_bytes() == expected


def test_a_disconnected_worker_changes_no_byte(machines, arena, expected, tmp_path):
    machines.start(**SILENT)
    stop = After(5, lambda: machines.workers[0].send_signal(signal.SIGSTOP))
    output = tmp_path / "there.prefs.parquet"
    with open_cluster(machines.address) as cluster:
        job(arena, output, cluster, stop)
    assert stop.called
    assert output.read_bytes() == expected


def test_a_worker_without_disk_space_changes_no_byte(machines, arena, expected, tmp_path):
    machines.start(2)
    machines.add(1, limit=4096, RANKDUEL_CACHE=str(tmp_path / "full"))
    machines.wait(3)
    output = tmp_path / "there.prefs.parquet"
    with open_cluster(machines.address) as cluster:
        job(arena, output, cluster)
    assert output.read_bytes() == expected
    assert all(worker.poll() is None for worker in machines.workers)


def test_a_restarted_scheduler_changes_no_byte(machines, arena, expected, tmp_path):
    machines.start()

    def restart():
        machines.scheduler.kill()
        machines.scheduler.wait()
        for worker in machines.workers:
            worker.kill()
        threading.Timer(1.0, machines.start).start()

    again = After(5, restart)
    output = tmp_path / "there.prefs.parquet"
    with open_cluster(machines.address) as cluster:
        job(arena, output, cluster, again)
    assert again.called
    assert output.read_bytes() == expected


CLIENT = """
import sys
from experiments.cluster import open_cluster
from experiments.matrix import checkpoint
from experiments.matrix.build import write_matrix
from support import arenas

checkpoint._EVERY = 0.1

with open_cluster(sys.argv[1]) as cluster:
    write_matrix(arenas.arena(), sys.argv[2], duels=40_000, simulate=True, jobs=cluster)
"""


def test_a_killed_client_resumes_from_its_checkpoint(machines, arena, expected, tmp_path):
    machines.start()
    output = tmp_path / "there.prefs.parquet"
    command = [sys.executable, "-c", CLIENT, machines.address, str(output)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    first = subprocess.Popen(command, env=environment)
    partial = tmp_path / ".there.prefs.parquet.partial" / "sums.values"
    until = time.monotonic() + 60
    while not partial.exists() and time.monotonic() < until and first.poll() is None:
        time.sleep(0.05)
    first.kill()
    first.wait()
    assert partial.exists() and not output.exists(), "the client ended before it could be killed"
    done = []
    with open_cluster(machines.address) as cluster:
        job(arena, output, cluster, lambda status: done.append(status.done))
    assert output.read_bytes() == expected
    assert done[0] > done[1] - done[0]  # it resumed from a checkpoint


def records(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.parquet")}


def test_runs_survive_a_killed_worker(machines, arena, tmp_path):
    machines.start()
    problem = Problem(arenas.exact_preferences(arena), arena)
    policies, horizon, runs = (
        ["sparring", "random_pair"],
        200_000,
        12,
    )  # runs of some tenths of a second
    run(problem, policies, horizon, runs, jobs=2, folder=tmp_path / "here")
    kill = After(3, lambda: machines.workers[0].send_signal(signal.SIGKILL))
    with open_cluster(machines.address) as cluster:
        run(problem, policies, horizon, runs, folder=tmp_path / "there", jobs=cluster, done=kill)
    assert kill.called
    assert records(tmp_path / "here") == records(tmp_path / "there")


def test_a_missing_scheduler_is_an_error():
    with pytest.raises(RankduelError, match="no Dask scheduler at tcp://127.0.0.1:9"):
        with open_cluster("tcp://127.0.0.1:9"):
            pass


@pytest.mark.parametrize("address", ["local:", "local:0", "local:-1", "local:x", "local:1000000"])
def test_wrong_numbers_of_local_workers_are_errors(address):
    with pytest.raises(RankduelError, match=f"--scheduler {address}: expected a number of worker processes"):
        with open_cluster(address):
            pass


def test_workers_with_other_versions_are_errors(machines, tmp_path):
    other = tmp_path / "sitecustomize.py"
    other.write_text(
        "import importlib.metadata as m\nold = m.version\n"
        "m.version = lambda name: '1.0' if name == 'numba' else old(name)\n"
    )
    machines.start(1, PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]))
    found = f"has numba 1.0, and the command has numba {versions()['numba']}"
    with pytest.raises(RankduelError, match=found):
        with open_cluster(machines.address):
            pass
