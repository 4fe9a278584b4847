"""Files that hold no preferences, or are damaged or hostile: one clear error each."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.damage import flipped_bits

from rankduel.base.errors import MatrixError
from rankduel.experiments.matrix.preferences import COLUMNS, read_preferences, write_preferences


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.5 0.6\n0.4 0.5\n0.1 0.2\n", "expected a square matrix, found 3 x 2"),
        ("0.5 0.6\n0.4\n", "not a matrix of numbers"),
        ("0.5 much\nless 0.5\n", "not a matrix of numbers: could not convert string 'much'"),
        ("0.5 nan\nnan 0.5\n", "entry (0, 1) is nan"),
        ("0.5 1.2\n-0.2 0.5\n", "entry (0, 1) is 1.2 (its mirror is -0.2); expected a probability"),
        ("0.5 0.6\n0.6 0.5\n", "must add up to 1"),
        ("", "not a matrix of numbers"),
        ("# nothing\n", "not a matrix of numbers"),
        ("\x00\xff\n", "not a matrix of numbers"),
    ],
)
def test_text_without_a_matrix_is_refused(tmp_path, text, message):
    path = tmp_path / "bad.txt"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(MatrixError) as refused:
        read_preferences(path)
    assert str(refused.value).startswith(str(path)) and message in str(refused.value)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("ending", ["prefs.parquet", "npy"])
def test_truncated_files_are_refused(some, tmp_path, ending, share):
    path = tmp_path / f"cut.{ending}"
    write_preferences(some, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(MatrixError) as refused:
        read_preferences(path)
    assert str(refused.value).startswith(str(path)) and "not a" in str(refused.value)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        (None, "a Parquet file without metadata of rankduel"),
        (b"not json", "its metadata are not JSON"),
        (b"\xff", "its metadata are not text in UTF-8"),
        (b'{"names":' * 20_000, "its metadata are nested too deep"),
        (b"[]", "its metadata are not a JSON object"),
        (b"{}", "a Parquet file without preferences"),
        (b'{"names": ["a"]}', "a Parquet file without preferences"),
        (b'{"settings": {}}', "a Parquet file without preferences"),
        (b'{"names": "a", "settings": {}}', "a Parquet file without preferences"),
        (b'{"names": ["a"], "settings": {}, "digesu": ""}', "a Parquet file without preferences"),
        (b'{"names": ["a"], "settings": {}, "digest": ""}', "do not have the digest in its metadata"),
    ],
)
def test_parquet_without_preferences_is_refused(tmp_path, about, message):
    path = tmp_path / "other.parquet"
    table = pa.table({"a": [1, 2]}).replace_schema_metadata({b"rankduel": about} if about else None)
    pq.write_table(table, path)
    with pytest.raises(MatrixError) as refused:
        read_preferences(path)
    assert str(refused.value).startswith(f"{path}: ") and message in str(refused.value)
    assert "; 'rankduel matrix' makes" in str(refused.value)


@pytest.mark.parametrize("about", [{"names": 3, "settings": {}}, {"names": ["a", "b"], "settings": 5}])
def test_parquet_with_a_broken_description(tmp_path, about):
    path = tmp_path / "broken.parquet"
    table = pa.table({"a": [1]}).replace_schema_metadata({b"rankduel": json.dumps(about).encode()})
    pq.write_table(table, path)
    with pytest.raises(MatrixError, match="broken.parquet"):
        read_preferences(path)


def without_digest(table):
    """Remove the digest, as in files of other tools."""
    about = json.loads(table.schema.metadata[b"rankduel"])
    del about["digest"]
    return table.replace_schema_metadata({b"rankduel": json.dumps(about).encode()})


def test_a_file_without_a_digest_is_read(some, tmp_path):
    write_preferences(some, tmp_path / "a.prefs.parquet")
    pq.write_table(without_digest(pq.read_table(tmp_path / "a.prefs.parquet")), tmp_path / "b.prefs.parquet")
    pd.testing.assert_frame_equal(read_preferences(tmp_path / "b.prefs.parquet").pairs, some.pairs)


def test_a_flipped_bit_is_detected_or_harmless(some, tmp_path):
    path, rng = tmp_path / "a.prefs.parquet", np.random.default_rng(0)
    write_preferences(some, path)
    refused = 0
    for changed in flipped_bits(path.read_bytes(), rng):
        path.write_bytes(changed)
        try:
            found = read_preferences(path)
        except MatrixError as problem:
            assert str(path) in str(problem)
            refused += 1
        else:
            pd.testing.assert_frame_equal(found.pairs, some.pairs, check_exact=True)
            assert (found.names, found.settings) == (some.names, some.settings)
    assert refused > 300


def test_more_names_than_pairs_are_refused(tmp_path):
    """A hundred thousand rankers have more pairs than fit into memory."""
    about = {"names": [str(i) for i in range(100_000)], "settings": {}}
    table = pa.table({column: [1.0] for column in COLUMNS})
    pq.write_table(
        table.replace_schema_metadata({b"rankduel": json.dumps(about).encode()}), tmp_path / "a.parquet"
    )
    with pytest.raises(MatrixError, match="a.parquet: 1 rows for 100000 rankers; expected 4999950000"):
        read_preferences(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.append_column("p", table.column("p")),
        lambda table: table.set_column(6, "p", pa.array([[0.5]] * len(table))),
        lambda table: table.set_column(6, "p", pa.array([b"0.5"] * len(table))),
        lambda table: table.set_column(5, "n", pa.array([2**63] * len(table), pa.uint64())),
        lambda table: table.set_column(5, "n", pa.array([None] * len(table), pa.int64())),
        lambda table: table.set_column(9, "method", pa.array([{"a": 1}] * len(table))),
    ],
)
def test_parquet_with_columns_of_other_types_is_refused(some, tmp_path, change):
    write_preferences(some, tmp_path / "a.prefs.parquet")
    table = without_digest(pq.read_table(tmp_path / "a.prefs.parquet"))
    pq.write_table(change(table), tmp_path / "b.prefs.parquet")
    with pytest.raises(MatrixError, match="b.prefs.parquet: "):
        read_preferences(tmp_path / "b.prefs.parquet")


def test_parquet_with_wrong_rows_is_refused(some, tmp_path):
    write_preferences(some, tmp_path / "a.prefs.parquet")
    table = without_digest(pq.read_table(tmp_path / "a.prefs.parquet"))
    pq.write_table(table.drop_columns("lo"), tmp_path / "b.prefs.parquet")
    pq.write_table(table.slice(1), tmp_path / "c.prefs.parquet")
    with pytest.raises(MatrixError, match="b.prefs.parquet: no column 'lo'"):
        read_preferences(tmp_path / "b.prefs.parquet")
    with pytest.raises(MatrixError, match="c.prefs.parquet: 5 rows for 4 rankers; expected 6"):
        read_preferences(tmp_path / "c.prefs.parquet")


def test_numpy_files_without_a_matrix_are_refused(tmp_path):
    np.save(tmp_path / "objects.npy", np.array([{"a": 1}], dtype=object))
    np.save(tmp_path / "words.npy", np.array([["a", "b"], ["c", "d"]]))
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    for name, message in (
        ("objects", "not a matrix"),
        ("words", "square table"),
        ("cube", "found 2 x 2 x 2"),
    ):
        with pytest.raises(MatrixError, match=message):
            read_preferences(tmp_path / f"{name}.npy")


def npy(header, values=b"", version=b"\x01\x00"):
    return b"\x93NUMPY" + version + len(header).to_bytes(2, "little") + header + values


@pytest.mark.parametrize(
    "content",
    [
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (100000, 100000), }"),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 9999999999), }"),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (-2, -2), }", bytes(32)),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), ", bytes(32)),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': 4, }", bytes(32)),
        npy(b"{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }", bytes(32)),
        npy(b"{'descr': 'what', 'fortran_order': False, 'shape': (2, 2), }", bytes(32)),
        npy(b"(" * 9000),
        npy(b"'" * 9001),
        npy(b"\xff\x00" * 10),
        npy(b"x" * 65000),
        npy(b"{}", version=b"\x09\x00"),
        b"PK\x03\x04 a zip archive",
        b"\x93NUMPY",
    ],
)
def test_numpy_files_with_invalid_headers_are_refused(tmp_path, content):
    path = tmp_path / "hostile.npy"
    path.write_bytes(content)
    with pytest.raises(MatrixError) as refused:
        read_preferences(path)
    assert str(refused.value).startswith(f"{path}: ") and len(str(refused.value)) < 500


@pytest.mark.parametrize(
    "content", [b"0.5 " + b"9" * 200_000, b"x" * 200_000, b"\xff\xfe0\x00", b"0.5\0 1\n0 1"]
)
def test_text_with_damaged_fields(tmp_path, content):
    for name in ("bad.txt", "bad.csv"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(MatrixError) as refused:
            read_preferences(tmp_path / name)
        assert str(refused.value).startswith(f"{tmp_path / name}: ") and len(str(refused.value)) < 500
