"""Output files are complete or absent after an error; zstd streams have checksums."""

import sys
from pathlib import Path

import pytest
from support.helpers import PACK, small_letor, tarred

from rankduel import letor_data
from rankduel.base.errors import DataError, DataWarning
from rankduel.letor_data.output import open_output, output_format
from rankduel.letor_data.packed.archive import read_all
from rankduel.letor_data.text.writer import write_folds, write_letor
from rankduel.letor_data.trec import read_run

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LINES = b"1 qid:a 1:1\n0 qid:a 1:2\n"
UNCHECKED = "a zstd stream without a checksum"


class FullDisk:
    """Replacement of fsync that raises 'disk full' from the call with this number on."""

    def __init__(self, number):
        self.left = number

    def __call__(self, _):
        self.left -= 1
        if self.left < 0:
            raise OSError(28, "No space left on device")


@pytest.fixture
def letor():
    """Return data that can be written as text."""
    return small_letor().take_queries([0, 2])


def names_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("number", [0, 7, 14])
def test_folds_appear_all_or_not_at_all(tmp_path, monkeypatch, letor, number):
    monkeypatch.setattr("os.fsync", FullDisk(number))
    with pytest.raises(DataError, match=r"folds.*: could not be written: No space left on device"):
        write_folds(letor, tmp_path / "deep" / "folds")
    assert names_in(tmp_path) == []


def test_folders_that_were_there_stay(tmp_path, monkeypatch, letor):
    (tmp_path / "folds" / "Fold1").mkdir(parents=True)
    (tmp_path / "folds" / "Fold1" / "train.txt").write_text("old")
    monkeypatch.setattr("os.fsync", FullDisk(3))
    with pytest.raises(DataError):
        write_folds(letor, tmp_path / "folds")
    assert names_in(tmp_path) == ["folds", "folds/Fold1", "folds/Fold1/train.txt"]
    assert (tmp_path / "folds" / "Fold1" / "train.txt").read_text() == "old"


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, letor, suffix):
    path = tmp_path / f"x.txt{suffix}"
    path.write_bytes(b"old")
    monkeypatch.setattr("os.fsync", FullDisk(0))
    with pytest.raises(DataError, match=r"x\.txt.*: could not be written: No space left"):
        write_letor(letor, path)
    assert path.read_bytes() == b"old" and names_in(tmp_path) == [path.name]


def test_a_place_that_cannot_be_written_is_named(tmp_path, letor):
    (tmp_path / "file").write_text("x")
    writers = {
        tmp_path / "file" / "x.txt": write_letor,
        tmp_path / "no" / "x.parquet": letor_data.write_parquet,
    }
    for path, write in writers.items():
        with pytest.raises(DataError, match=rf"{path.name}: could not be written: (Not a|No such|.*Failed)"):
            write(letor, path)
    with pytest.raises(DataError, match="file: could not be written"):
        write_folds(letor, tmp_path / "file")


def test_of_two_writers_at_once_the_last_one_stays_whole(tmp_path):
    path = tmp_path / "x.txt.gz"
    with open_output(path) as first:
        first.write(b"a" * 1000)
        with open_output(path) as second:
            second.write(b"b" * 1000)
        assert read_all(path) == b"b" * 1000
        first.write(b"a" * 1000)
    assert read_all(path) == b"a" * 2000
    assert names_in(tmp_path) == ["x.txt.gz"]


# --- checksums of zstd streams


def test_what_is_written_as_zstd_has_a_checksum(tmp_path):
    with open_output(tmp_path / "x.txt.zst") as stream:
        stream.write(LINES)
    assert (tmp_path / "x.txt.zst").read_bytes()[4] & 4
    assert letor_data.read_data(tmp_path / "x.txt.zst").notes == ()


def unchecked(data):
    return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 0})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.txt.zst", unchecked(LINES)),
        ("x.txt.zst", unchecked(LINES) + unchecked(LINES)),
        ("x.tar.zst", unchecked(tarred([("a.txt", LINES)]))),
        ("x.zip", PACK["zip"]([("a.txt.zst", unchecked(LINES))])),
    ],
    ids=["file", "two frames", "archive", "member"],
)
def test_a_stream_without_a_checksum_gives_one_note(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    for _ in range(2):  # first parsed, then from the cache
        with pytest.warns(DataWarning) as told:
            letor = letor_data.read_data(tmp_path / name)
        (note,) = letor.notes
        assert [str(warning.message) for warning in told] == [note]
        assert UNCHECKED in note and Path(note.split(":")[0]).name == name


def test_a_run_without_a_checksum_gives_one_note(tmp_path):
    (tmp_path / "x.zst").write_bytes(unchecked(b"1 Q0 a 1 1 x\n") + unchecked(b"1 Q0 b 2 0 x\n"))
    (note,) = read_run(tmp_path / "x.zst").notes
    assert UNCHECKED in note


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.parquet", "parquet"),
        ("a.txt", "svmlight"),
        ("a", "svmlight"),
        ("fold.train", "svmlight"),
        ("A.TXT.gz", "svmlight"),
        ("a.zst", "svmlight"),
    ],
)
def test_names_say_the_format(name, form):
    assert output_format(name).name == form


@pytest.mark.parametrize("name", ["a.docx", "a.csv", "a.parquet.gz", "a.prefs.json", "a.zip"])
def test_names_of_other_formats_are_refused(name):
    with pytest.raises(DataError, match="choose a name such as NAME.parquet, NAME.txt or NAME.txt.gz"):
        output_format(name)
