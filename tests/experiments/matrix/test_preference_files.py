"""Files of preferences: written and read back, whole or not at all, and errors of the disk."""

import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.permissions import needs_permission
from support.preference_samples import NAMES, SETTINGS, assert_same, by_query_of, rows

from rankduel.base.errors import MatrixError, UsageError
from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.matrix.preferences import (
    checked,
    preferences_of,
    read_preferences,
    write_preferences,
)


def test_values_by_query_are_written_and_read(tmp_path):
    made = checked(NAMES, rows(), SETTINGS, "some", by_query_of(rows()))
    write_preferences(made, tmp_path / "m.prefs.parquet")
    found = read_preferences(tmp_path / "m.prefs.parquet")
    assert_same(found, made)
    assert found.by_query.dtype == np.float32 and np.array_equal(found.by_query, made.by_query)


def test_parquet_keeps_all_values_and_settings(some, tmp_path):
    write_preferences(some, tmp_path / "a.prefs.parquet")
    assert_same(read_preferences(tmp_path / "a.prefs.parquet"), some)
    # Equal preferences are written as equal bytes.
    write_preferences(some, tmp_path / "b.prefs.parquet")
    assert (tmp_path / "a.prefs.parquet").read_bytes() == (tmp_path / "b.prefs.parquet").read_bytes()


@pytest.mark.parametrize("ending", ["npy", "txt", "mat"])
@pytest.mark.parametrize("seed", range(5))
def test_plain_files_keep_the_probabilities_exactly(tmp_path, ending, seed):
    made = preferences_of(checked(map(str, range(30)), rows(30, seed), {}, "made").matrix)
    write_preferences(made, tmp_path / f"m.{ending}")
    found = read_preferences(str(tmp_path / f"m.{ending}"))
    np.testing.assert_array_equal(found.matrix, made.matrix)
    pd.testing.assert_frame_equal(found.pairs, made.pairs, check_exact=True)
    assert found.settings == {"source": f"m.{ending}"} and found.names == made.names


def test_a_single_ranker_is_written_and_read(some, tmp_path):
    for name in ("one.prefs.parquet", "one.npy", "one.txt"):
        write_preferences(some.subset([2]), tmp_path / name)
        found = read_preferences(tmp_path / name)
        assert len(found) == 1 and len(found.pairs) == 0 and found.matrix.tolist() == [[0.5]]
    assert read_preferences(tmp_path / "one.prefs.parquet").names == ("größer",)


@pytest.mark.parametrize("name", MATRICES)
def test_built_in_matrices_by_name(name):
    found = read_preferences(name)
    np.testing.assert_array_equal(found.matrix, preferences_of(MATRICES[name].make()).matrix)
    assert found.settings == {"source": name}


def test_published_rounding_is_repaired(tmp_path):
    (tmp_path / "rounded.txt").write_text("# two rankers\n0.5 0.6004\n0.4 0.5\n")
    assert read_preferences(tmp_path / "rounded.txt").matrix[0, 1] == pytest.approx(
        0.6004 / 1.0004, abs=1e-15
    )


def test_unreadable_paths_are_named_in_the_message(tmp_path):
    for name in ("folder.npy", "folder.txt", "folder.prefs.parquet"):
        (tmp_path / name).mkdir()
        with pytest.raises(MatrixError, match=f"{name}: cannot be read: Is a directory"):
            read_preferences(tmp_path / name)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("name", ["a.prefs.parquet", "a.npy", "a.txt"])
def test_a_full_disk(some, tmp_path, monkeypatch, name):
    @contextmanager
    def on_a_full_disk(path):
        yield Path("/dev/full")

    monkeypatch.setattr("rankduel.experiments.matrix.preferences.replacing", on_a_full_disk)
    with pytest.raises(UsageError, match=f"{name}: could not be written: No space left on device"):
        write_preferences(some, tmp_path / name)


def test_missing_files_get_a_suggestion(tmp_path):
    with pytest.raises(MatrixError, match="no matrix named 'arxiv'; did you mean 'arxiv6'?"):
        read_preferences("arxiv")
    with pytest.raises(MatrixError, match="absent.npy: there is no such file; built-in matrices: cyclic, "):
        read_preferences(tmp_path / "absent.npy")


class WriteFailed(Exception):
    pass


@pytest.mark.parametrize("name", ["a.prefs.parquet", "a.npy", "a.txt"])
@pytest.mark.parametrize("before", [None, b"older"])
def test_a_failed_write_leaves_the_old_file(some, tmp_path, monkeypatch, name, before):
    path = tmp_path / name
    if before:
        path.write_bytes(before)

    def write_half(where, *_, **__):
        os.write(os.open(where, os.O_WRONLY | os.O_CREAT), b"half") if not hasattr(where, "write") else None
        raise WriteFailed

    monkeypatch.setattr(Path, "write_bytes", lambda where, content: write_half(where))
    monkeypatch.setattr(np, "save", write_half)
    monkeypatch.setattr(np, "savetxt", write_half)
    with pytest.raises(WriteFailed):
        write_preferences(some, path)
    assert [p.name for p in tmp_path.iterdir()] == ([name] if before else [])
    assert before is None or path.read_bytes() == before


@pytest.mark.parametrize("name", ["a.prefs.parquet", "a.npy", "a.txt"])
def test_an_unwritable_folder_is_refused(some, tmp_path, name):
    (tmp_path / "file").write_text("not a folder")
    for folder in ("file", "absent"):
        with pytest.raises(UsageError) as refused:
            write_preferences(some, tmp_path / folder / name)
        assert str(refused.value).startswith(f"{tmp_path / folder / name}: could not be written: ")
        assert ".tmp" not in str(refused.value)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@needs_permission
@pytest.mark.parametrize("name", ["a.prefs.parquet", "a.npy", "a.txt"])
def test_a_read_only_folder(some, tmp_path, name):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UsageError, match="could not be written: Permission denied"):
            write_preferences(some, tmp_path / name)
    finally:
        tmp_path.chmod(0o700)
    assert list(tmp_path.iterdir()) == []
