"""Memory is bounded and time is linear for small files that unpack to huge ones or have hostile headers."""

import gzip
import io
import lzma
import os
import subprocess
import sys
import tarfile
import zipfile
import zlib

import pytest
from support.helpers import COMPRESS, tarred

from rankduel import letor_data
from rankduel.base.errors import DataError
from rankduel.letor_data.packed import archive, tar_stream
from rankduel.letor_data.packed.archive import find_sources, read_all, read_pieces
from rankduel.letor_data.packed.packing import Pieces

LINE = b"1 qid:a 1:1\n"


def record(key, value):
    """Return a pax record; its length counts its own digits."""
    size = len(f" {key}={value}\n")
    length = next(n for n in range(size, size + 9) if n == size + len(str(n)))
    return f"{length} {key}={value}\n".encode()


def with_header(kind, header):
    """Return a tar archive with a header of this type before its only member."""
    info = tarfile.TarInfo("header")
    info.type, info.size = kind, len(header)
    return info.tobuf() + header + bytes(-len(header) % tarfile.BLOCKSIZE) + tarred([("a.txt", LINE)])


def refused(tmp_path, content, message, name="x.tar"):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=rf"{name}.*: .*{message}"):
        letor_data.read_data(tmp_path / name, cache=False)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_of_more_than_a_mebibyte_is_refused(tmp_path, kind):
    header = record("comment", "x" * (2 << 20))
    refused(
        tmp_path, gzip.compress(with_header(kind, header)), "headers .* longer than 1,048,576", "x.tar.gz"
    )


def test_many_small_headers_count_together(tmp_path):
    one = with_header(tarfile.XHDTYPE, record("comment", "x" * 1000))[: 3 * tarfile.BLOCKSIZE]
    refused(tmp_path, one * 1000 + tarred([("a.txt", LINE)]), "headers .* longer than|nested too deeply")


def test_headers_of_a_usual_size_are_read(tmp_path):
    header = record("comment", "x" * 100_000) + record("path", "u/train.txt")
    (tmp_path / "x.tar").write_bytes(with_header(tarfile.XHDTYPE, header))
    assert [source.member for source in find_sources(tmp_path / "x.tar")] == ["u/train.txt"]
    assert letor_data.read_data(tmp_path / "x.tar", cache=False).n_docs == 1


@pytest.mark.parametrize(
    "header",
    [
        b"11 " * 1000 + b"=\n",  # overlapping records, whose keywords tarfile would copy repeatedly
        b"6 a=b\n7 c=d\n",
        b"7 abcd\n",
        b"0 a=b\n",
        record("comment", "1" * 100_000),  # tarfile's regular expression takes quadratic time for digits
    ],
)
def test_a_pax_header_that_would_take_long_is_refused(tmp_path, header):
    refused(tmp_path, with_header(tarfile.XHDTYPE, header), "damaged pax header")


def test_members_and_passes_are_bounded(tmp_path, monkeypatch):
    members = [(f"{n}.txt", b"1 qid:%d 1:1\n" % n) for n in range(6)]
    path = tmp_path / "x.tar"
    path.write_bytes(tarred(members[::-1]))
    assert letor_data.read_data(path, cache=False).n_docs == 6
    monkeypatch.setattr(archive, "_MOST_PASSES", 5)
    with pytest.raises(
        DataError, match=r"x\.tar: its members are in another order .*more than 5 passes; unpack it first"
    ):
        letor_data.read_data(path, cache=False)
    monkeypatch.setattr(tar_stream, "_MOST_MEMBERS", 5)
    with pytest.raises(DataError, match=r"x\.tar: more than 5 members"):
        letor_data.read_data(path, cache=False)


def test_global_headers_are_bounded(tmp_path):
    header = b"".join(record(f"k{n}", "v") for n in range(1001))
    refused(tmp_path, with_header(tarfile.XGLTYPE, header), "more than 1,000 global headers")


def test_reading_ahead_copies_each_byte_once():
    """With a copy for every piece, this would take minutes."""
    stream = Pieces(b"x" for _ in range(1_000_000))
    assert stream.read(999_999) == b"x" * 999_999
    assert stream.peek(5) == b"x" and stream.read(5) == b"x" and stream.read(5) == b""


def test_a_file_that_is_read_into_memory_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "_MOST_WHOLE", 1 << 20)
    (tmp_path / "x.gz").write_bytes(gzip.compress(bytes(3 << 20)))
    with pytest.raises(DataError, match=r"x\.gz: holds more than 1 MiB"):
        read_all(tmp_path / "x.gz")


def test_an_xz_dictionary_of_gigabytes_is_refused(tmp_path):
    packed = bytearray(lzma.compress(LINE))
    header = slice(12, 12 + 4 * (packed[12] + 1))  # header of the block, which ends in its CRC-32
    block = packed[header]
    assert block[2:4] == b"\x21\x01"  # LZMA2, with one byte for the size of the dictionary
    block[4] = 40  # 4 GiB
    block[-4:] = zlib.crc32(block[:-4]).to_bytes(4, "little")
    packed[header] = block
    refused(tmp_path, bytes(packed), "[Mm]emory usage limit", "x.txt.xz")


def test_a_zstd_window_of_gigabytes_is_refused(tmp_path):
    frame = b"\x28\xb5\x2f\xfd" + bytes([4, 21 << 3]) + b"\x01\0\0"  # a window of 2 GiB
    refused(tmp_path, frame, "too much memory", "x.txt.zst")


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="pipe: a pipe or a device"):
        letor_data.read_data(tmp_path / "pipe")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_zip_members_come_in_bounded_pieces(tmp_path, method):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as zipped:
        zipped.writestr("x.txt", LINE * 300_000)
    (tmp_path / "x.zip").write_bytes(packed.getvalue())
    ((_, pieces),) = read_pieces(find_sources(tmp_path / "x.zip"))
    sizes = [len(piece) for piece in pieces]
    assert sum(sizes) == len(LINE) * 300_000 and max(sizes) <= 1 << 20


# Read files with a limit of 400 MB above the memory of the process, and print the results.
WITHIN_LIMITS = """
import resource, sys
from rankduel import letor_data
from rankduel.letor_data.trec import read_qrels, read_run
from rankduel.base.errors import DataError

folder = sys.argv[1]
open(folder + "/small", "w").write("1 Q0 a 1 1 x\\n")
read_run(folder + "/small")  # loads modules before memory is measured
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (400 << 20),) * 2)
readers = {"run": read_run, "qrels": read_qrels, "long": read_run, "letor": letor_data.read_data}
for name, read in readers.items():
    try:
        found = read(f"{folder}/{name}.gz")
        print(name, len(found.rows))
    except DataError as problem:
        print(name, str(problem).splitlines()[0].replace(folder, ""))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the address space")
def test_small_files_of_huge_texts_need_little_memory(tmp_path):
    """Texts of 50 MB and more, as concatenated streams."""
    texts = {
        "run": (b"1 Q0 doc 1 0.5 tag\n", 2),
        "qrels": (b"1 0 doc 1\n", 1),
        "long": (b"1 Q0 " + b"d" * 10_000 + b" 1 0.5 tag\n", 2),
        "letor": (b"x" * 1000, 3),
    }
    for name, (line, times) in texts.items():
        stream = gzip.compress(line * ((50 << 20) // len(line)), compresslevel=1)
        (tmp_path / f"{name}.gz").write_bytes(stream * times)
    command = [sys.executable, "-c", WITHIN_LIMITS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines() == [
        "run /run.gz:2:6: line 1 has this document already (doc)",
        "qrels 1",
        "long /long.gz:1:6: a field of more than 4,096 bytes (" + "d" * 37 + "...)",
        "letor /letor.gz:1:1: no line end within 64 MiB",
    ], done.stderr


@pytest.mark.parametrize("kind", COMPRESS)
def test_streams_of_one_byte_each_are_read(tmp_path, kind):
    (tmp_path / "x").write_bytes(b"".join(COMPRESS[kind](LINE[n : n + 1]) for n in range(len(LINE))) * 40)
    assert read_all(tmp_path / "x") == LINE * 40
