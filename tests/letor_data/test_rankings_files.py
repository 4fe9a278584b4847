"""A folder of rankings is complete or absent, and an error in it is reported."""

import json
import os
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rankduel.base.errors import DataError
from rankduel.base.files import file_checksum
from rankduel.letor_data import rankings_files
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import Ranker, feature_rankers
from rankduel.letor_data.rankings import rank
from rankduel.letor_data.rankings_files import load, rank_to_folder, save
from rankduel.letor_data.sorting import is_ranking

pytestmark = pytest.mark.kernel

FIELDS = ("names", "offsets", "query_keys", "order", "positions", "ties", "digest")


@pytest.fixture
def letor():
    rng = np.random.default_rng(1)
    columns = {f"f{i}": rng.integers(0, 30, 150) for i in range(7)}
    return Letor.from_pandas(pd.DataFrame({"qid": np.repeat([*"abcde"], 30), "label": 0, **columns}))


def rankings_of(letor):
    return rank(letor, feature_rankers(letor))


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def assert_same(one, other):
    for field in FIELDS:
        assert np.array_equal(getattr(one, field), getattr(other, field)), field


def test_round_trip(tmp_path, letor):
    rankings = rankings_of(letor)
    save(rankings, tmp_path / "r")
    loaded = load(tmp_path / "r")
    assert_same(loaded, rankings)
    assert loaded.order.dtype == np.int16
    assert sorted(os.listdir(tmp_path / "r")) == [
        "offsets.npy",
        "order.npy",
        "positions.npy",
        "query_keys.npy",
        "rankings.json",
        "ties.npy",
    ]


def test_loaded_rankings_are_mapped_and_usable(tmp_path, letor):
    save(rankings_of(letor), tmp_path / "r")
    loaded = load(tmp_path / "r")
    base = loaded.order
    while isinstance(base, np.ndarray):
        owner, base = base, base.base
    assert type(owner) is np.memmap
    assert_same(loaded.resolve("random_run", 3), rankings_of(letor).resolve("random_run", 3))


@pytest.mark.parametrize("jobs", [1, 3])
def test_streaming_writes_the_same_bytes(tmp_path, letor, jobs):
    heard = []
    save(rankings_of(letor), tmp_path / "saved")
    rank_to_folder(letor, feature_rankers(letor), tmp_path / "deep" / "streamed", jobs, heard.append)
    assert contents(tmp_path / "deep" / "streamed") == contents(tmp_path / "saved")
    assert heard == [1] * 7


def test_numpy_reads_the_files_alone(tmp_path, letor):
    rankings = rankings_of(letor)
    save(rankings, tmp_path / "r")
    assert np.array_equal(np.load(tmp_path / "r" / "ties.npy"), rankings.ties)
    np.save(tmp_path / "again.npy", rankings.order)
    assert (tmp_path / "again.npy").read_bytes() == (tmp_path / "r" / "order.npy").read_bytes()


def test_one_ranker_and_a_query_too_long_for_16_bits(tmp_path):
    frame = pd.DataFrame({"qid": "a", "label": 0, "x": np.arange(40_000) % 1000})
    letor = Letor.from_pandas(frame)
    rank_to_folder(letor, feature_rankers(letor), tmp_path / "r")
    assert load(tmp_path / "r").order.dtype == np.int32
    assert_same(load(tmp_path / "r"), rankings_of(letor))


@pytest.mark.parametrize("existing", [False, True])
def test_a_half_written_folder_is_never_seen(tmp_path, letor, existing):
    path = tmp_path / "r"
    if existing:
        save(rankings_of(letor), path)
    before = contents(path) if existing else None

    def fail(letor):
        assert path.exists() == existing
        raise DataError("no more")

    rankers = [*feature_rankers(letor), Ranker("fails", fail)]
    with pytest.raises(DataError, match="ranker 'fails': no more"):
        rank_to_folder(letor, rankers, path, jobs=1)
    assert (contents(path) if path.exists() else None) == before
    assert os.listdir(tmp_path) == (["r"] if existing else [])


def test_an_older_folder_is_replaced(tmp_path, letor):
    save(rankings_of(letor.only_features(["f3"])), tmp_path / "r")
    save(rankings_of(letor), tmp_path / "r")
    assert_same(load(tmp_path / "r"), rankings_of(letor))
    assert os.listdir(tmp_path) == ["r"]


def test_rankings_in_use_survive_their_replacement(tmp_path, letor):
    save(rankings_of(letor), tmp_path / "r")
    loaded = load(tmp_path / "r")
    save(rankings_of(letor.only_features(["f3"])), tmp_path / "r")
    assert_same(loaded, rankings_of(letor))


def test_many_writers_at_once_leave_one_whole_folder(tmp_path, letor):
    kinds = [rankings_of(letor.only_features([f"f{i}"])) for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(15):
            list(pool.map(lambda rankings: save(rankings, tmp_path / "r"), kinds))
            found = load(tmp_path / "r")
            assert_same(found, kinds[[kind.names for kind in kinds].index(found.names)])
            assert os.listdir(tmp_path) == ["r"]


def test_another_writer_may_move_the_old_folder_first(tmp_path, letor, monkeypatch):
    save(rankings_of(letor.only_features(["f3"])), tmp_path / "r")
    check = rankings_files._check_replaceable
    calls = []

    def moved_by_another_writer(path):
        check(path)
        calls.append(path)
        if len(calls) == 2:  # another writer moves the old folder before this one does
            path.rename(tmp_path / "moved")

    monkeypatch.setattr(rankings_files, "_check_replaceable", moved_by_another_writer)
    save(rankings_of(letor), tmp_path / "r")
    assert_same(load(tmp_path / "r"), rankings_of(letor))
    assert sorted(os.listdir(tmp_path)) == ["moved", "r"]


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_only_rankings_are_replaced(tmp_path, letor, kind):
    path = tmp_path / "thesis"
    if kind == "folder":
        path.mkdir()
        (path / "chapter.tex").write_text("years of work")
    else:
        path.write_text("years of work")
    with pytest.raises(DataError, match="does not hold rankings"):
        save(rankings_of(letor), path)
    assert path.exists()
    assert os.listdir(tmp_path) == ["thesis"]


def _cut(path):
    path.write_bytes(path.read_bytes()[:-2])


def _set_about(**changes):
    def change(path):
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


@pytest.mark.parametrize(
    ("file", "spoil", "message"),
    [
        ("rankings.json", lambda path: path.unlink(), "holds no rankings"),
        ("rankings.json", lambda path: path.write_text("{"), "rankings.json"),
        ("rankings.json", _set_about(version=99), r"99.*rank the data again"),
        ("rankings.json", _set_about(format="other"), "other"),
        ("rankings.json", _set_about(names=["f1"]), "rankings.json: damaged, or changed by hand"),
        ("order.npy", lambda path: path.unlink(), "order.npy"),
        ("ties.npy", _cut, "ties.npy"),
        ("positions.npy", lambda path: np.save(path, np.zeros((7, 150))), "found float64"),
        ("query_keys.npy", lambda path: np.save(path, np.zeros(4, np.uint64)), r"expected uint64 \(5,\)"),
        ("offsets.npy", lambda path: np.save(path, np.array([0, 9, 8])), "rise from 0"),
        ("offsets.npy", lambda path: np.save(path, np.array([0.0, 150.0])), "int64"),
    ],
)
def test_a_spoilt_folder_is_refused(tmp_path, letor, file, spoil, message):
    save(rankings_of(letor), tmp_path / "r")
    spoil(tmp_path / "r" / file)
    with pytest.raises(DataError, match=message):
        load(tmp_path / "r")


HOSTILE = [b"", b"[]", b"5", b"null", b"\xff", b"[" * 20_000, b'{"format": ' + b"9" * 5000 + b"}"]


@pytest.mark.parametrize("content", HOSTILE)
def test_any_json_may_be_found(tmp_path, letor, content):
    save(rankings_of(letor), tmp_path / "r")
    (tmp_path / "r" / "rankings.json").write_bytes(content)
    with pytest.raises(DataError, match="rankings.json"):
        load(tmp_path / "r")


def header(text):
    return b"\x93NUMPY\x01\0" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\3\4",  # numpy.load would read it as an archive of arrays
        header(b"(" * 5000),
        header(b"'''"),
        header(b"{'descr': '<i2', 'fortran_order': False, 'shape': (7, 99999999999999999999)}"),
        header(b"{'descr': '|O', 'fortran_order': False, 'shape': (7, 150)}"),
        header(b"{'descr': [1], 'fortran_order': 0, 'shape': None}"),
    ],
)
def test_a_hostile_array_is_refused(tmp_path, letor, content):
    save(rankings_of(letor), tmp_path / "r")
    (tmp_path / "r" / "order.npy").write_bytes(content)
    with pytest.raises(DataError, match=r"order\.npy: "):
        load(tmp_path / "r")


def with_new_checksums(folder):
    """Write the checksums of a changed folder."""
    about = json.loads((folder / "rankings.json").read_text())
    del about["checksum"]
    about["checksums"] = {name: file_checksum(folder / f"{name}.npy") for name in about["checksums"]}
    about["checksum"] = zlib.crc32(json.dumps(about, sort_keys=True).encode())
    (folder / "rankings.json").write_text(json.dumps(about))


def edited(name, *place, value):
    def change(folder):
        array = np.load(folder / f"{name}.npy")
        array[place] = value
        np.save(folder / f"{name}.npy", array)

    return change


@pytest.mark.parametrize(
    "change",
    [
        edited("order", 0, 0, value=30_000),
        edited("order", 6, 149, value=-1),
        edited("positions", 3, 3, value=-30_000),
        edited("ties", 0, 149, value=1),
        edited("ties", 0, 0, value=-1),
        edited("ties", 5, 0, value=30_000),
        edited("offsets", 1, value=-(2**62)),
        edited("offsets", 1, value=2**62),
    ],
)
@pytest.mark.parametrize("forged", [False, True])
def test_values_that_are_no_rankings_never_reach_compiled_code(tmp_path, letor, change, forged):
    save(rankings_of(letor), tmp_path / "r")
    with_new_checksums(tmp_path / "r")
    load(tmp_path / "r")
    change(tmp_path / "r")
    if forged:
        with_new_checksums(tmp_path / "r")
    with pytest.raises(DataError, match="rank the data again"):
        load(tmp_path / "r")


def ended(letor):
    """Return the same data with lists that end before documents without a value."""
    columns = tuple(np.where(column < 10, np.nan, column) for column in letor.columns)
    return replace(letor, columns=columns, profile="trec")


def test_lists_that_end_make_the_round_trip(tmp_path, letor):
    rankings = rankings_of(ended(letor))
    save(rankings, tmp_path / "r")
    rank_to_folder(ended(letor), feature_rankers(letor), tmp_path / "streamed")
    assert contents(tmp_path / "r") == contents(tmp_path / "streamed")
    loaded = load(tmp_path / "r")
    assert_same(loaded, rankings)
    assert loaded.lengths.tolist() == rankings.lengths.tolist()
    assert 0 < loaded.lengths.min() and loaded.lengths.max() < 30


@pytest.mark.parametrize("name, value", [("lengths", -1), ("lengths", 31), ("lengths", 0)])
def test_lists_that_cannot_end_there_are_refused(tmp_path, letor, name, value):
    """With length 0, the ties are between documents that are not listed, which a ranking may not have."""
    save(rankings_of(ended(letor)), tmp_path / "r")
    edited(name, 0, 0, value=value)(tmp_path / "r")
    with_new_checksums(tmp_path / "r")
    with pytest.raises(DataError, match="its arrays are not valid rankings; rank the data again"):
        load(tmp_path / "r")


@pytest.mark.parametrize(
    ("order", "positions", "right"),
    [
        ([1, 2, 0], [2, -1, -1], True),  # documents 1 and 2 are tied for ranks 0 and 1
        ([1, 1, 0], [2, -1, 77], False),
        ([2, 1, 0], [2, -1, -1], False),  # not in file order
        ([1, 2, 0], [2, 0, 1], False),
        ([1, 2, 0], [1, -1, -1], False),
    ],
)
def test_tied_documents_are_there_once(order, positions, right):
    arrays = (np.array(values, np.int16) for values in (order, positions, [1, -1, 0]))
    assert is_ranking(np.array([0, 3]), *arrays) == right


def test_a_flipped_bit_is_noticed(tmp_path, letor):
    save(rankings_of(letor), tmp_path / "r")
    for file in sorted((tmp_path / "r").iterdir()):
        whole = file.read_bytes()
        for at in range(0, len(whole), 97):
            file.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
            with pytest.raises(DataError):
                load(tmp_path / "r")
        file.write_bytes(whole)
    assert_same(load(tmp_path / "r"), rankings_of(letor))


def test_a_disk_that_fills_up_leaves_nothing(tmp_path, letor, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(rankings_files, "_write_rows", full)
    with pytest.raises(DataError, match=r"r: could not be written: No space left on device"):
        save(rankings_of(letor), tmp_path / "r")
    assert os.listdir(tmp_path) == []


def test_nothing_there(tmp_path):
    with pytest.raises(DataError, match="holds no rankings"):
        load(tmp_path / "nothing")
