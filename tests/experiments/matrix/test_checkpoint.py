"""Checkpoints: a job resumes from its own checkpoint only."""

import sys

import numpy as np
import pytest
from support.permissions import give_away, needs_root

from rankduel.base.errors import CacheNotice, UsageError
from rankduel.experiments.matrix.checkpoint import Checkpoint

START = {"rounds": np.zeros(1, np.int64), "sums": np.zeros((3, 2)), "block": np.array(0)}
SAVED = {"rounds": np.array([4]), "sums": np.arange(6.0).reshape(3, 2), "block": np.array(7)}
JOB = ["a job", {"seed": 1}]


@pytest.fixture
def output(tmp_path):
    """Return the path of a matrix with a checkpoint."""
    output = tmp_path / "m.prefs.parquet"
    checkpoint = Checkpoint(output)
    checkpoint.load(JOB, START)
    checkpoint.save(SAVED)
    return output


def file_of(output):
    return output.with_name(f".{output.name}.partial") / "sums.values"


def assert_same(found, expected):
    assert list(found) == list(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype and found[name].flags.writeable


def test_saved_sums_are_loaded(output):
    assert_same(Checkpoint(output).load(JOB, START), SAVED)


@pytest.mark.parametrize(
    ("about", "start"),
    [
        (["a job", {"seed": 2}], START),
        (JOB, START | {"block": np.array(0.0)}),
        (JOB, START | {"sums": np.zeros((2, 3))}),
        (JOB, {"n" if name == "rounds" else name: array for name, array in START.items()}),
        (JOB, dict(reversed(START.items()))),
    ],
)
def test_the_checkpoint_of_another_job_is_not_used(output, about, start):
    assert_same(Checkpoint(output).load(about, start), start)


def by_link(path):
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


FOREIGN = "(it belongs to another user|Permission denied)"  # root may have the right to open it


@pytest.mark.skipif(sys.platform == "win32", reason="users have no numbers")
@pytest.mark.parametrize(
    ("plant", "at", "problem"),
    [
        (lambda path: path.chmod(0o666), "file", "others may write to it"),
        (lambda path: path.chmod(0o777), "folder", "others may write to it"),
        (by_link, "folder", ""),
        pytest.param(give_away, "file", FOREIGN, marks=needs_root),
        pytest.param(give_away, "folder", FOREIGN, marks=needs_root),
    ],
)
def test_sums_that_others_may_have_written_are_not_continued(output, plant, at, problem):
    checkpoint, file = Checkpoint(output), file_of(output)
    plant(file if at == "file" else file.parent)
    with pytest.warns(CacheNotice, match=f"{problem}; the matrix is built from the beginning"):
        assert_same(checkpoint.load(JOB, START), START)
    if at == "file":
        checkpoint.save(SAVED)
        assert_same(Checkpoint(output).load(JOB, START), SAVED)
    else:
        with pytest.raises(UsageError, match=f"could not be written: .*{problem or 'a link'}"):
            checkpoint.save(SAVED)


def test_every_changed_byte_is_detected_with_a_warning(output):
    file = file_of(output)
    whole = file.read_bytes()
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        file.write_bytes(changed)
        with pytest.warns(CacheNotice, match="damaged; the matrix is built from the beginning"):
            assert_same(Checkpoint(output).load(JOB, START), START)


@pytest.mark.parametrize("change", [lambda whole: whole[:-1], lambda whole: whole + b"1", lambda whole: b""])
def test_files_of_another_size_are_discarded(output, change):
    file = file_of(output)
    file.write_bytes(change(file.read_bytes()))
    with pytest.warns(CacheNotice, match="damaged"):
        assert_same(Checkpoint(output).load(JOB, START), START)


def test_an_unwritable_folder_is_named_in_the_message(tmp_path):
    (tmp_path / ".m.npy.partial").write_text("not a folder")
    checkpoint = Checkpoint(tmp_path / "m.npy")
    with pytest.warns(CacheNotice, match="Not a directory"):
        checkpoint.load(JOB, START)
    with pytest.raises(UsageError, match=r"\.m\.npy\.partial/sums\.values: could not be written"):
        checkpoint.save(SAVED)
