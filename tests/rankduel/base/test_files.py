"""Test that files are written completely or not at all, and that given names stay inside their folder."""

import contextlib
import errno
import os
import subprocess
import sys
import threading
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rankduel import letor_data
from rankduel.base.errors import StudyError
from rankduel.base.files import (
    file_checksum,
    path_inside,
    put_in_place,
    remove_unfinished,
    replacing,
    temporary_beside,
    write_text,
)
from rankduel.experiments.matrix.checkpoint import Checkpoint

posix = pytest.mark.skipif(os.name == "nt", reason="needs locks and signals")


def test_an_error_while_writing_keeps_the_old_file(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_text_is_written_in_utf_8(tmp_path):
    write_text(tmp_path / "x.txt", "é\n")
    assert (tmp_path / "x.txt").read_bytes() == b"\xc3\xa9\n"
    assert [path.name for path in tmp_path.iterdir()] == ["x.txt"]


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1])
def test_a_checksum_covers_all_bytes(tmp_path, size):
    content = bytes(range(256)) * (size // 256 + 1)
    (tmp_path / "x").write_bytes(content[:size])
    assert file_checksum(tmp_path / "x") == zlib.crc32(content[:size])


@pytest.mark.parametrize("name", ["a", "rucb(alpha=0.5)", "..a", "a..b", ".hidden", "a b", "é"])
def test_a_plain_name_is_accepted(tmp_path, name):
    assert path_inside(tmp_path, name, StudyError) == tmp_path / name


@pytest.mark.parametrize("name", ["", ".", "..", "../a", "a/b", "/etc/passwd", "a\\b", "a\0b"])
def test_a_name_outside_the_folder_is_an_error(tmp_path, name):
    with pytest.raises(StudyError, match="cannot be the name of a file in"):
        path_inside(tmp_path, name, StudyError)


# --- killed and concurrent writers


# Begins to write the file, prints a line, and waits.
WRITER = """
import sys, time
from rankduel.base.files import replacing

with replacing(sys.argv[1]) as temporary:
    temporary.write_text("half")
    print("writing", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def writer_of(path):
    """Yield a process that has written half of `path`; it finishes when its input is closed."""
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "writing\n"
            yield process
        finally:
            process.kill()


def files_in(folder, *but):
    return sorted(path.name for path in folder.iterdir() if path.name not in but)


@posix
def test_temporary_files_of_killed_writers_are_removed(tmp_path):
    path = tmp_path / "x.txt"
    with writer_of(path) as killed:
        killed.kill()
        killed.wait()
    (leftover,) = files_in(tmp_path)
    assert leftover.startswith(".x.txt.") and leftover.endswith(".tmp")
    foreign = [".x.txt.1234.tmp", ".y.txt.12345678.rankduel.tmp", ".x.txt.part.12345678.rankduel.tmp"]
    for name in foreign:
        (tmp_path / name).write_text("another file")
    write_text(path, "new")
    assert files_in(tmp_path) == sorted([*foreign, "x.txt"]) and path.read_text() == "new"


@posix
def test_temporary_files_of_running_writers_stay(tmp_path):
    path = tmp_path / "x.txt"
    with writer_of(path) as other:
        write_text(path, "first")
        assert path.read_text() == "first" and len(files_in(tmp_path, "x.txt")) == 1
        other.stdin.close()
        assert other.wait() == 0
    assert path.read_text() == "half" and files_in(tmp_path) == ["x.txt"]


def test_threads_may_write_the_same_file(tmp_path):
    path, gate, failures = tmp_path / "x.txt", threading.Barrier(8), []

    def write(text):
        gate.wait()
        try:
            for _ in range(5):
                write_text(path, text)
        except OSError as problem:
            failures.append(problem)

    texts = [str(number) * 10_000 for number in range(8)]
    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [] and path.read_text() in texts and files_in(tmp_path) == ["x.txt"]


def test_a_folder_is_listed_once_for_many_files(tmp_path, monkeypatch):
    listed, scandir = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda folder: listed.append(folder) or scandir(folder))
    for number in range(20):
        write_text(tmp_path / f"{number}.txt", "")
    assert len(listed) <= 1


def test_unfinished_files_can_be_removed_before_an_immediate_exit(tmp_path):
    with pytest.raises(FileNotFoundError, match="x.txt"), temporary_beside(tmp_path / "x.txt") as temporary:
        assert files_in(tmp_path) == [temporary.name]
        remove_unfinished()
        assert files_in(tmp_path) == []
        put_in_place(temporary, tmp_path / "x.txt")


# --- names


@pytest.mark.parametrize("name", ["n" * 250 + ".txt", "é" * 125 + ".txt", "n" * 101, "n" * 100])
def test_a_name_may_be_as_long_as_the_system_allows(tmp_path, name):
    write_text(tmp_path / name, "new")
    assert (tmp_path / name).read_text() == "new" and files_in(tmp_path) == [name]


def test_data_and_a_checkpoint_may_have_a_long_name(tmp_path):
    path = tmp_path / ("n" * 250 + ".txt")
    path.write_text("1 qid:1 1:0.5\n0 qid:1 1:0.25\n")
    assert letor_data.read_data(path).n_docs == 2
    assert len(list((tmp_path / ".rankduel").glob("*.arrow"))) == 1
    saved = Checkpoint(path)
    start = {"sums": np.zeros(3, np.int64)}
    saved.load("settings", start)
    saved.save({"sums": np.arange(3)})
    assert list(Checkpoint(path).load("settings", start)["sums"]) == [0, 1, 2]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_need_not_be_utf_8(tmp_path):
    path = tmp_path / os.fsdecode(b"\xff.txt")
    write_text(path, "new")
    assert path.read_text() == "new" and len(files_in(tmp_path)) == 1


# --- full disks, and folders without write permission


def save_array(path):
    with open(path, "wb") as file:
        np.savez(file, values=np.arange(100_000.0))


WRITERS = {
    "text": lambda path: path.write_text("x" * 100_000),
    "array": save_array,
    "parquet": lambda path: pq.write_table(pa.table({"x": np.random.default_rng(0).random(100_000)}), path),
}


@pytest.fixture
def small_disk(tmp_path):
    """Return a folder on a disk of 16 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("may not mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_full_disk_keeps_the_old_file_and_the_error_names_it(small_disk, kind):
    path = small_disk / "x.txt"
    path.write_text("old")
    with pytest.raises(OSError, match="could not be written: .*(No space left|disk full)") as refused:
        with replacing(path) as temporary:
            WRITERS[kind](temporary)
    assert refused.value.filename == str(path)
    assert path.read_text() == "old" and files_in(small_disk) == ["x.txt"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_an_error_without_a_file_name_gets_the_name(tmp_path):
    path = tmp_path / "x.txt"
    with pytest.raises(OSError, match="could not be written: No space left on device") as refused:
        with replacing(path), open("/dev/full", "wb", buffering=0) as full:
            full.write(b"x")
    assert refused.value.errno == errno.ENOSPC and refused.value.filename == str(path)
    assert files_in(tmp_path) == []


def test_an_error_about_another_file_is_unchanged(tmp_path):
    with pytest.raises(FileNotFoundError) as missing, replacing(tmp_path / "x.txt"):
        (tmp_path / "absent.txt").read_text()
    assert missing.value.filename == str(tmp_path / "absent.txt") and files_in(tmp_path) == []


@pytest.mark.parametrize("place", ["absent/x.txt", "file/x.txt", "folder", "."])
def test_an_error_names_the_path_that_cannot_be_written(tmp_path, place):
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "folder").mkdir()
    path = tmp_path / place if place != "." else type(tmp_path)(".")
    with pytest.raises(OSError, match="could not be written") as refused:
        write_text(path, "new")
    assert refused.value.filename == str(path) and files_in(tmp_path) == ["file", "folder"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes a pipe")
def test_a_device_or_pipe_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="could not be written: a device or a pipe, not a file"):
        write_text(tmp_path / "pipe", "new")
    assert (tmp_path / "pipe").is_fifo() and files_in(tmp_path) == ["pipe"]


AS_SOMEBODY = """
import os, sys
from rankduel.base.files import write_text

if os.getuid() == 0:  # root may write everywhere
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    write_text(sys.argv[1], "new")
except PermissionError as problem:
    print(problem.filename, problem.strerror)
"""


@posix
def test_a_folder_without_permission_is_named_in_the_error(tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "x.txt").write_text("old")
    folder.chmod(0o555)
    try:  # relative to the folder, since its parents may be unreadable for other users
        ended = subprocess.run(
            [sys.executable, "-c", AS_SOMEBODY, "x.txt"], cwd=folder, capture_output=True, text=True
        )
    finally:
        folder.chmod(0o755)
    assert ended.stdout == "x.txt could not be written: Permission denied\n", ended.stderr
    assert (folder / "x.txt").read_text() == "old" and files_in(folder) == ["x.txt"]
