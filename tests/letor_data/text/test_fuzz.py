"""Files with random damage give the data of the naive reader, or one error with its position.

No other exception, timeout or difference may occur. A failure names its case and prints the bytes.
"""

import bz2
import gzip
import io
import lzma
import signal
import tarfile
import zipfile
from contextlib import contextmanager

import naive
import numpy as np
import pytest
from support.reading import assert_same, cut_into, documents, parse

from rankduel.base.errors import DataError
from rankduel.letor_data.errors import LetorFormatError
from rankduel.letor_data.packed.packing import zstd

pytestmark = pytest.mark.kernel

SECONDS = 20  # seconds for one small file, including compilation
PLAIN = b"""\
2 qid:10 1:0.5 2:3 5:1e-3 #docid = GX1 inc = 0.5
0 qid:10 1:.25 3:17 #docid = GX2
# between
1 qid:10 2:1.7976931348623157e308 4:-0.0\r
0 qid:11 1:1 2:2 3:3 4:4 5:5\t
3 qid:11

0 qid:b\xc3\xa4r 3:9007199254740993 1:0.1 # out of order
1.0 qid:b\xc3\xa4r 1:0.30000000000000004 2:1e-310
0 qid:10 5:12345678901234567890.5
"""
YANDEX = b"""\
1.000000 1:0.32 5:0.001 245:0.7 # 181
0.500000 2:1 # 181
-1 3:2#182
4 7:0.125 200:1e5 # 18 3
"""
ISTELLA = b"""\
0 qid:5 1:0 2:1.79769313486232e+308 3:14
4 qid:5 1:1.79769313486e+308 2:7 3:0.5
1 qid:6 1:1e299 2:nan 3:-inf
-1 qid:6 1:8 2:9 3:1e400
"""
LIGHTGBM = b"""\
2 0:0.7 14:0.33
0 1:5
1 0:1 2:2 3:3
0 14:1e-5 # a
"""
COUNTS = [1, 2, 1]
# name: (text, options of the reader, options of the naive reader)
TEXTS = {
    "plain": (PLAIN, {}, {}),
    "letor3": (
        PLAIN.replace(b"4:-0.0", b"4:NULL").replace(b"3 qid:11", b"-1 qid:11"),
        {"profile": "letor3", "unjudged": "drop"}, {"null": True, "top_grade": 2, "unjudged": "drop"},
    ),
    "yandex": (
        YANDEX, {"profile": "yandex", "label_round": "floor", "unjudged": "zero"},
        {"query_by": "comment", "top_grade": 4, "label_round": "floor", "unjudged": "zero"},
    ),
    "istella": (
        ISTELLA, {"profile": "istella", "nonfinite": "missing", "unjudged": "drop"},
        {"huge": True, "top_grade": 4, "nonfinite": "missing", "unjudged": "drop"},
    ),
    "lightgbm": (LIGHTGBM, {}, {"query_by": "side file", "index_base": 0}),
}  # fmt: skip


# --- damage


def change(rng, data):
    """Return the bytes with one to three random changes."""
    for _ in range(rng.integers(1, 4)):
        data = CHANGES[rng.integers(len(CHANGES))](rng, data)
    return data


def flip(rng, data):
    at = rng.integers(len(data) + 1)
    return data[:at] + bytes(byte ^ 1 << rng.integers(8) for byte in data[at : at + 1]) + data[at + 1 :]


def overwrite(rng, data):
    at = rng.integers(len(data) + 1)
    return data[:at] + some_bytes(rng) + data[at + 1 :]


def insert(rng, data):
    at = rng.integers(len(data) + 1)
    return data[:at] + some_bytes(rng) + data[at:]


def delete(rng, data):
    start = rng.integers(len(data) + 1)
    return data[:start] + data[start + rng.integers(1, 8) :]


def truncate(rng, data):
    return data[: rng.integers(len(data) + 1)]


def repeat(rng, data):
    start, size = rng.integers(len(data) + 1), rng.integers(1, 40)
    return data[: start + size] + data[start:]


def change_lines(rng, data):
    return b"\n".join(swapped_or_doubled(rng, data.split(b"\n")))


def change_words(rng, data):
    return b" ".join(swapped_or_doubled(rng, data.split(b" ")))


def swapped_or_doubled(rng, parts):
    i, j = rng.integers(len(parts), size=2)
    kind = rng.integers(4)
    if kind == 0:
        parts[i], parts[j] = parts[j], parts[i]
    elif kind == 1:
        parts.insert(j, parts[i])
    elif kind == 2:
        parts[i] = parts[i][: rng.integers(len(parts[i]) + 1)]
    else:
        del parts[i]
    return parts


def some_bytes(rng):
    """Return a random byte, or text with a meaning in the format."""
    if rng.random() < 0.3:
        return bytes([rng.integers(256)])
    return PIECES[rng.integers(len(PIECES))]


CHANGES = [flip, overwrite, insert, delete, truncate, repeat, change_lines, change_words]
PIECES = [
    b" ", b"\t", b"\n", b"\r", b"\r\n", b"#", b":", b".", b"-", b"+", b"e", b"E", b"0", b"9", b"\0", b"\xff",
    b"\xef\xbb\xbf", b"qid:", b"qid", b" qid:7 ", b"NULL", b"nan", b"inf", b" 3:1", b"1e999",
    b"9999999999999999", b"99999999999999999999", b"000000", b"1e-", b" 0:1",
]  # fmt: skip


# --- checks


@contextmanager
def time_limit():
    def stop(*_):
        raise AssertionError(f"not done after {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def failure(check, *args):
    """Return a short description of the failure; "" if there is none."""
    try:
        with time_limit():
            check(*args)
    except (Exception, pytest.fail.Exception) as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""


def check_text(path, options, naive_options, jobs):
    """Compare the reader with the naive reader on the damaged file."""
    text = path.read_bytes()
    try:
        lines = naive.read_letor(text, max_features=300, **naive_options)
    except naive.BadLine as bad:
        with pytest.raises(LetorFormatError) as caught:
            parse(path, jobs, max_features=300, **options)
        assert (caught.value.line, caught.value.column) == bad.args, str(caught.value)
        assert str(caught.value).startswith(f"{path}:{bad.args[0]}:{bad.args[1]}: ")
        return
    counted = naive_options.get("query_by") == "side file"
    if not lines or (counted and len(lines) != sum(COUNTS)):
        expected = "(: no documents in it|: all . documents are unjudged|.query: its counts add up to 4, but)"
        with pytest.raises(DataError, match=f"^{path}{expected}"):
            parse(path, jobs, max_features=300, **options)
        return
    if counted:
        ids = np.repeat(["1", "2", "3"], COUNTS).tolist()
        if any(line[1] is not None for line in lines):  # damage created ids, which may contradict counts
            return
        lines = [(line[0], query, *line[2:]) for line, query in zip(lines, ids)]
    assert_same(parse(path, jobs, max_features=300, **options), lines)


def fuzz_texts(folder, seed, n_cases):
    rng, names = np.random.default_rng(seed), list(TEXTS)
    (folder / "lightgbm.txt.query").write_text("\n".join(map(str, COUNTS)))
    for case in range(n_cases):
        name = names[case % len(names)]
        text, options, naive_options = TEXTS[name]
        changed = change(rng, text)
        path = folder / f"{name}.txt"
        path.write_bytes(changed)
        with pytest.MonkeyPatch.context() as patch:
            cut_into(patch, block=int(rng.choice([1, 50, 1 << 20])), piece=int(rng.choice([1, 17, 1 << 20])))
            wrong = failure(check_text, path, options, naive_options, int(rng.integers(1, 3)))
        assert not wrong, f"seed {seed}, case {case}, {name}: {changed!r}\n{wrong}"


def tar_gz(text):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        info = tarfile.TarInfo("data.txt")
        info.size = len(text)
        archive.addfile(info, io.BytesIO(text))
    return stream.getvalue()


def zipped(text):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.txt", text)
    return stream.getvalue()


def zstd_checked(text):  # without a checksum, which is the default, damage cannot always be detected
    return zstd.compress(text, options={zstd.CompressionParameter.checksum_flag: 1})


PACKERS = {
    "txt.gz": gzip.compress, "txt.bz2": bz2.compress, "txt.xz": lzma.compress, "txt.zst": zstd_checked,
    "zip": zipped, "tar.gz": tar_gz,
}  # fmt: skip


def check_packed(path, whole):
    """Assert that a damaged file is refused with its name, or gives the same data."""
    try:
        found = documents(parse(path))
    except DataError as problem:
        assert str(problem).startswith(str(path))
    else:
        assert found == whole


def fuzz_packed(folder, kind, seed, n_cases):
    rng, packed = np.random.default_rng(seed), PACKERS[kind](PLAIN * 3)
    path = folder / f"data.{kind}"
    path.write_bytes(packed)
    whole = documents(parse(path))
    for case in range(n_cases):
        changed = change(rng, packed)
        path.write_bytes(changed)
        wrong = failure(check_packed, path, whole)
        assert not wrong, f"seed {seed}, case {case}, {kind}: {changed!r}\n{wrong}"


@pytest.mark.parametrize("name", TEXTS)
def test_the_undamaged_texts_are_read(name, tmp_path):
    text, options, naive_options = TEXTS[name]
    path = tmp_path / f"{name}.txt"
    path.write_bytes(text)
    (tmp_path / "lightgbm.txt.query").write_text("\n".join(map(str, COUNTS)))
    check_text(path, options, naive_options, jobs=1)
    assert parse(path, **options).n_queries > 1


def test_some_damaged_texts(tmp_path):
    fuzz_texts(tmp_path, seed=1, n_cases=240)


@pytest.mark.parametrize("kind", PACKERS)
def test_some_damaged_archives(kind, tmp_path):
    fuzz_packed(tmp_path, kind, seed=2, n_cases=10)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 18))
def test_many_damaged_texts(seed, tmp_path):
    fuzz_texts(tmp_path, seed, n_cases=2_000)


@pytest.mark.slow
@pytest.mark.parametrize("kind", PACKERS)
def test_many_damaged_archives(kind, tmp_path):
    fuzz_packed(tmp_path, kind, seed=20, n_cases=1_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_texts_cut_at_every_byte(name, tmp_path):
    text, options, naive_options = TEXTS[name]
    path = tmp_path / f"{name}.txt"
    (tmp_path / "lightgbm.txt.query").write_text("\n".join(map(str, COUNTS)))
    for size in range(len(text)):
        path.write_bytes(text[:size])
        check_text(path, options, naive_options, jobs=1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", PACKERS)
def test_archives_cut_at_every_byte(kind, tmp_path):
    packed = PACKERS[kind](PLAIN)
    path = tmp_path / f"data.{kind}"
    for size in range(len(packed)):
        path.write_bytes(packed[:size])
        with pytest.raises(DataError):
            parse(path)
