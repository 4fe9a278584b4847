"""Jobs killed at random moments and started again end with the bytes of an undisturbed job."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytestmark = pytest.mark.slow
MOMENTS = 25

RUN = """
from experiments.runs.run import run
run("arithmetic", ["sparring", "rucb", "random_pair"], 300_000, 8, folder=r"{folder}", jobs=2)
"""


def start(code):
    return subprocess.Popen([sys.executable, "-c", code])


def records(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.parquet")}


def test_runs(tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    compiling = start(RUN.format(folder=whole))
    assert compiling.wait() == 0
    started = time.monotonic()
    again = start(RUN.format(folder=tmp_path / "timed"))
    assert again.wait() == 0
    lasted = time.monotonic() - started
    rng, n_killed = np.random.default_rng(0), 0
    while n_killed < MOMENTS:
        for path in list(cut.rglob("*.parquet"))[::3]:  # so that there is always something left to do
            path.unlink()
        job = start(RUN.format(folder=cut))
        time.sleep(rng.uniform(0.2, 1.0) * lasted)
        if job.poll() is None:
            job.send_signal(signal.SIGKILL)
            n_killed += 1
        job.wait()
        for name, content in records(cut).items():
            assert content == records(whole)[name]
    last = start(RUN.format(folder=cut))
    assert last.wait() == 0
    assert records(cut) == records(whole)


def test_two_processes_on_one_folder(tmp_path):
    whole, shared = tmp_path / "whole", tmp_path / "shared"
    assert start(RUN.format(folder=whole)).wait() == 0
    jobs = [start(RUN.format(folder=shared)) for _ in range(2)]
    for job in jobs:
        assert job.wait() == 0
    assert records(shared) == records(whole)
