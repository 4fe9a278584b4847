"""Runs on a Dask cluster: a scheduler and two workers, one of which is killed during the runs."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading

import pytest
from support import arenas

from experiments.runs.problem import Problem
from experiments.runs.run import run
from rankduel.base.errors import RankduelError

pytestmark = [pytest.mark.kernel, pytest.mark.slow]


@contextlib.contextmanager
def process(module, *arguments):
    started = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        yield started
    finally:
        started.kill()
        started.wait()


@pytest.fixture
def cluster():
    """Start a cluster, and yield (address, worker, worker)."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    address = f"tcp://127.0.0.1:{port}"
    here = ("--host", "127.0.0.1")
    with process("distributed.cli.dask_scheduler", *here, "--port", port, "--no-dashboard"):
        options = (address, *here, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        with process("distributed.cli.dask_worker", *options) as one:
            with process("distributed.cli.dask_worker", *options) as other:
                wait_for_workers(address)
                yield address, one, other


def wait_for_workers(address):
    from distributed import Client

    with Client(address, timeout=60) as client:
        client.wait_for_workers(2, timeout=60)


def records(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.parquet")}


def test_a_killed_worker_costs_no_byte(cluster, tmp_path):
    address, one, _ = cluster
    chosen = arenas.arena()
    problem = Problem(arenas.exact_preferences(chosen), chosen)
    policies, horizon, runs = ["sparring", "random_pair"], 200_000, 12  # a run takes some tenths of a second
    run(problem, policies, horizon, runs, jobs=2, folder=tmp_path / "here")
    kill, ended = threading.Timer(0.5, lambda: one.send_signal(signal.SIGKILL)), []

    def note(n):
        ended.append(one.poll())
        if len(ended) == 2:  # the first call counts the recorded runs
            kill.start()

    run(problem, policies, horizon, runs, folder=tmp_path / "there", scheduler=address, done=note)
    assert one.wait(timeout=10) == -signal.SIGKILL and ended[-1] == -signal.SIGKILL and None in ended
    assert records(tmp_path / "here") == records(tmp_path / "there")


def test_no_scheduler_is_a_clear_error(tmp_path):
    with pytest.raises(RankduelError, match="no Dask scheduler at tcp://127.0.0.1:9"):
        run("arxiv6", ["rucb"], 10, scheduler="tcp://127.0.0.1:9")
