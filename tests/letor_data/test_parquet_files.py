"""Damage anywhere in a Parquet file of judged data, including its footer, is detected."""

import dataclasses
import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.helpers import assert_same_letor, small_letor

from rankduel import letor_data
from rankduel.base.errors import DataError
from rankduel.letor_data.digests import letor_digest
from rankduel.letor_data.parquet_files import read_parquet, write_parquet
from rankduel.letor_data.table import to_table

KEYS = (b"rankduel", b"rankduel.digest", b"rankduel.digest.copy")


@pytest.fixture
def path(tmp_path):
    write_parquet(small_letor(notes=()), tmp_path / "x.parquet")
    return tmp_path / "x.parquet"


class ThriftReader:
    """Reader of Thrift's compact protocol, for the types that occur in page headers."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while (part := self.byte()) & 0x80:
            value |= (part & 0x7F) << shift
            shift += 7
        return value | part << shift

    def integer(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def struct(self):
        """Return {field number: integer, structure or None}."""
        fields, number = {}, 0
        while header := self.byte():
            number = number + (header >> 4) if header >> 4 else self.integer()
            fields[number] = self.value(header & 15)
        return fields

    def value(self, kind):
        if kind in (4, 5, 6):
            return self.integer()
        if kind == 12:
            return self.struct()
        if kind == 8:  # bytes
            length = self.varint()
            self.at += length
        else:
            assert kind in (1, 2)  # a boolean, which is in the header of the field
        return None


COMPRESSED_SIZE = 3  # field of a page header


def page_bodies(path):
    """Return the offsets of all bytes of pages, without the page headers."""
    data, metadata = path.read_bytes(), pq.read_metadata(path)
    offsets = []
    for number in range(metadata.num_columns):
        column = metadata.row_group(0).column(number)
        at = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
        stop = at + column.total_compressed_size
        while at < stop:
            reader = ThriftReader(data, at)
            size = reader.struct()[COMPRESSED_SIZE]
            at = reader.at + size
            offsets += range(reader.at, at)
    return offsets


def digests(path):
    """Return the offsets of all bytes of the two digests in the footer, which have the same value."""
    value = pq.read_schema(path).metadata[b"rankduel.digest"]
    found = list(re.finditer(re.escape(value), path.read_bytes()))
    assert len(found) == 2
    return [at for match in found for at in range(*match.span())]


@pytest.mark.parametrize("step", [61, pytest.param(1, marks=pytest.mark.slow)])
def test_a_flipped_bit_is_refused_or_changes_nothing(path, step):
    """Every bit of the pages, of the digests and of the last eight bytes matters.

    A bit elsewhere may have no effect: statistics, sizes and encodings of columns, the name of the writing
    library, padding in the Arrow schema and the first four bytes are not used for reading. In this small
    file, with 423 bytes of pages in 3,409, such bits are 8,382 of 27,272 (pyarrow 26).
    """
    whole = path.read_bytes()
    essential = {*page_bodies(path), *digests(path), *range(len(whole) - 8, len(whole))}
    for place in range(0, 8 * len(whole), step):
        at, bit = divmod(place, 8)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << bit)]) + whole[at + 1 :])
        try:
            letor = letor_data.read_data(path)
        except DataError as problem:
            assert "x.parquet: " in str(problem)
        else:
            assert at not in essential, f"bit {bit} of byte {at} was not noticed"
            assert_same_letor(letor, small_letor(notes=()))


def test_a_changed_page_is_noticed_by_its_checksum(tmp_path):
    """Only the page checksum detects the change: there is no compression and no digest."""
    table = to_table(small_letor(notes=()))
    pq.write_table(table, tmp_path / "x.parquet", write_page_checksum=True, compression="none")
    whole = (tmp_path / "x.parquet").read_bytes()
    changed = whole.replace("größer".encode(), "grüßer".encode(), 1)
    assert len(changed) == len(whole) and changed != whole
    (tmp_path / "x.parquet").write_bytes(changed)
    with pytest.raises(DataError, match=r"x\.parquet: not a readable Parquet file .*CRC"):
        read_parquet(tmp_path / "x.parquet")


def rewritten(path, change=lambda table: table, metadata=lambda known: known):
    """Write the file again, as another tool would, with changed columns or metadata."""
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
    with pytest.raises(DataError, match=r"x\.parquet: its content does not match the digest"):
        read_parquet(path)


@pytest.mark.parametrize("key", KEYS)
def test_metadata_that_are_partly_gone_are_noticed(path, key):
    rewritten(path, metadata=lambda known: {k: v for k, v in known.items() if k != key})
    with pytest.raises(DataError, match=r"x\.parquet: its content does not match the digest"):
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
    # Files hold neither places of the cache nor which documents are unjudged.
    not_stored = {"cache", "unjudged", "file"}
    assert set(changes) == {field.name for field in dataclasses.fields(letor)} - not_stored
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


@pytest.mark.filterwarnings("ignore::rankduel.base.errors.DataWarning")
def test_a_folder_is_parquet_by_its_name_and_a_file_by_its_own(tmp_path):
    folder = tmp_path / "x.parquet"
    folder.mkdir()
    write_parquet(small_letor(), folder / "part-0.parquet")
    (folder / "_SUCCESS").touch()
    assert letor_data.read_data(folder).n_docs == small_letor().n_docs
    (folder / "train.txt").write_text("1 qid:1 1:3\n")
    assert letor_data.read_data(folder / "train.txt", cache=False).n_docs == 1
