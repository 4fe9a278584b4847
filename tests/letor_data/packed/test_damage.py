"""A truncated or damaged file raises an error or yields exactly the original bytes."""

import gzip
import tarfile
import tracemalloc

import pytest
from support.helpers import COMPRESS, PACK, tarred

from rankduel import letor_data
from rankduel.base.errors import DataError
from rankduel.letor_data.packed.archive import find_sources, read_all, read_pieces
from rankduel.letor_data.packed.packing import DamagedError

TEXT = b"2 qid:1 1:0.5 2:3 # first\n0 qid:1 1:0.25\n1 qid:2 2:-7\n"
BLOCK = tarfile.BLOCKSIZE


@pytest.fixture
def outcome(tmp_path):
    """Return a function from the bytes of a file to its text, or the error."""

    def read(packed, name):
        (tmp_path / name).write_bytes(packed)
        try:
            return read_all(tmp_path / name)
        except DataError as error:
            return error

    return read


def flips(packed, step):
    """Yield copies of the bytes with one bit flipped, for every `step`-th bit."""
    for place in range(0, 8 * len(packed), step):
        at, bit = divmod(place, 8)
        yield packed[:at] + bytes([packed[at] ^ (1 << bit)]) + packed[at + 1 :]


every_bit = pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_compressed_file_cut_anywhere_is_refused(outcome, kind):
    packed = COMPRESS[kind](TEXT)
    assert outcome(packed, f"x.txt.{kind}") == TEXT
    for length in range(len(packed)):
        assert isinstance(outcome(packed[:length], f"x.txt.{kind}"), DataError), length


@every_bit
@pytest.mark.parametrize("kind", COMPRESS)
def test_a_compressed_file_with_a_flipped_bit_is_refused_or_right(outcome, kind, step):
    found = [outcome(damaged, f"x.txt.{kind}") for damaged in flips(COMPRESS[kind](TEXT), step)]
    assert all(text == TEXT for text in found if not isinstance(text, DataError))
    assert sum(isinstance(text, DataError) for text in found) > 0.7 * len(found)


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.bz2", "tar.xz", "tar.zst"])
def test_an_archive_cut_anywhere_is_refused(outcome, kind):
    packed = PACK[kind]([("a.txt", TEXT)])
    assert outcome(packed, f"x.{kind}") == TEXT
    for length in range(len(packed)):
        assert isinstance(outcome(packed[:length], f"x.{kind}"), DataError), length


@every_bit
@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.bz2", "tar.xz", "tar.zst"])
def test_an_archive_with_a_flipped_bit_is_refused_or_right(outcome, kind, step):
    for damaged in flips(PACK[kind]([("a.txt", TEXT)]), step):
        assert isinstance(found := outcome(damaged, f"x.{kind}"), DataError) or found == TEXT


@every_bit
def test_no_member_of_a_damaged_zip_is_passed_over(tmp_path, step):
    """The list of members has no checksum: a member with a damaged name would not be selected as data."""
    whole = PACK["zip"]([("train.txt", TEXT), ("test.txt", b"1 qid:9 1:1\n")])
    path = tmp_path / "x.zip"
    for damaged in flips(whole, 3 * step):
        path.write_bytes(damaged)
        try:
            assert [b"".join(pieces) for _, pieces in read_pieces(find_sources(path))] == [
                TEXT,
                b"1 qid:9 1:1\n",
            ]
        except DataError as problem:
            assert "x.zip" in str(problem)


@pytest.mark.parametrize("inner", COMPRESS)
def test_a_damaged_member_is_refused(tmp_path, outcome, inner):
    packed = COMPRESS[inner](TEXT)
    for kind in PACK:
        for damaged in (packed[:-1], packed[: len(packed) // 2], b""):
            assert isinstance(outcome(PACK[kind]([(f"a.txt.{inner}", damaged)]), "x"), DataError)


# --- tar has no checksum of its content, and tarfile stops at headers that it cannot read

PLAIN = tarred([("a.txt", b"a" * 600), ("b.txt", b"b" * 600)])
END = 6 * BLOCK  # header and two blocks each; then two blocks of zeros, and padding of the record


def both(tmp_path, packed):
    (tmp_path / "x.tar").write_bytes(packed)
    return [b"".join(pieces) for _, pieces in read_pieces(find_sources(tmp_path / "x.tar"))]


@pytest.mark.parametrize("length", [0, 1, 500, BLOCK, BLOCK + 600, 3 * BLOCK, END - 424, END, END + 511])
def test_a_tar_without_its_end_is_refused(tmp_path, length):
    with pytest.raises(DataError):
        both(tmp_path, PLAIN[:length])


@pytest.mark.parametrize("length", [END + BLOCK, END + BLOCK + 5, END + 2 * BLOCK, len(PLAIN)])
def test_a_tar_with_its_end_is_read(tmp_path, length):
    assert both(tmp_path, PLAIN[:length]) == [b"a" * 600, b"b" * 600]


@every_bit
def test_a_damaged_tar_header_is_refused(tmp_path, step):
    before, header, after = PLAIN[: 3 * BLOCK], PLAIN[3 * BLOCK : 4 * BLOCK], PLAIN[4 * BLOCK :]
    for damaged in flips(header, step):
        try:
            assert both(tmp_path, before + damaged + after) == [b"a" * 600, b"b" * 600]
        except DataError:
            continue


def test_a_tar_header_of_zeros_is_not_the_end(tmp_path):
    with pytest.raises(DamagedError, match="follows the end mark"):
        both(tmp_path, PLAIN[: 3 * BLOCK] + bytes(BLOCK) + PLAIN[4 * BLOCK :])


def test_two_tars_in_a_row_are_refused(tmp_path):
    with pytest.raises(DamagedError, match="follows the end mark"):
        both(tmp_path, PLAIN + PLAIN)


@pytest.mark.parametrize("kind", COMPRESS)
def test_the_check_after_the_end_of_a_tar_is_made(tmp_path, kind):
    """The padding between the last member and the checksum is longer than a piece."""
    packed = COMPRESS[kind](PLAIN + bytes(3 << 20))
    path = tmp_path / f"x.tar.{kind}"
    path.write_bytes(packed)
    assert [source.member for source in find_sources(path)] == ["a.txt", "b.txt"]
    path.write_bytes(packed[:-1])
    with pytest.raises(DataError):
        find_sources(path)
    path.write_bytes(packed[:-6] + bytes([packed[-6] ^ 1]) + packed[-5:])
    with pytest.raises(DataError):
        find_sources(path)


# --- sizes and messages


@pytest.mark.parametrize("byte", [b"\0", b"7"])
def test_a_bomb_comes_in_small_pieces(tmp_path, byte):
    (tmp_path / "x.txt.gz").write_bytes(gzip.compress(byte * (100 << 20), compresslevel=1))
    tracemalloc.start()
    try:
        ((_, pieces),) = read_pieces(find_sources(tmp_path / "x.txt.gz"))
        sizes = [len(piece) for piece in pieces]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sum(sizes) == 100 << 20 and max(sizes) <= 1 << 20
    assert peak < 10 << 20
    with pytest.raises(DataError, match=r"x\.txt\.gz:1:1: (a NUL byte|no line end within)"):
        letor_data.read_data(tmp_path / "x.txt.gz", cache=False)


@pytest.mark.parametrize("size", [3, 3000])
@pytest.mark.parametrize("kind", COMPRESS)
def test_damage_is_told_with_the_line_reached(tmp_path, kind, size):
    lines = [b"1 qid:1 1:%d\n" % (i * 7919 % 1000) for i in range(size)]
    (tmp_path / "x").write_bytes(COMPRESS[kind](b"".join(lines))[:-3])
    with pytest.raises(
        DamagedError, match=r"x: .*(cut|ended).*\n  reached after line [0-9,]+; nothing was kept"
    ):
        letor_data.read_data(tmp_path / "x")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["x"]
