"""Tables in Parquet files: read back unchanged, or an error."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rankduel.base import stored_tables
from rankduel.base.stored import Kind, plain_text
from rankduel.base.stored_tables import DamagedTable, read_table, table_content

KIND = Kind("a table", "make it again")

TABLE = pd.DataFrame(
    {
        "step": np.array([1, 2, 5], np.int64),
        "regret": [0.1, np.nan, -0.0],
        "right": [True, False, True],
        "method": ["exact", "", "é"],
    }
)
ABOUT = {"policy": "rucb", "run": 3}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "table.parquet"
    path.write_bytes(table_content(KIND, TABLE, ABOUT))
    return path


def test_a_table_is_read_back(path):
    found = read_table(path, KIND)
    pd.testing.assert_frame_equal(found.values, TABLE, check_exact=True)
    assert (found.about, found.verified) == (ABOUT, True)
    assert path.read_bytes() == table_content(KIND, TABLE, dict(reversed(ABOUT.items())))


def test_vectors_are_read_back(tmp_path):
    path, vectors = tmp_path / "v.parquet", {"v": np.array([[1.5, 2], [3, 4], [np.nan, -0.0]], np.float32)}
    path.write_bytes(table_content(KIND, TABLE, ABOUT, vectors))
    found = read_table(path, KIND)
    pd.testing.assert_frame_equal(found.values, TABLE, check_exact=True)
    assert found.verified and list(found.vectors) == ["v"] and found.vectors["v"].dtype == np.float32
    np.testing.assert_array_equal(found.vectors["v"], vectors["v"])


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.FixedSizeListArray.from_arrays(np.array([1.5, 2, 3, 4, 5, 7], np.float32), 2), "the digest"),
        (pa.FixedSizeListArray.from_arrays(np.arange(6.0), 2), "the digest"),
        (pa.array([[1.0], [2.0], [3.0]]), "a column of type list<"),
        (pa.FixedSizeListArray.from_arrays(pa.array(["a"] * 6), 2), "a column of type fixed_size_list<"),
    ],
)
def test_changed_vectors_are_refused(tmp_path, column, message):
    path, vectors = tmp_path / "v.parquet", {"v": np.array([[1.5, 2], [3, 4], [5, 6]], np.float32)}
    path.write_bytes(table_content(KIND, TABLE, ABOUT, vectors))
    table = pq.read_table(path)
    changed = table.set_column(table.schema.get_field_index("v"), "v", column)
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(DamagedTable, match=message):
        read_table(path, KIND)


def test_every_changed_byte_is_detected_or_harmless(path):
    whole, refused, unverified = path.read_bytes(), 0, []
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        try:
            found = read_table(path, KIND)
        except DamagedTable:
            refused += 1
            continue
        pd.testing.assert_frame_equal(found.values, TABLE, check_exact=True)
        if found.verified:
            assert found.about == ABOUT
        else:
            unverified += found.about.keys() - ABOUT.keys()  # readers reject unknown names
    assert refused > len(whole) / 2 and all(len(name) == len("digest") for name in unverified)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.rename_columns(["step", "segret", "right", "method"]),
        lambda table: table.cast(table.schema.set(0, pa.field("step", pa.int32()))),
        lambda table: table.slice(0, 2),
        lambda table: table.select([1, 0, 2, 3]),
        lambda table: table.set_column(1, "regret", pa.array([0.1, None, 0.0])),
        lambda table: table.set_column(1, "regret", pa.array([0.1, np.nan, -0.0])),
        lambda table: table.set_column(1, "regret", pa.array([1, None, 0], pa.decimal128(20, 3))),
    ],
)
def test_a_changed_table_under_the_same_digest_is_refused(path, change):
    table = pq.read_table(path)
    changed = change(table).replace_schema_metadata(table.schema.metadata)
    pq.write_table(changed, path)
    with pytest.raises(DamagedTable):
        read_table(path, KIND)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"no table"])
def test_files_without_a_table_are_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(DamagedTable, match="not a readable Parquet file"):
        read_table(path, KIND)


def test_a_footer_with_too_many_rows_is_refused(path):
    table = pa.table({"step": np.zeros(10**6)}).replace_schema_metadata({b"rankduel": b"{}"})
    pq.write_table(table, path, compression="zstd")
    with pytest.raises(DamagedTable, match="its footer states 1,000,000 rows in"):
        read_table(path, KIND)


def test_a_table_of_another_format_is_refused(path):
    path.write_bytes(table_content(KIND._replace(format=2), TABLE, ABOUT))
    with pytest.raises(DamagedTable, match="another version of rankduel, in format 2; expected 1"):
        read_table(path, KIND)


@pytest.mark.parametrize(
    "texts", [[], ["a", "b", "a"], ['\u00e9"\\', None, "", "null", None], [None, None], ["one"] * 300]
)
def test_text_enters_the_digest_as_json(texts):
    found = stored_tables._texts_content(pa.array(texts, pa.string()))
    assert found == plain_text(texts).encode()
