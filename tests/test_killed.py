"""Test that jobs which are killed at random times and resumed write the same bytes as uninterrupted jobs."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from support import own_study
from support.run_set_samples import made_up_study, write_run_set

from rankduel.experiments.judge.judgments import pairs_csv
from rankduel.experiments.judge.session import start_session
from rankduel.letor_data.synthetic.generate import shape, synthesize
from rankduel.letor_data.text.writer import write_letor

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills by signal"),
]
ROOT = Path(__file__).parents[1]
KILLS = 34  # for each job
WITHIN = 12  # least number of kills that leave some but not all of the output

# Saves a checkpoint after every block; a normal job saves one every three seconds.
MATRIX = """
from rankduel.experiments.matrix import checkpoint
from rankduel.experiments.arena import open_arena
from rankduel.experiments.matrix.build import write_matrix
from rankduel.letor_data import read_data
checkpoint._EVERY, checkpoint._SHARE = 0.0, 1.0
arena = open_arena(read_data("data.txt"), interleave="probabilistic", rankers="122-136")
write_matrix(arena, "m.prefs.parquet", decide=0.05, duels=100_000)
"""


def write_data(folder):
    write_letor(synthesize(shape("small", queries=60)), folder / "data.txt")


def write_study(folder):
    (folder / "mine.toml").write_text(own_study.TOML)


def write_judged(folder):
    """Write a session, and judgments for it in many files."""
    session = start_session(folder / "session", [f"item {number:03d}" for number in range(150)], "prefbest")
    for pair in session.next_pairs()[:120]:
        text = pairs_csv([pair]).replace(",,", ",left,ann")
        (folder / f"judged-{pair.id:03d}.csv").write_text(text)


def write_records(folder):
    write_run_set(made_up_study(mode="live", runs=2), folder / "records")


def command(words):
    return ["-m", "rankduel", *words.split()]


class Job(NamedTuple):
    prepare: Callable[[Path], None]  # write the input files of the job into an empty folder
    words: list[str]  # arguments of Python


JOBS = {
    "run": Job(
        lambda folder: None,
        command("run arithmetic -p sparring -p random_pair --horizon 3e5 --runs 12 --jobs 1 -o out"),
    ),
    "run of many": Job(  # with files of a hundred runs
        lambda folder: None,
        command("run arxiv6 -p winner_stays --horizon 2e3 --checkpoints 20 --runs 310 --jobs 1 -o out"),
    ),
    "matrix": Job(write_data, ["-c", MATRIX]),
    "multileave": Job(
        write_data,
        command(
            "multileave data.txt -m sosm -m team_draft --rankers 1-8 --impressions 3e4 --runs 8 --jobs 1"
        ),
    ),
    "study": Job(write_study, command("study run mine.toml --jobs 1 -o out")),
    "judge": Job(
        write_judged,
        command("judge add session " + " ".join(f"judged-{number:03d}.csv" for number in range(1, 121))),
    ),
    "report": Job(write_records, command("report records -o report.html --figures figures --format svg")),
}


def started(job, folder):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, *job.words], cwd=folder, env=environment, stdout=quiet, stderr=quiet
    )


def contents(folder):
    """Return the content of all files by name, without the times of runs, which differ."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(folder)): b"" if path.suffix == ".seconds" else path.read_bytes()
        for path in files
    }


def stamps(folder):
    """Return the time of the last change of every file."""
    found = {}
    for inside, _, names in os.walk(folder):
        for path in (os.path.join(inside, name) for name in names):
            with contextlib.suppress(FileNotFoundError):  # a temporary file that was renamed meanwhile
                found[path] = os.stat(path).st_mtime_ns
    return found


def wait_for_work(process, folder):
    """Wait until a job writes something, or ends."""
    before = stamps(folder)
    while process.poll() is None and stamps(folder) == before:
        time.sleep(0.01)


class Course(NamedTuple):
    """Times of an uninterrupted job in seconds: until it first writes a file, and from then to its end."""

    start: float
    work: float


def course_of(job, folder):
    began = time.monotonic()
    process = started(job, folder)
    wait_for_work(process, folder)
    writes = time.monotonic()
    assert process.wait() == 0
    return Course(writes - began, time.monotonic() - writes)


@pytest.mark.parametrize("name", JOBS)
def test_killed_jobs_are_resumed_to_the_same_bytes(tmp_path, name):
    job = JOBS[name]
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    job.prepare(inputs)
    untouched = contents(inputs)
    alone = [shutil.copytree(inputs, tmp_path / f"alone{number}") for number in range(2)]
    course_of(job, alone[0])  # compiles the code that the next job loads from disk
    course = course_of(job, alone[1])
    whole = contents(alone[0])
    assert contents(alone[1]) == whole != untouched
    moments = random.Random(name)
    n_kills = n_within = n_ended = 0
    while n_kills < KILLS:
        folder = shutil.copytree(inputs, tmp_path / f"killed{n_ended}")
        while n_kills < KILLS and killed(job, folder, course, moments):
            n_kills += 1
            n_within += contents(folder) not in (untouched, whole)
            if moments.random() < 0.25:  # otherwise the job is killed again before it ends
                break
        assert started(job, folder).wait() == 0
        assert contents(folder) == whole
        n_ended += 1
    print(f"{name}: {n_kills} kills, {n_within} of them within its work; {n_ended} jobs resumed to their end")
    assert n_within >= WITHIN


def killed(job, folder, course, moments):
    """Start a job and kill it at a random time after its first write, sometimes before.

    Return False if the job ended first.
    """
    process = started(job, folder)
    if moments.random() < 0.1:
        moment = moments.uniform(0, course.start)
    else:
        wait_for_work(process, folder)
        moment = moments.uniform(0, course.work)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(moment)
    process.kill()
    return process.wait() == -signal.SIGKILL


def test_two_processes_on_one_folder(tmp_path):
    job = JOBS["run"]
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    alone.mkdir()
    shared.mkdir()
    assert started(job, alone).wait() == 0
    both = [started(job, shared) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert contents(shared) == contents(alone)
