"""Adding judgments: in concurrent processes, in processes that are killed, and on full disks."""

import errno
import os
import subprocess
import sys
import threading

import pytest
from support.permissions import needs_permission

from rankduel.base.errors import DataError, RecordsError
from rankduel.experiments.judge import judgments
from rankduel.experiments.judge.session import open_session, start_session

ITEMS = [f"item {number:02d}" for number in range(10)]
POLICY = "prefbest"


def answers_to(pairs):
    return [{"id": str(pair.id), "winner": "left" if pair.left < pair.right else "right"} for pair in pairs]


def script(text, *arguments):
    """Start a process that runs Python text."""
    command = [sys.executable, "-c", text, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


_ADD_ALL = """
import sys
from rankduel.experiments.judge.session import open_session
from rankduel.base.errors import DataError

folder, assessor, winner = sys.argv[1:]
session = open_session(folder)
pairs = session.next_pairs()
print("ready", flush=True)
sys.stdin.readline()
for pair in pairs:
    try:
        session.add([{"id": str(pair.id), "winner": winner, "assessor": assessor}])
    except DataError as refused:
        assert "was judged before, by" in str(refused)
    else:
        print(pair.id, flush=True)
"""


@pytest.mark.skipif(judgments.LOCKS is None, reason="there are no locks")
def test_two_processes_add_at_the_same_time(tmp_path):
    """Two processes judge all pairs and contradict each other: the first judgment of a pair is stored."""
    session = start_session(tmp_path, ITEMS, POLICY)
    n_open = len(session.next_pairs())
    processes = [script(_ADD_ALL, tmp_path, "ann", "left"), script(_ADD_ALL, tmp_path, "bob", "right")]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    stored = [process.communicate()[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sorted(map(int, stored[0] + stored[1])) == list(range(1, n_open + 1))
    files = [judgments.read_judgment_file(path) for path in (tmp_path / "judgments").glob("*.csv")]
    written = {one.comparison.id: one for (one,) in files}
    assert len(written) == len(files) == n_open
    for numbers, assessor, winner in zip(stored, ("ann", "bob"), ("left", "right")):
        assert all(written[int(number)][1:] == (winner, assessor) for number in numbers)
    assert open_session(tmp_path).progress().judgments == n_open


@pytest.mark.skipif(judgments.LOCKS is None, reason="there are no locks")
def test_adding_waits_for_the_lock(tmp_path):
    session, other = start_session(tmp_path, ITEMS, POLICY), open_session(tmp_path)
    rows = answers_to(session.next_pairs())
    refused = []

    def add():
        try:
            other.add([rows[0] | {"assessor": "bob"}])
        except DataError as problem:
            refused.append(str(problem))

    waiting = threading.Thread(target=add)
    with judgments.locked(tmp_path / "judgments"):
        waiting.start()
        waiting.join(0.1)
        assert waiting.is_alive()
        stored = judgments.Judgment(session.next_pairs()[0], rows[0]["winner"], "ann")
        judgments.write_judgments(tmp_path / "judgments", [stored])
    waiting.join()
    assert len(refused) == 1 and "comparison 1 was judged before, by ann" in refused[0]


# Every child adds judgments one by one and reports which are stored, until it is killed.
_KILLS = """
import os, random, signal, sys
from rankduel.experiments.judge.session import open_session

folder, n_kills = sys.argv[1], int(sys.argv[2])
moments = random.Random(5)
open_session(folder).progress()
for _ in range(n_kills):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        session = open_session(folder)
        while pairs := session.next_pairs():
            number, left, right = pairs[0]
            session.add([{"id": str(number), "winner": "left" if left < right else "right"}])
            os.write(writing, b"%d " % number)
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        reported = pipe.read(1) if moments.random() < 0.7 else b""
        for _ in range(moments.randrange(60_000)):
            pass
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        print((reported + pipe.read()).decode(), flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.parametrize("n_kills", [8, pytest.param(400, marks=pytest.mark.slow)])
def test_nothing_is_lost_when_adding_is_killed(n_kills, tmp_path):
    """Reported judgments are stored, no file is incomplete, and the session ends as without kills."""
    items = [f"item {number:03d}" for number in range(12 if n_kills < 100 else 100)]
    process = script(_KILLS, start_session(tmp_path / "killed", items, POLICY).folder, n_kills)
    reported = [int(number) for number in process.communicate()[0].split()]
    assert process.returncode == 0 and reported == sorted(set(reported)) and len(reported) >= n_kills // 4
    files = [judgments.read_judgment_file(path) for path in (tmp_path / "killed/judgments").glob("*.csv")]
    assert set(reported) <= {one.comparison.id for (one,) in files}
    ends = []
    for session in (open_session(tmp_path / "killed"), start_session(tmp_path / "whole", items, POLICY)):
        while pairs := session.next_pairs():
            session.add(answers_to(pairs))
        ends.append(session.progress())
    assert ends[0] == ends[1] and ends[0].best == ("item 000",)


def test_a_full_disk_leaves_no_partial_file(tmp_path, monkeypatch):
    session = start_session(tmp_path / "s", ITEMS, POLICY)
    before = session.progress()

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(RecordsError, match=r"000001-\w+.csv: could not be written: No space left"):
            session.add(answers_to(session.next_pairs()))
        with pytest.raises(RecordsError, match="other/session.json: could not be written: No space left"):
            start_session(tmp_path / "other", ITEMS, POLICY)
    assert os.listdir(tmp_path / "s/judgments") == [] and session.progress() == before
    assert start_session(tmp_path / "other", ITEMS, POLICY).progress() == before
    assert session.add(answers_to(session.next_pairs())) == before.open


def test_unwritable_folders_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordsError, match="file/s: could not be written: Not a directory"):
        start_session(tmp_path / "file/s", ITEMS, POLICY)
    session = start_session(tmp_path / "s", ITEMS, POLICY)
    pairs = session.next_pairs()
    (tmp_path / "s/judgments").rmdir()
    with pytest.raises(RecordsError, match="judgments: could not be written: No such file or directory"):
        session.add(answers_to(pairs))


@needs_permission
def test_folders_without_permission(tmp_path):
    session = start_session(tmp_path / "s", ITEMS, POLICY)
    os.chmod(tmp_path / "s/judgments", 0o500)
    with pytest.raises(RecordsError, match="could not be written: Permission denied"):
        session.add(answers_to(session.next_pairs()))
