"""Test jobs on a Dask cluster of three workers that are killed, paused, or lack disk space or data.

Every job must write the same bytes as one thread.
"""

import contextlib
import logging
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support import arenas, cluster_commands
from support.watching import Watching

from rankduel.base.errors import RankduelError
from rankduel.experiments.arena import open_arena
from rankduel.experiments.cluster import open_cluster, versions
from rankduel.experiments.matrix.build import write_matrix
from rankduel.experiments.matrix.preferences import read_preferences
from rankduel.experiments.runs.play import play_runs
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.studies.play import play_study
from rankduel.experiments.studies.published.merge_tuning import parameters
from rankduel.experiments.studies.study import Inputs, Size
from rankduel.experiments.studies.toml import read_study
from rankduel.letor_data import read_data
from rankduel.letor_data.cache import cache_files
from rankduel.letor_data.text.writer import write_letor

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
        """Start a scheduler and workers, and wait for them."""
        self.launch(n_workers, **more)
        self.wait(n_workers)

    def launch(self, n_workers=3, **more):
        options = ("--host", "127.0.0.1", "--port", self.port, "--no-dashboard")
        self.scheduler = self.stack.enter_context(process("distributed.cli.dask_scheduler", *options, **more))
        self.add(n_workers, **more)

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
def lasting_machines():
    """Return three workers for the tests that do no harm to them."""
    with contextlib.ExitStack() as stack:
        machines = Machines(stack)
        machines.start()
        yield machines


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


def test_three_workers_write_the_same_bytes(lasting_machines, arena, expected, tmp_path):
    output = tmp_path / "there.prefs.parquet"
    seen = []
    with open_cluster(lasting_machines.address) as cluster:
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
        threading.Timer(1.0, machines.launch).start()

    again = After(5, restart)
    output = tmp_path / "there.prefs.parquet"
    with open_cluster(machines.address) as cluster:
        job(arena, output, cluster, again)
    assert again.called
    assert output.read_bytes() == expected


CLIENT = """
import sys
from rankduel.experiments.cluster import open_cluster
from rankduel.experiments.matrix import checkpoint
from rankduel.experiments.matrix.build import write_matrix
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


def test_a_lost_scheduler_is_one_line_and_no_traceback(machines, tmp_path):
    machines.start(1)
    words = f"run arithmetic -p sparring --horizon 3e6 --runs 16 --scheduler {machines.address}"
    started = subprocess.Popen(
        [sys.executable, "-m", "rankduel", *words.split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    with started:
        until = time.monotonic() + 60
        while not list(tmp_path.rglob("0.parquet")) and time.monotonic() < until:
            time.sleep(0.05)
        machines.scheduler.kill()
        time.sleep(3.0)  # Dask tries to connect again
        started.send_signal(signal.SIGTERM)
        _, errors = started.communicate(timeout=20)
    assert started.returncode == 143 and "Traceback" not in errors
    assert "are gone" in errors and "stopped by SIGTERM; finished runs are kept" in errors


def test_the_logs_of_dask_are_quiet_while_a_cluster_is_open(lasting_machines):
    log = logging.getLogger("distributed.utils")  # logs a traceback of each failed attempt to connect
    with open_cluster(lasting_machines.address):
        assert not log.isEnabledFor(logging.ERROR)
    assert log.isEnabledFor(logging.ERROR)


def test_workers_that_lack_memory_are_an_error(machines, tmp_path):
    """A nanny ends its worker, and the data with it, as often as the units are sent again."""
    machines.launch(0)
    nanny = ("--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard", "--memory-limit", "160MB")
    machines.stack.enter_context(process("distributed.cli.dask_worker", machines.address, *nanny))
    preferences = read_preferences("arithmetic")
    with pytest.raises(RankduelError, match="may have too little memory"):
        with open_cluster(machines.address) as cluster:
            play_runs(
                Problem(preferences), ["sparring"], 3_000_000, 4, folder=tmp_path / "there", jobs=cluster
            )


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
    play_runs(problem, policies, horizon, runs, jobs=2, folder=tmp_path / "here")
    kill = After(3, lambda: machines.workers[0].send_signal(signal.SIGKILL))
    with open_cluster(machines.address) as cluster:
        play_runs(
            problem,
            policies,
            horizon,
            runs,
            folder=tmp_path / "there",
            jobs=cluster,
            watch=Watching(runs=kill),
        )
    assert kill.called
    assert records(tmp_path / "here") == records(tmp_path / "there")


def test_studies_survive_a_killed_worker(machines, tmp_path):
    machines.start()
    (tmp_path / "study.toml").write_text(cluster_commands.STUDY)
    study = read_study(str(tmp_path / "study.toml"))
    play_study(study, "quick", tmp_path / "here", jobs=1)
    kill = After(4, lambda: machines.workers[0].send_signal(signal.SIGKILL))
    with open_cluster(machines.address) as cluster:
        play_study(study, "quick", tmp_path / "there", jobs=cluster, watch=Watching(runs=kill))
    assert kill.called and machines.workers[0].wait(10) == -signal.SIGKILL
    assert len(records(tmp_path / "here")) == 2 * 8 + 1  # runs, and the matrix
    assert records(tmp_path / "here") == records(tmp_path / "there")


# ---- data of files ----


@pytest.fixture
def data_file(tmp_path):
    """Return a file of the data of `arena`; its cache file is written when it is read."""
    path = tmp_path / "data" / "data.txt"
    path.parent.mkdir()
    write_letor(arenas.letor(), path)
    return path


def read_arena(data_file):
    return open_arena(read_data(data_file), interleave="team_draft", clicks="navigational", length=5)


def remove_cache(data_file):
    for file in cache_files(data_file.parent / ".rankduel"):
        file.unlink()


def bytes_of_matrix(arena, output, workers, progress=lambda status: None):
    job(arena, output, workers, progress)
    return output.read_bytes()


def sent(caplog):
    return [record.getMessage() for record in caplog.records if "data" in record.getMessage()]


def test_workers_read_the_data_that_they_have(lasting_machines, data_file, tmp_path, caplog):
    caplog.set_level("INFO", "rankduel.cluster")
    arena = read_arena(data_file)
    here = bytes_of_matrix(arena, tmp_path / "here.prefs.parquet", 1)
    with open_cluster(lasting_machines.address) as cluster:
        assert bytes_of_matrix(arena, tmp_path / "there.prefs.parquet", cluster) == here
    (line,) = sent(caplog)
    assert line.startswith(f"the workers read the data from {data_file.parent / '.rankduel' / 'data.txt'}")


def test_data_that_workers_do_not_have_are_sent(lasting_machines, data_file, tmp_path, caplog):
    caplog.set_level("INFO", "rankduel.cluster")
    arena = read_arena(data_file)
    here = bytes_of_matrix(arena, tmp_path / "here.prefs.parquet", 1)
    remove_cache(data_file)
    data_file.write_text("0 qid:1 1:0.5 2:1 3:2\n1 qid:1 1:0.6 2:1 3:2\n")
    read_data(data_file)  # writes the cache of other data
    with open_cluster(lasting_machines.address) as cluster:
        assert bytes_of_matrix(arena, tmp_path / "there.prefs.parquet", cluster) == here
    first, second, third = sent(caplog)
    assert first.startswith("the workers read") and second.startswith("a worker cannot read the data (")
    assert third == "the data are sent to the workers"


def test_data_are_sent_after_a_worker_joins_without_them(machines, data_file, tmp_path, caplog):
    caplog.set_level("INFO", "rankduel.cluster")
    machines.start(2)
    arena = read_arena(data_file)
    here = bytes_of_matrix(arena, tmp_path / "here.prefs.parquet", 1)

    def join():
        remove_cache(data_file)  # the first two workers have opened it
        machines.add()
        machines.wait(3)
        for worker in machines.workers[:2]:  # Dask may not give short units to another worker
            worker.kill()

    more = After(5, join)
    with open_cluster(machines.address) as cluster:
        assert bytes_of_matrix(arena, tmp_path / "there.prefs.parquet", cluster, more) == here
    assert more.called and "the data are sent to the workers" in sent(caplog)


@pytest.mark.parametrize("shared", [True, False])
def test_live_runs_are_the_same_with_data_read_and_sent(lasting_machines, data_file, tmp_path, shared):
    arena = read_arena(data_file)
    problem = Problem(arenas.exact_preferences(arena), arena)
    play_runs(problem, "random_pair", 20_000, 6, folder=tmp_path / "here")
    if not shared:
        remove_cache(data_file)
    with open_cluster(lasting_machines.address) as cluster:
        play_runs(problem, "random_pair", 20_000, 6, folder=tmp_path / "there", jobs=cluster)
    assert records(tmp_path / "here") == records(tmp_path / "there")


# ---- every command ----


def written(folder, words, *options, **variables):
    """Return the output of a command in a new folder, and the records and matrices that it writes."""
    (folder / "out").mkdir(parents=True)
    write_letor(arenas.letor(), folder / "data.txt")
    (folder / "study.toml").write_text(cluster_commands.STUDY)
    command = [sys.executable, "-m", "rankduel", *words.split(), *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout if "--json" in words else "", records(folder / "out")


@pytest.mark.parametrize("command", cluster_commands.COMMANDS)
def test_a_command_writes_the_same_on_a_cluster(lasting_machines, command, tmp_path):
    words = cluster_commands.COMMANDS[command]
    here = written(tmp_path / "here", words)
    assert any(here)
    assert written(tmp_path / "there", words, "--scheduler", lasting_machines.address) == here


def test_a_parameter_search_finds_the_same_on_a_cluster(lasting_machines, tmp_path, monkeypatch):
    monkeypatch.setattr(parameters, "SEARCHES", {"dts": {"alpha": (0.3, 0.6, 1.2)}})
    preferences, size = read_preferences("arxiv6"), Size(20_000, 4)
    here = parameters.search("dts", Inputs(preferences, size, {}, 1, None, tmp_path / "here", None))
    with open_cluster(lasting_machines.address) as cluster:
        inputs = Inputs(preferences, size, {}, cluster, None, tmp_path / "there", None)
        assert parameters.search("dts", inputs) == here
    assert records(tmp_path / "here") == records(tmp_path / "there")


def test_a_missing_scheduler_is_an_error():
    with pytest.raises(RankduelError, match="no Dask scheduler at tcp://127.0.0.1:9"):
        with open_cluster("tcp://127.0.0.1:9"):
            pass


@pytest.mark.parametrize("address", ["local:", "local:0", "local:-1", "local:x", "local:1000000"])
def test_wrong_numbers_of_local_workers_are_errors(address):
    with pytest.raises(RankduelError, match=f"scheduler='{address}': expected a number of worker processes"):
        with open_cluster(address):
            pass


# ---- other users of the machine ----


def is_let_in(address, security):
    from distributed import Client

    try:
        with Client(address, security=security, timeout=3) as stranger:
            return stranger.run_on_scheduler(os.getpid) > 0
    except Exception:
        return False


def test_local_workers_let_nobody_in_without_their_certificate():
    from distributed import Security

    with open_cluster("local:1") as cluster:
        info = cluster._client.scheduler_info()
        workers = info["workers"].values()
        addresses = [info["address"], *info["workers"], *(worker["nanny"] for worker in workers)]
        assert len(addresses) == 3 and all(one.startswith("tls://127.0.0.1:") for one in addresses)
        for address in (cluster._address, cluster._address.replace("tls", "tcp")):
            for security in (None, Security.temporary()):
                assert not is_let_in(address, security)
        assert is_let_in(cluster._address, cluster._security)


def test_local_workers_have_a_folder_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "dask-scratch-space").mkdir(mode=0o777)  # as another user could have made it
    with open_cluster("local:1") as cluster:
        folders = cluster._client.run(lambda dask_worker: dask_worker.local_directory).values()
        (mine,) = tmp_path.glob("rankduel-workers-*")
        assert mine.stat().st_mode & 0o777 == 0o700
        assert all(mine in Path(folder).parents for folder in folders)
        assert list((tmp_path / "dask-scratch-space").iterdir()) == []
    assert list(tmp_path.glob("rankduel-*")) == []


def test_local_workers_write_the_same_bytes(arena, expected, tmp_path):
    output = tmp_path / "there.prefs.parquet"
    with open_cluster("local:2") as cluster:
        job(arena, output, cluster)
    assert output.read_bytes() == expected


@pytest.fixture
def tls(tmp_path):
    """Return variables that give the certificates of a lab to Dask, by a file as in the guide."""
    from distributed import Security

    made = Security.temporary()
    (tmp_path / "cert.pem").write_text(made.tls_ca_file)
    (tmp_path / "key.pem").write_text(made.tls_scheduler_key)
    guide = Path(__file__).parents[2] / "docs" / "guides" / "many_machines.md"
    (text,) = re.findall(r"(?s)```yaml\n(.*?)```", guide.read_text("utf-8"))
    (tmp_path / "dask").mkdir()
    (tmp_path / "dask" / "tls.yaml").write_text(text.replace("/home/me/lab", str(tmp_path)))
    return {"DASK_CONFIG": str(tmp_path / "dask")}


def test_a_scheduler_with_tls_takes_commands_that_have_its_certificate(machines, tls, tmp_path):
    machines.address = machines.address.replace("tcp", "tls")
    machines.launch(1, **tls)
    words = cluster_commands.COMMANDS["matrix build"]
    here = written(tmp_path / "here", words)
    patient = ["--scheduler", machines.address]
    assert written(tmp_path / "there", words, *patient, **tls) == here


def test_without_its_certificate_a_scheduler_with_tls_is_an_error(machines, tls):
    machines.address = machines.address.replace("tcp", "tls")
    machines.launch(0, **tls)
    with pytest.raises(RankduelError, match="TLS needs certificates .* distributed.comm.tls.ca-file"):
        with open_cluster(machines.address):
            pass


def test_local_workers_need_a_package_for_tls(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(RankduelError, match=r"local:1 needs the package cryptography.*rankduel\[dask\]"):
        with open_cluster("local:1"):
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
