"""A cache file is used only if it is complete and of this data; the data are read also without one."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.helpers import PACK, assert_same_letor, small_letor
from support.permissions import give_away, needs_root

from rankduel import letor_data
from rankduel.base.errors import DataError, DataWarning
from rankduel.letor_data import cache
from rankduel.letor_data import cached_text as reading
from rankduel.letor_data.cache import FOLDER, cache_stem, digest_of, load, store
from rankduel.letor_data.packed.archive import find_files
from rankduel.letor_data.text.parse import ReadOptions

TEXT = "2 qid:1 1:0.5 2:3 # first\n0 qid:1 1:0.1 # größer\n1 qid:2 2:-7\n"
NOTED = "2 qid:1 2:3 1:0.5\n0 qid:2 1:0.25\n"  # feature numbers out of order


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "data" / "x.txt"
    path.parent.mkdir()
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def no_parsing(monkeypatch):
    """Return a function that makes parsing fail from then on."""

    def parse(*_):
        raise AssertionError("parsed again")

    return lambda: monkeypatch.setattr(reading, "parse_text", parse)


def arrow_files(folder):
    return sorted(Path(folder).glob("*.arrow"))


# --- the key


def digest(path, **options):
    return digest_of(find_files(path), ReadOptions(**options))


@pytest.mark.parametrize(
    "options",
    [
        {"profile": "svmlight"}, {"nonfinite": "missing"}, {"unjudged": "drop"}, {"label_round": "floor"},
        {"grade_cuts": (1.0,)}, {"index_base": 0}, {"max_features": 99}, {"merge_files": True},
        {"split_prefix": True},
    ],
)  # fmt: skip
def test_every_option_changes_the_key(source, options):
    assert set(options) <= set(ReadOptions._fields)
    assert digest(source, **options) != digest(source)


def test_the_content_and_the_version_change_the_key(source, monkeypatch):
    keys = [digest(source)]
    source.write_text(TEXT.replace("0.5", "0.6"), encoding="utf-8")
    keys.append(digest(source))
    monkeypatch.setattr(cache, "READER_VERSION", 99)
    keys.append(digest(source))
    assert len(set(keys)) == 3


def test_every_byte_of_a_large_file_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "_PART", 1 << 20)
    content, keys = bytearray(3 << 20), set()
    for at in (0, (1 << 20) - 1, 1 << 20, (3 << 20) - 1):
        content[at] ^= 1
        (tmp_path / "x").write_bytes(content)
        keys.add(digest(tmp_path / "x"))
    (tmp_path / "x").write_bytes(content + b"\0")
    assert len(keys | {digest(tmp_path / "x")}) == 5


def test_a_side_file_changes_the_key(source):
    keys = [digest(source)]
    for counts in ("3\n", "1\n2\n"):
        source.with_name("x.txt.query").write_text(counts)
        keys.append(digest(source))
    assert len(set(keys)) == 3


def test_the_member_changes_the_key(tmp_path):
    (tmp_path / "x.zip").write_bytes(PACK["zip"]([("a.txt", b"1"), ("b.txt", b"1")]))
    assert len({digest(f"{tmp_path / 'x.zip'}{member}") for member in ("", "::a.txt", "::b.txt")}) == 3


def test_the_split_changes_the_key(source):
    before = digest(source)
    assert digest(source.rename(source.with_name("test.txt"))) != before


def test_data_may_move_unless_that_changes_its_profile(source, tmp_path):
    before = digest(source)
    moved = source.parent.rename(tmp_path / "elsewhere")
    assert digest(moved / "x.txt") == before
    assert digest(moved.rename(tmp_path / "MQ2007") / "x.txt") != before


@pytest.mark.filterwarnings("ignore:.*features that profile:UserWarning")
def test_the_same_bytes_in_two_profiles_do_not_share_a_cache(tmp_path):
    for folder in ("plain", "MQ2007"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.txt").write_text(TEXT, encoding="utf-8")
    found = [
        letor_data.read_data(tmp_path / name / "x.txt", cache=tmp_path / "c") for name in ("plain", "MQ2007")
    ]
    assert [(letor.profile, letor.n_features) for letor in found] == [("svmlight", 2), ("letor4", 2)]


# --- hits and misses


@pytest.mark.parametrize("kind", ["plain", "zip", "tar.gz", "folder"])
def test_a_hit_does_not_parse_nor_unpack(source, no_parsing, monkeypatch, kind):
    argument = source.parent if kind == "folder" else source
    if kind in PACK:
        argument = source.with_name(f"x.{kind}")
        argument.write_bytes(PACK[kind]([("x.txt", TEXT.encode())]))
    first = letor_data.read_data(argument)
    no_parsing()
    monkeypatch.setattr("rankduel.letor_data.packed.archive.tar_members", None)
    assert_same_letor(letor_data.read_data(argument), first)
    assert len(arrow_files(source.parent / FOLDER)) == 1


def test_what_comes_from_the_cache_is_what_was_parsed(source):
    fresh = letor_data.read_data(source, cache=False)
    assert_same_letor(letor_data.read_data(source), fresh)
    assert_same_letor(letor_data.read_data(source), fresh)
    assert fresh.digest == digest(source) and fresh.comments.to_pylist() == [" first", " größer", ""]


def test_notes_come_back(source, no_parsing):
    source.write_text(NOTED)
    with pytest.warns(DataWarning, match="out of order"):
        first = letor_data.read_data(source)
    no_parsing()
    with pytest.warns(DataWarning, match="out of order"):
        assert letor_data.read_data(source).notes == first.notes != ()


def test_the_source_is_the_one_asked_for(source, tmp_path, monkeypatch):
    letor_data.read_data(source)
    monkeypatch.chdir(tmp_path)
    assert letor_data.read_data("data/x.txt", cache="elsewhere").source == str(Path("data/x.txt"))
    assert letor_data.read_data("data/x.txt").source == str(Path("data/x.txt"))
    (one,), (other,) = arrow_files(source.parent / FOLDER), arrow_files("elsewhere")
    assert one.name == other.name and one.read_bytes() == other.read_bytes()


def test_everything_comes_back(tmp_path):
    letor = small_letor()
    store(letor, tmp_path / "c" / "x.key")
    assert_same_letor(load(tmp_path / "c" / "x.key", "abc"), letor)
    plain = small_letor(comments=None, notes=(), columns=(), feature_names=())
    store(plain, tmp_path / "c" / "y.key")
    assert_same_letor(load(tmp_path / "c" / "y.key", "abc"), plain)


def test_columns_are_mapped_not_copied(tmp_path):
    n = 500_000
    columns = tuple(np.random.default_rng(i).random(n) for i in range(4))
    letor = small_letor(
        labels=np.zeros(n, np.int8), offsets=np.array([0, n]), columns=columns, feature_names=tuple("abcd"),
        query_ids=np.array(["1"], object), splits=np.array([""], object), records=np.arange(n), comments=None,
    )  # fmt: skip
    store(letor, tmp_path / "x.key")
    before = pa.total_allocated_bytes()
    loaded = load(tmp_path / "x.key", "abc")
    assert pa.total_allocated_bytes() - before < 1 << 16
    for column in (*loaded.columns, loaded.records):
        assert not column.flags.owndata and not column.flags.writeable
    assert_same_letor(loaded, letor)


# --- invalid cache files

every_byte = pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.slow)])


@every_byte
def test_a_file_cut_anywhere_is_not_believed(tmp_path, step):
    store(small_letor(), tmp_path / "x.key")
    (path,) = arrow_files(tmp_path)
    whole = path.read_bytes()
    for length in range(0, len(whole), step):
        path.write_bytes(whole[:length])
        assert load(tmp_path / "x.key", "abc") is None
    path.write_bytes(whole + b"\0" * 8)
    assert load(tmp_path / "x.key", "abc") is None
    path.write_bytes(whole)
    assert_same_letor(load(tmp_path / "x.key", "abc"), small_letor())


@every_byte
def test_a_flipped_bit_anywhere_is_noticed(tmp_path, step):
    store(small_letor(), tmp_path / "x.key")
    (path,) = arrow_files(tmp_path)
    whole = path.read_bytes()
    for at in range(0, len(whole), step):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
        assert load(tmp_path / "x.key", "abc") is None


def swapped(data, one, other, size):
    """Return `data` with `size` bytes at two places swapped."""
    changed = bytearray(data)
    changed[one : one + size] = data[other : other + size]
    changed[other : other + size] = data[one : one + size]
    return bytes(changed)


@pytest.mark.parametrize("size", [8, 1 << 20])
def test_bytes_that_changed_places_are_noticed(tmp_path, size):
    noise = np.random.default_rng(0).bytes(3 << 20).hex()
    store(small_letor(notes=(noise,)), tmp_path / "x.key")
    assert load(tmp_path / "x.key", "abc") is not None
    (path,) = arrow_files(tmp_path)
    whole = path.read_bytes()
    start = whole.index(noise[:1000].encode())
    path.write_bytes(swapped(whole, start, start + size, size))
    assert load(tmp_path / "x.key", "abc") is None


def zero_middle(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 64] = b"\1" * 64
    path.write_bytes(content)


def other_table(path):
    with pa.OSFile(str(path), "wb") as stream, pa.ipc.new_file(stream, pa.schema([("a", pa.int64())])):
        pass


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_text("not Arrow at all"),
        lambda path: path.unlink() or path.mkdir(),
        zero_middle,
        other_table,
    ],
    ids=["empty", "cut", "text", "folder", "middle", "other table"],
)
@pytest.mark.filterwarnings("ignore:no cache was written")  # a file instead of the folder
def test_a_spoilt_file_is_rebuilt(source, spoil):
    fresh = letor_data.read_data(source, cache=False)
    letor_data.read_data(source)
    (path,) = arrow_files(source.parent / FOLDER)
    whole = path.read_bytes()
    spoil(path)
    assert_same_letor(letor_data.read_data(source), fresh)
    assert path.is_dir() or path.read_bytes() == whole


def test_a_foreign_file_under_a_name_like_ours_is_passed_over(source, no_parsing):
    first = letor_data.read_data(source)
    (path,) = arrow_files(source.parent / FOLDER)
    stem = path.name.rsplit(".", 2)[0]
    path.with_name(f"{stem}.0000.arrow").write_text("?")
    path.with_name(f".{stem}.1234.tmp").write_text("half a file")
    no_parsing()
    assert_same_letor(letor_data.read_data(source), first)


def named_by_checksum(path):
    """Give a cache file the name with the checksum of its content."""
    stem = path.name.rsplit(".", 2)[0]
    return path.rename(path.with_name(f"{stem}.{zlib.crc32(path.read_bytes()):08x}.arrow"))


def without_labels(path):
    table = pa.ipc.open_file(path.read_bytes()).read_all().drop_columns(["label"])
    with pa.OSFile(str(path), "wb") as stream, pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)


def cut_inside(path):
    path.write_bytes(path.read_bytes()[:-40])


@pytest.mark.parametrize(
    "spoil", [lambda path: path.write_text("not Arrow at all"), other_table, without_labels, cut_inside]
)
def test_a_file_that_fits_its_name_but_holds_no_data_is_rebuilt(source, spoil):
    fresh = letor_data.read_data(source, cache=False)
    letor_data.read_data(source)
    (path,) = arrow_files(source.parent / FOLDER)
    spoil(path)
    spoilt = named_by_checksum(path)
    assert_same_letor(letor_data.read_data(source), fresh)
    assert set(arrow_files(source.parent / FOLDER)) == {path, spoilt}


def test_the_cache_of_another_file_is_not_believed_under_this_name(source, tmp_path):
    fresh = letor_data.read_data(source, cache=False)
    letor_data.read_data(source)
    (path,) = arrow_files(source.parent / FOLDER)
    other = source.with_name("y.txt")
    other.write_text(TEXT.replace("0.5", "0.75"), encoding="utf-8")
    letor_data.read_data(other, cache=tmp_path / "c")
    (foreign,) = arrow_files(tmp_path / "c")
    path.unlink()
    foreign = named_by_checksum(foreign.rename(path))
    assert_same_letor(letor_data.read_data(source), fresh)
    assert set(arrow_files(source.parent / FOLDER)) == {path, foreign}


# --- a source that changes while it is read


def changing_source(monkeypatch, source, texts):
    """Replace the source by the next of `texts` after every parsing from then on."""
    parse = reading.parse_text

    def changed_after(*arguments):
        letor = parse(*arguments)
        if texts:
            source.write_text(texts.pop(0), encoding="utf-8")
        return letor

    monkeypatch.setattr(reading, "parse_text", changed_after)


def test_a_source_that_changes_once_is_read_again(source, monkeypatch):
    new = TEXT.replace("0.5", "0.75")
    changing_source(monkeypatch, source, [new])
    found = letor_data.read_data(source)
    assert found.columns[0][0] == 0.75 and found.digest == digest(source)
    assert_same_letor(letor_data.read_data(source), found)
    source.write_text(TEXT, encoding="utf-8")
    assert letor_data.read_data(source).columns[0][0] == 0.5


@pytest.mark.parametrize("kept", [True, False])
def test_a_source_that_keeps_changing_is_refused_and_nothing_is_kept(source, monkeypatch, kept):
    changing_source(monkeypatch, source, [TEXT.replace("0.5", f"0.{n}") for n in range(6, 10)])
    with pytest.raises(DataError, match=r"x\.txt: changed while it was read"):
        letor_data.read_data(source, cache=kept)
    assert not (source.parent / FOLDER).exists()


def test_a_file_that_joins_a_folder_meanwhile_counts(source, monkeypatch):
    parse = reading.parse_text

    def joined_before(*arguments):
        source.with_name("z.txt").write_text("1 qid:9 1:1\n")
        return parse(*arguments)

    monkeypatch.setattr(reading, "parse_text", joined_before)
    assert letor_data.read_data(source.parent).n_queries == 3
    monkeypatch.setattr(reading, "parse_text", parse)
    source.with_name("z.txt").unlink()
    assert letor_data.read_data(source.parent).n_queries == 2


# --- concurrent processes


# Read x.txt, and wait to be killed while the cache is written or just before it is renamed.
WRITER = """
import sys, time
from rankduel import letor_data
from rankduel.letor_data import cache

def wait(*_, **__):
    print("writing", flush=True)
    time.sleep(60)

class Half:
    def __init__(self, stream, schema): stream.write(b"ARROW1" + bytes(1000)), stream.flush(), wait()

if sys.argv[1] == "half way":
    cache.pa.ipc.new_file = Half
else:
    cache.put_in_place = wait
letor_data.read_data(sys.argv[2])
"""


@pytest.mark.skipif(os.name == "nt", reason="kills by signal")
@pytest.mark.parametrize("moment", ["half way", "before the name"])
def test_a_writer_killed_leaves_nothing_that_is_believed(source, moment):
    command = [sys.executable, "-c", WRITER, moment, str(source)]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert writer.stdout.readline() == "writing\n"
    finally:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
    left = list((source.parent / FOLDER).iterdir())
    assert len(left) == 1 and left[0].name.endswith(".tmp") and left[0].stat().st_size > 100
    assert_same_letor(letor_data.read_data(source), letor_data.read_data(source, cache=False))
    assert_same_letor(
        letor_data.read_data(source.parent), letor_data.read_data(source), but=["source", "digest"]
    )


def build(path, start, results):
    start.wait()
    letor = letor_data.read_data(path)
    results.put((letor.digest, letor.n_docs, letor.columns[0].tobytes()))


@pytest.mark.slow
def test_two_processes_may_build_at_once(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("".join(f"{i % 3} qid:{i // 10} 1:{i * 0.1}\n" for i in range(20_000)))
    context = multiprocessing.get_context("spawn")
    start, results = context.Event(), context.Queue()
    workers = [context.Process(target=build, args=(path, start, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    time.sleep(0.1)
    start.set()
    first, second = results.get(timeout=60), results.get(timeout=60)
    for worker in workers:
        worker.join()
    assert first == second
    assert [file.name.endswith(".arrow") for file in (tmp_path / FOLDER).iterdir()] == [True]
    (built,) = arrow_files(tmp_path / FOLDER)
    before = built.read_bytes()
    built.unlink()
    letor_data.read_data(path)
    assert arrow_files(tmp_path / FOLDER)[0].read_bytes() == before


# --- folders


def test_a_folder_may_be_chosen(source, tmp_path):
    letor_data.read_data(source, cache=tmp_path / "new" / "folder")
    assert len(arrow_files(tmp_path / "new" / "folder")) == 1
    assert not (source.parent / FOLDER).exists()


def test_without_a_cache_nothing_is_written(source):
    letor_data.read_data(source, cache=False)
    assert list(source.parent.iterdir()) == [source]


@pytest.mark.parametrize("home", ["xdg", ""])
def test_beside_a_folder_that_may_not_be_written_the_users_cache_is_used(source, tmp_path, monkeypatch, home):
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # permissions do not apply to root
    monkeypatch.setenv("XDG_CACHE_HOME", home and str(tmp_path / home))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RANKDUEL_CACHE", raising=False)
    letor_data.read_data(source)
    assert not (source.parent / FOLDER).exists()
    assert len(arrow_files(tmp_path / (home or ".cache") / "rankduel" / "data")) == 1


# --- files that others may have written


@pytest.fixture
def planted(source):
    """Return a cache file beside `source` with its digest, but other labels."""
    real = letor_data.read_data(source)
    shutil.rmtree(source.parent / FOLDER)
    lie = replace(real, labels=real.labels[::-1].copy())
    store(lie, cache_stem(source, real.digest, source.parent / FOLDER))
    assert letor_data.read_data(source).labels.tolist() == lie.labels.tolist() != real.labels.tolist()
    (file,) = arrow_files(source.parent / FOLDER)
    return file


def by_link(folder):
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to("elsewhere")


PLANTED = {
    "file others write": lambda file: file.chmod(0o666),
    "folder others write": lambda file: file.parent.chmod(0o777),
    "folder by link": lambda file: by_link(file.parent),
    "file by link": by_link,
    "file of another user": give_away,
    "folder of another user": lambda file: give_away(file.parent),
    "all of another user": lambda file: give_away(file, file.parent),
}
OF_OTHERS = [
    pytest.param(plant, id=name, marks=needs_root if "another" in name else ())
    for name, plant in PLANTED.items()
]
has_owners = pytest.mark.skipif(os.name == "nt", reason="users have no numbers")


@has_owners
@pytest.mark.parametrize("plant", OF_OTHERS)
def test_a_planted_cache_does_not_replace_the_data(source, planted, plant, tmp_path, monkeypatch):
    monkeypatch.setenv("RANKDUEL_CACHE", str(tmp_path / "own"))
    plant(planted)
    for _ in range(2):
        assert letor_data.read_data(source).labels.tolist() == [2, 0, 1]
    written = [*arrow_files(source.parent / FOLDER), *arrow_files(tmp_path / "own" / "data")]
    assert any(file.stat().st_mode & 0o777 == 0o600 and file.stat().st_uid == os.getuid() for file in written)


@has_owners
@pytest.mark.filterwarnings("ignore:no cache was written")
@pytest.mark.parametrize("plant", OF_OTHERS)
def test_a_planted_cache_in_a_chosen_folder_does_not_replace_the_data(source, planted, plant):
    plant(planted)
    assert letor_data.read_data(source, cache=source.parent / FOLDER).labels.tolist() == [2, 0, 1]


def test_a_cache_is_for_the_user_alone(source):
    before = os.umask(0)
    try:
        letor_data.read_data(source)
    finally:
        os.umask(before)
    (file,) = arrow_files(source.parent / FOLDER)
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def disk_full(*_):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("trouble", ["disk full", "a file in the way"])
def test_a_cache_that_cannot_be_written_costs_a_warning_only(source, tmp_path, monkeypatch, trouble):
    fresh, folder = letor_data.read_data(source, cache=False), tmp_path / "c"
    if trouble == "disk full":
        monkeypatch.setattr("rankduel.base.files.os.fsync", disk_full)
    else:
        folder.write_text("in the way")
    with pytest.warns(DataWarning, match="no cache was written"):
        letor = letor_data.read_data(source, cache=folder)
    assert_same_letor(letor, fresh, but=["source", "digest", "splits"])
    assert not folder.is_dir() or list(folder.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_disk_that_fills_up_leaves_no_half_file(source, tmp_path, monkeypatch):
    real = pa.OSFile
    monkeypatch.setattr(pa, "OSFile", lambda path, mode: real("/dev/full", mode))
    with pytest.warns(DataWarning, match="no cache was written: .*[Nn]o space left"):
        assert letor_data.read_data(source, cache=tmp_path / "c").n_docs == 3
    assert list((tmp_path / "c").iterdir()) == []


def test_an_error_in_the_data_leaves_no_cache(source):
    source.write_text("2 qid:1 1:0.5\nx\n")
    with pytest.raises(DataError, match=r"x\.txt:2:1"):
        letor_data.read_data(source)
    assert not (source.parent / FOLDER).exists()


def test_names_with_odd_characters_are_found_again(source, no_parsing):
    path = source.rename(source.with_name("a[1] *.txt"))
    letor_data.read_data(path)
    no_parsing()
    letor_data.read_data(path)
    assert cache_stem(path, "0123456789abcdefgh").name == "a[1] *.txt.0123456789abcdef"


@pytest.mark.parametrize(
    "name",
    ["x" * 250 + ".txt", "ü" * 125 + ".txt", "n\udcff\udcfe.txt", "\udcff" * 250 + ".txt"],
    ids=["long", "long UTF-8", "not UTF-8", "long, not UTF-8"],
)
def test_names_as_long_as_they_may_be_and_of_any_bytes_are_cached(source, no_parsing, name):
    path = source.rename(source.with_name(name))
    first = letor_data.read_data(path)
    assert len(arrow_files(source.parent / FOLDER)) == 1
    assert first.source.encode() and "".join(first.splits).encode()
    no_parsing()
    assert_same_letor(letor_data.read_data(path), first)


def test_a_name_that_is_not_utf8_is_printable_in_messages(source):
    path = source.rename(source.with_name("n\udcff.txt"))
    path.write_text("2 qid:1 1:0.5\nx\n")
    for argument in (path, path.with_name("no\udcfe.txt")):
        with pytest.raises(DataError, match=r"n(o\\xfe|\\xff)\.txt") as caught:
            letor_data.read_data(argument)
        assert str(caught.value).encode()
