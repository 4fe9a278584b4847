"""Damage to a Parquet file of judged data is noticed wherever it is, the footer included."""

import dataclasses
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.helpers import assert_same_letor, small_letor

import letor_data
from letor_data.parquet_files import letor_digest, read_parquet, write_parquet
from letor_data.table import to_table
from rankduel.base.errors import DataError

KEYS = (b"rankduel", b"rankduel.digest", b"rankduel.digest.copy")


@pytest.fixture
def path(tmp_path):
    write_parquet(small_letor(notes=()), tmp_path / "x.parquet")
    return tmp_path / "x.parquet"


@pytest.mark.parametrize("step", [173, pytest.param(1, marks=pytest.mark.slow)])
def test_a_flipped_bit_is_refused_or_changes_nothing(path, step):
    whole, refused = path.read_bytes(), 0
    for place in range(0, 8 * len(whole), step):
        at, bit = divmod(place, 8)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << bit)]) + whole[at + 1 :])
        try:
            assert_same_letor(letor_data.read_data(path), small_letor(notes=()))
        except DataError as problem:
            assert "x.parquet: " in str(problem)
            refused += 1
    assert refused > 0.6 * 8 * len(whole) / step  # the others are in statistics and names that nothing reads


def test_a_changed_page_is_noticed_by_its_checksum(tmp_path):
    """Without compression and without a digest of ours, nothing else would tell."""
    table = to_table(small_letor(notes=()))
    pq.write_table(table, tmp_path / "x.parquet", write_page_checksum=True, compression="none")
    whole = (tmp_path / "x.parquet").read_bytes()
    changed = whole.replace("größer".encode(), "grüßer".encode(), 1)
    assert len(changed) == len(whole) and changed != whole
    (tmp_path / "x.parquet").write_bytes(changed)
    with pytest.raises(DataError, match=r"x\.parquet: not a readable Parquet file .*CRC"):
        read_parquet(tmp_path / "x.parquet")


def rewritten(path, change=lambda table: table, metadata=lambda known: known):
    """Write the file again as another tool would, with changed columns or metadata."""
    table = pq.read_table(path)
    pq.write_table(change(table).replace_schema_metadata(metadata(table.schema.metadata)), path)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.slice(1),
        lambda table: table.rename_columns([name.replace("2", "3") for name in table.column_names]),
        lambda table: table.set_column(0, "label", pa.array([1] * 6, pa.int8())),
        lambda table: table.set_column(4, "comment", pa.array(["x"] * 6, pa.large_string())),
        lambda table: table.drop_columns(["split"]),
    ],
    ids=["row", "name", "label", "comment", "column"],
)
def test_values_that_do_not_fit_the_digest_are_refused(path, change):
    rewritten(path, change)
    with pytest.raises(DataError, match=r"x\.parquet: its content does not fit the digest"):
        read_parquet(path)


@pytest.mark.parametrize("key", KEYS)
def test_metadata_that_are_partly_gone_are_noticed(path, key):
    rewritten(path, metadata=lambda known: {k: v for k, v in known.items() if k != key})
    with pytest.raises(DataError, match=r"x\.parquet: its content does not fit the digest"):
        read_parquet(path)


def test_files_without_a_digest_are_read(path):
    rewritten(path, metadata=lambda known: {b"rankduel": known[b"rankduel"]})  # as older releases wrote it
    assert_same_letor(read_parquet(path), small_letor(notes=()))
    rewritten(path, metadata=lambda _: None)
    assert read_parquet(path).n_docs == 6


def test_the_digest_is_of_everything():
    letor = small_letor()
    changes = {
        "labels": letor.labels[::-1], "offsets": np.array([0, 2, 4, 6]), "columns": letor.columns[::-1],
        "feature_names": ("1", "2", "3"), "query_ids": letor.query_ids[::-1], "splits": letor.splits[::-1],
        "records": letor.records[::-1], "comments": None, "profile": "mslr", "source": "x", "digest": "x",
        "notes": (), "scale": 3,
    }  # fmt: skip
    assert set(changes) == {field.name for field in dataclasses.fields(letor)} - {"cache"}
    digests = {letor_digest(dataclasses.replace(letor, **{name: new})) for name, new in changes.items()}
    assert len(digests | {letor_digest(letor)}) == len(changes) + 1


def test_the_digest_does_not_depend_on_the_form():
    letor = small_letor()
    sliced = pa.concat_arrays([pa.array(["x"], pa.large_string()), letor.comments])[1:]
    spread = tuple(np.repeat(column, 2)[::2] for column in letor.columns)
    assert letor_digest(dataclasses.replace(letor, comments=sliced, columns=spread)) == letor_digest(letor)
    empty = pa.array([""] * 6, pa.large_string())
    assert letor_digest(dataclasses.replace(letor, comments=empty)) != letor_digest(letor)


@pytest.mark.parametrize(
    "facts",
    [
        b"{", b"\xff", b"5", b"null", b'"x"', b"[" * 20_000, b'{"notes": 5}', b'{"notes": [5]}',
        b'{"source": null}', b'{"profile": "?"}', b'{"profile": []}', b'{"digest": {}}',
        b'{"profile": ' + b"9" * 5000 + b"}",
    ],
)  # fmt: skip
def test_hostile_metadata_are_refused(path, facts):
    rewritten(path, metadata=lambda _: {b"rankduel": facts})
    with pytest.raises(DataError, match=r"x\.parquet: its metadata 'rankduel'"):
        read_parquet(path)


def test_names_may_be_any_bytes(tmp_path):
    path = tmp_path / "n\udcff.parquet"
    write_parquet(small_letor(notes=()), path)
    assert_same_letor(letor_data.read_data(path), small_letor(notes=()))
    path.write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"n\\xff\.parquet: not a readable") as caught:
        letor_data.read_data(path)
    assert json.dumps(str(caught.value), ensure_ascii=False).encode()
