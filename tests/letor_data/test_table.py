"""Tables of Letor are restored bit by bit; those of other tools are converted exactly or refused."""

import dataclasses
import datetime
import decimal
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.helpers import assert_same_letor, small_letor

from rankduel import letor_data
from rankduel.base.errors import DataError
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.table import from_table, restored, to_table


@pytest.fixture
def through_parquet(tmp_path):
    """Return a function from a DataFrame or Arrow table to the Letor of its Parquet file."""

    def read(table, **options):
        path = tmp_path / "x.parquet"
        if isinstance(table, pd.DataFrame):
            table.to_parquet(path)
        else:
            pq.write_table(table, path)
        return letor_data.read_data(path, **options)

    return read


def frame(**columns):
    return pd.DataFrame({"qid": [1, 1, 2], "label": [0, 2, 1], "f": [0.5, 1.5, 2.5]} | columns)


# --- tables of Letor

CASES = {
    "everything": {},
    "no comments": {"comments": None},
    "no notes": {"notes": ()},
    "no features": {"columns": (), "feature_names": ()},
    "no splits": {"splits": np.array(["", "", ""], object)},
    "empty comments": {"comments": pa.array([""] * 6, pa.large_string())},
    "a split between": {"splits": np.array(["b", "a", "b"], object)},
}


@pytest.fixture(params=CASES.values(), ids=CASES)
def letor(request):
    return small_letor(**request.param)


@pytest.mark.filterwarnings("ignore:a note", "ignore:größer")
def test_parquet_is_lossless(tmp_path, letor):
    letor_data.write_parquet(letor, tmp_path / "x.parquet")
    assert_same_letor(letor_data.read_data(tmp_path / "x.parquet"), letor)


def test_arrow_is_lossless(letor):
    assert_same_letor(restored(to_table(letor)), letor)
    assert_same_letor(from_table(to_table(letor), "x"), letor)


# Only one bit pattern of NaN, because Parquet does not keep that of a missing value.
doubles = st.floats(allow_infinity=False, allow_nan=False) | st.just(np.nan)
floats = st.floats(allow_infinity=False, allow_nan=False, width=32) | st.just(np.nan)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("parquet")


@settings(max_examples=40)
@given(st.lists(st.tuples(doubles, floats, st.text()), min_size=1, max_size=8))
def test_any_values_and_comments_come_back(folder, rows):
    wide, narrow, texts = zip(*rows)
    n = len(rows)
    letor = small_letor(
        labels=np.zeros(n, np.int8), offsets=np.array([0, n]), query_ids=np.array(["1"], object),
        splits=np.array([""], object), records=np.arange(n), comments=pa.array(texts, pa.large_string()),
        columns=(np.array(wide), np.array(narrow, np.float32)), feature_names=("wide", "narrow"), notes=(),
    )  # fmt: skip
    letor_data.write_parquet(letor, folder / "x.parquet")
    assert_same_letor(letor_data.read_data(folder / "x.parquet"), letor)


def test_both_zeros_come_back_from_a_parquet_dictionary(tmp_path):
    zeros = np.tile([0.0, -0.0, np.nan], 2)
    letor = small_letor(columns=(zeros,), feature_names=("z",), notes=())
    letor_data.write_parquet(letor, tmp_path / "x.parquet")
    assert_same_letor(letor_data.read_data(tmp_path / "x.parquet"), letor)


def test_parquet_bytes_do_not_depend_on_time_or_name(tmp_path, letor):
    for name in ("a.parquet", "b.parquet"):
        letor_data.write_parquet(letor, tmp_path / name)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_many_row_groups_are_one_table(tmp_path):
    letor = small_letor(notes=())
    pq.write_table(to_table(letor), tmp_path / "x.parquet", row_group_size=1)
    assert_same_letor(letor_data.read_data(tmp_path / "x.parquet"), letor)


def test_parquet_is_told_by_its_content(tmp_path):
    letor = small_letor(notes=())
    letor_data.write_parquet(letor, tmp_path / "x.dat")
    assert_same_letor(letor_data.read_data(tmp_path / "x.dat"), letor)


@pytest.mark.parametrize("name", ["label", "qid", "comment"])
def test_a_feature_named_as_another_column_is_refused(name):
    letor = small_letor(feature_names=("1", name, "3"))
    for turn in (to_table, Letor.to_pandas):
        with pytest.raises(DataError, match=f"would be named '{name}'"):
            turn(letor)


def test_two_features_of_one_name_are_refused():
    for turn in (to_table, Letor.to_pandas):
        with pytest.raises(DataError, match="would be named '1'"):
            turn(small_letor(feature_names=("1", "2", "1")))


def test_a_query_that_is_there_twice_is_refused():
    with pytest.raises(DataError, match="a query id occurs twice"):
        to_table(small_letor().take_queries([0, 1, 0]))


# --- tables of other tools


def test_two_columns_are_enough(through_parquet):
    letor = through_parquet(frame())
    assert letor.labels.tolist() == [0, 2, 1] and letor.labels.dtype == np.int8
    assert letor.query_ids.tolist() == ["1", "2"] and letor.offsets.tolist() == [0, 2, 3]
    assert letor.records.tolist() == [0, 1, 2] and letor.splits.tolist() == ["", ""]
    assert letor.comments is None and letor.profile == "svmlight" and letor.source.endswith("x.parquet")
    assert through_parquet(frame(), profile="letor4").profile == "letor4"


@pytest.mark.parametrize(
    ("qids", "ids"),
    [
        (["a", "a", "b"], ["a", "b"]),
        ([10, 10, 2], ["10", "2"]),
        ([10.0, 10.0, 2.0], ["10", "2"]),
        (pd.Categorical(["b", "b", "a"]), ["b", "a"]),
        (pd.Categorical([7, 7, 3]), ["7", "3"]),
        (np.array([200, 200, 0], np.uint8), ["200", "0"]),
        ([2**62, 2**62, -1], [str(2**62), "-1"]),
        (["ü", "ü", ""], ["ü", ""]),
    ],
    ids=str,
)
def test_query_ids_become_text(through_parquet, qids, ids):
    assert through_parquet(frame(qid=qids)).query_ids.tolist() == ids


@pytest.mark.parametrize(
    "labels",
    [[0, 2, 1], [0.0, 2.0, 1.0], np.array([0, 2, 1], np.uint64), pd.array([0, 2, 1], "Int8")],
    ids=str,
)
def test_whole_labels_are_grades(through_parquet, labels):
    assert through_parquet(frame(label=labels)).labels.tolist() == [0, 2, 1]
    assert through_parquet(frame(label=[False, True, True])).labels.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("values", "expected", "dtype"),
    [
        ([1, 2, 3], [1, 2, 3], np.float32),
        (np.array([1, 2, 2**24 + 1]), [1, 2, 2**24 + 1], np.float64),
        ([1.5, None, 3], [1.5, np.nan, 3], np.float32),
        (pd.array([1, None, 3], "Int64"), [1, np.nan, 3], np.float32),
        ([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], np.float64),
        (np.array([0.1, 0.2, np.nan], np.float32), np.array([0.1, 0.2, np.nan], np.float32), np.float32),
        (np.array([0.1, 2, 3], np.float16), np.array([0.1, 2, 3], np.float16), np.float32),
        ([True, False, True], [1, 0, 1], np.float32),
        (pd.array([True, None, True], "boolean"), [1, np.nan, 1], np.float32),
        ([decimal.Decimal("0.1"), None, decimal.Decimal(3)], [0.1, np.nan, 3], np.float64),
        ([None, None, None], [np.nan] * 3, np.float32),
        ([-0.0, 0.0, 5e-324], [-0.0, 0.0, 5e-324], np.float64),
    ],
    ids=str,
)
def test_numbers_of_any_kind_are_features(through_parquet, values, expected, dtype):
    (column,) = through_parquet(frame(f=values)).columns
    assert column.dtype == dtype
    np.testing.assert_array_equal(column, np.array(expected, np.float64))
    np.testing.assert_array_equal(np.signbit(column), np.signbit(np.array(expected, np.float64)))


def test_an_index_that_pandas_stored_is_no_feature(through_parquet):
    assert through_parquet(frame().set_index(pd.Index([9, 5, 7]))).feature_names == ("f",)
    assert through_parquet(frame().set_index("qid")).query_ids.tolist() == ["1", "2"]


def test_empty_comments_and_splits_are_empty(through_parquet):
    letor = through_parquet(frame(comment=["docid = A", None, "x"], split=["a", "a", None]))
    assert letor.comments.to_pylist() == ["docid = A", "", "x"] and letor.splits.tolist() == ["a", ""]
    assert letor.doc_ids.tolist() == ["A", "", "x"]


REFUSED = {
    "no label": (frame().drop(columns="label"), r"no column 'label'; it has qid, f"),
    "no qid": (frame().drop(columns="qid"), r"no column 'qid'; it has label, f"),
    "no rows": (frame()[:0], "no documents"),
    "apart": (frame(qid=[1, 2, 1]), "must be adjacent; sort by 'qid'"),
    "empty qid": (frame(qid=["a", None, "b"]), r"'qid' is empty in row 1"),
    "NaN qid": (frame(qid=[1.0, np.nan, 2.0]), r"'qid' is empty in row 1"),
    "odd qid": (frame(qid=[1.0, 1.5, 2.0]), "'qid' cannot be read"),
    "nested qid": (frame(qid=[[1], [1], [2]]), "'qid' cannot be read"),
    "text": (frame(f=["1", "2", "3"]), "'f' must hold numbers, not .*string"),
    "time": (frame(f=[datetime.datetime(2020, 1, 1)] * 3), "'f' must hold numbers, not timestamp"),
    "inf": (frame(f=[1.0, 2.0, -np.inf]), "feature 'f' is infinite in row 2"),
    "too long": (frame(f=[1, 2, 2**53 + 1]), "'f' cannot be read as double: .*9007199254740993"),
    "high label": (frame(label=[0, 128, 1]), r"0 to 127, not 128.* in row 1"),
    "negative": (frame(label=[0, 1, -1]), r"0 to 127, not -1.* in row 2"),
    "fraction": (frame(label=[0, 1.5, 1]), r"0 to 127, not 1\.5 in row 1"),
    "no grade": (frame(label=[None, 1, 1]), "0 to 127, not nan in row 0"),
    "text label": (frame(label=["0", "1", "1"]), "'label' must hold numbers, not .*string"),
    "two splits": (frame(split=["a", "b", "b"]), "query '1' is in splits 'a' and 'b'"),
    "no record": (frame(record=[0, None, 2]), "'record' is empty in row 1"),
    "half record": (frame(record=[0, 0.5, 2]), "'record' cannot be read as int64"),
}


@pytest.mark.parametrize(("table", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_meant_is_refused(through_parquet, table, message):
    with pytest.raises(DataError, match=rf"x\.parquet: .*{message}"):
        through_parquet(table)


def test_columns_of_one_name_are_refused():
    table = pa.table(
        [pa.array([1]), pa.array([1]), pa.array([1.0]), pa.array([2.0])], ["qid", "label", "f", "f"]
    )
    with pytest.raises(DataError, match="2 columns are named 'f'"):
        from_table(table, "x")


def test_options_for_text_are_refused(through_parquet):
    with pytest.raises(DataError, match="only 'profile' applies"):
        through_parquet(frame(), unjudged="drop")
    with pytest.raises(DataError, match="Parquet is read without a cache"):
        through_parquet(frame(), cache="folder")


@pytest.mark.parametrize("scale", [-1, 1000, "3", 2.0, True])
def test_a_scale_that_is_none_is_refused(scale):
    table = pa.table({"qid": ["a"], "label": [1]}).replace_schema_metadata(
        {b"rankduel": json.dumps({"scale": scale})}
    )
    with pytest.raises(DataError, match="are damaged: expected a number of grades"):
        from_table(table, "x")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1 and PAR1"])
def test_a_damaged_parquet_file_is_named(tmp_path, content):
    (tmp_path / "x.parquet").write_bytes(content)
    with pytest.raises(DataError, match=r"x\.parquet: not a readable Parquet file"):
        letor_data.read_data(tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"y\.parquet: no such file"):
        letor_data.read_data(tmp_path / "y.parquet")
    with pytest.raises(DataError, match="expected one Parquet file, found"):
        letor_data.read_data(tmp_path / "x.parquet", tmp_path / "x.parquet")


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    letor_data.write_parquet(small_letor(), path)
    before = path.read_bytes()
    with pytest.raises(DataError):
        letor_data.write_parquet(dataclasses.replace(small_letor(), feature_names=("1", "2", "qid")), path)
    monkeypatch.setattr("rankduel.base.files.os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(DataError, match=r"x\.parquet: could not be written: No space left"):
        letor_data.write_parquet(small_letor(notes=()), path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["x.parquet"]
