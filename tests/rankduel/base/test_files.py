"""Files are written completely or not at all, and names from outside stay inside their folder."""

import zlib

import pytest

from rankduel.base.errors import StudyError
from rankduel.base.files import file_checksum, path_inside, replacing, write_text


def test_a_file_that_is_not_finished_leaves_the_old_one(tmp_path):
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
def test_a_checksum_is_that_of_all_bytes(tmp_path, size):
    content = bytes(range(256)) * (size // 256 + 1)
    (tmp_path / "x").write_bytes(content[:size])
    assert file_checksum(tmp_path / "x") == zlib.crc32(content[:size])


@pytest.mark.parametrize("name", ["a", "rucb(alpha=0.5)", "..a", "a..b", ".hidden", "a b", "é"])
def test_a_plain_name_stays_as_it_is(tmp_path, name):
    assert path_inside(tmp_path, name, StudyError) == tmp_path / name


@pytest.mark.parametrize("name", ["", ".", "..", "../a", "a/b", "/etc/passwd", "a\\b", "a\0b"])
def test_a_name_that_would_leave_its_folder_is_refused(tmp_path, name):
    with pytest.raises(StudyError, match="cannot be the name of a file in"):
        path_inside(tmp_path, name, StudyError)
