"""Selection of queries and features of a Letor, and conversion to and from pandas."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.helpers import assert_same_letor, small_letor

from rankduel.base.errors import DataError
from rankduel.letor_data.letor import Letor, checked_grades, is_constant, narrowest

LETOR = small_letor()


def rows_of(letor):
    """Return one tuple per document, to compare order and queries."""
    query = np.repeat(np.arange(letor.n_queries), letor.docs_per_query)
    comments = letor.comments.to_pylist() if letor.comments is not None else [""] * letor.n_docs
    values = [tuple(column[row].tobytes() for column in letor.columns) for row in range(letor.n_docs)]
    return [
        (letor.query_ids[q], letor.splits[q], int(label), int(record), comment, value)
        for q, label, record, comment, value in zip(query, letor.labels, letor.records, comments, values)
    ]


# --- queries


@pytest.mark.parametrize(
    ("queries", "expected"),
    [
        ([2, 0], [4, 5, 0, 1, 2]),
        (np.array([1]), [3]),
        (range(3), [0, 1, 2, 3, 4, 5]),
        ([True, False, True], [0, 1, 2, 4, 5]),
        (np.array([False, True, False]), [3]),
        ([-1], [4, 5]),
        ([1, 1], [3, 3]),
    ],
)
def test_queries_are_taken_with_all_that_belongs_to_them(queries, expected):
    chosen, rows = LETOR.take_queries(queries), rows_of(LETOR)
    assert rows_of(chosen) == [rows[row] for row in expected]
    assert chosen.offsets[0] == 0 and chosen.offsets[-1] == chosen.n_docs == len(expected)
    assert (chosen.notes, chosen.profile, chosen.digest) == (LETOR.notes, LETOR.profile, LETOR.digest)


@given(st.lists(st.integers(0, 2), min_size=1, max_size=6))
def test_any_choice_is_the_naive_choice(queries):
    rows = rows_of(LETOR)
    expected = [row for q in queries for row in rows[LETOR.offsets[q] : LETOR.offsets[q + 1]]]
    chosen = LETOR.take_queries(queries)
    assert rows_of(chosen) == expected
    assert chosen.docs_per_query.tolist() == [LETOR.docs_per_query[q] for q in queries]


def test_a_choice_of_queries_has_the_scale_of_all():
    letor = small_letor(profile="svmlight", labels=np.array([0, 4, 1, 2, 0, 1], np.int8))
    assert letor.n_grades == 5 and letor.take_queries([2]).n_grades == 5
    assert (
        small_letor(profile="letor4").n_grades == 3 and small_letor(profile="svmlight", scale=4).n_grades == 4
    )


def test_queries_by_split():
    assert LETOR.only_split("test").query_ids.tolist() == ["ü"]


@pytest.mark.parametrize(
    ("choose", "message"),
    [
        (lambda: LETOR.only_split("vali"), "no split 'vali'; known: train, test"),
        (lambda: LETOR.take_queries([3]), "there are 3 queries, numbered from 0"),
        (lambda: LETOR.take_queries([True]), "there are 3 queries"),
        (lambda: LETOR.take_queries([0.5]), "there are 3 queries"),
        (lambda: LETOR.only_features([1, 7]), "no feature '7'; there are 3: 1, 2, BM25 Körper"),
        (lambda: LETOR.column("bm25"), "no feature 'bm25'"),
    ],
)
def test_unknown_names_list_what_there_is(choose, message):
    with pytest.raises(DataError, match=message):
        choose()


@pytest.mark.parametrize(
    "choose",
    [
        lambda: LETOR.take_queries([]),
        lambda: LETOR.take_queries(np.zeros(3, bool)),
        lambda: LETOR.take_queries(np.empty(0)),
    ],
)
def test_a_choice_without_queries_is_refused(choose):
    """Code that draws a query from the data relies on at least one."""
    with pytest.raises(DataError, match="no query is chosen, of 3; expected at least one"):
        choose()


# --- features


def test_features_by_name_or_number_in_order():
    chosen = LETOR.only_features(["BM25 Körper", 1])
    assert chosen.feature_names == ("BM25 Körper", "1")
    assert chosen.columns[1] is LETOR.columns[0] and LETOR.column(np.int64(2)) is LETOR.columns[1]
    assert LETOR.feature_index("2") == 1


def test_a_choice_of_features_has_its_own_positions():
    """Positions are found once per data set, so that looking up every feature takes linear time."""
    letor = small_letor()
    names = letor.feature_names
    assert letor.feature_index(names[-1]) == len(names) - 1
    assert letor._feature_numbers is letor._feature_numbers
    assert letor.only_features(names[::-1]).feature_index(names[-1]) == 0


def test_no_features_is_fine():
    bare = LETOR.only_features([])
    assert bare.n_features == 0 and bare.n_docs == 6 and bare.features.shape == (6, 0)


def test_features_as_one_array_are_exact():
    assert LETOR.features.dtype == np.float64 and LETOR.features.shape == (6, 3)
    for i, column in enumerate(LETOR.columns):
        np.testing.assert_array_equal(
            LETOR.features[:, i].view(np.int64), column.astype(np.float64).view(np.int64)
        )


@pytest.mark.parametrize(
    ("values", "constant"),
    [
        ([1, 1, 1], True), ([1, 1, 2], False), ([np.nan] * 3, True), ([np.nan, 1, 1], False),
        ([1, np.nan, 1], False), ([0.0, -0.0], True), ([5], True), ([np.nan], True), ([], True),
    ],
)  # fmt: skip
def test_constant_means_one_value_throughout(values, constant):
    assert is_constant(np.array(values, np.float32)) is constant


# --- comments


def test_doc_ids_are_in_the_comments():
    comments = [" docid = GX01 inc = 1", "docid=A", "DocID = x", "", "docid =", "# docid =\tü prob = 0.1"]
    letor = small_letor(comments=pa.array(comments, pa.large_string()))
    assert letor.doc_ids.tolist() == ["GX01", "A", "DocID = x", "", "docid =", "ü"]
    assert small_letor(comments=None).doc_ids.tolist() == [""] * 6


# --- pandas


@pytest.mark.parametrize("changes", [{}, {"comments": None}, {"columns": (), "feature_names": ()}])
def test_pandas_and_back_is_exact(changes):
    letor = small_letor(**changes)
    back = Letor.from_pandas(letor.to_pandas(), letor.profile)
    assert_same_letor(back, letor, but=["source", "digest", "notes"])


def test_a_frame_has_a_row_per_document():
    frame = LETOR.to_pandas()
    assert list(frame) == ["qid", "split", "label", "record", "comment", "1", "2", "BM25 Körper"]
    assert frame["qid"].tolist() == ["17", "17", "17", "q b", "ü", "ü"]
    assert frame["split"].tolist() == ["train"] * 4 + ["test"] * 2
    assert frame["1"].dtype == np.float32 and frame["2"].dtype == np.float64


def test_no_memory_is_shared_with_a_frame():
    frame = pd.DataFrame({"qid": ["a"], "label": [1], "record": [5], "f": [0.1]})
    letor = Letor.from_pandas(frame)
    frame.loc[0, ["label", "record", "f"]] = [2, 6, 0.2]
    assert (letor.labels[0], letor.records[0], letor.columns[0][0]) == (1, 5, 0.1)
    out = letor.to_pandas()
    out.loc[0, "f"] = 0.3
    assert letor.columns[0][0] == 0.1


def test_rows_of_a_frame_are_gathered():
    frame = pd.DataFrame({"qid": ["b", "a", "b", "c", "a"], "label": [0, 1, 2, 3, 4], "f": [0, 1, 2, 3, 4]})
    letor = Letor.from_pandas(frame)
    assert letor.query_ids.tolist() == ["b", "a", "c"] and letor.offsets.tolist() == [0, 2, 4, 5]
    assert letor.labels.tolist() == letor.records.tolist() == letor.columns[0].tolist() == [0, 2, 1, 4, 3]


def test_the_index_of_a_frame_and_the_type_of_its_names_do_not_matter():
    frame = pd.DataFrame({"qid": [1, 1], "label": [0, 1], 5: [0.5, 0.25]}, index=[9, 9])
    letor = Letor.from_pandas(frame)
    assert letor.feature_names == ("5",) and letor.column(5).tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"label": [0]}, "no column 'qid'; it has label"),
        ({"qid": [1]}, "no column 'label'; it has qid"),
        ({"qid": [1, None], "label": [0, 0]}, "'qid' is empty in row 1"),
        ({"qid": [2, 1, 2], "label": [0, 0, 128]}, r"not 128.* in row 2"),
        ({"qid": [1, 1], "label": [0, 0], "f": [1, "x"]}, "a pandas frame: .*f"),
        ({"qid": [1, 1], "label": [0, 0], "f": [1, np.inf]}, "infinite in row 1"),
    ],
)
def test_a_frame_that_cannot_be_meant_is_refused(columns, message):
    with pytest.raises(
        DataError, match=f"a pandas frame: .*{message}" if "pandas" not in message else message
    ):
        Letor.from_pandas(pd.DataFrame(columns))


def test_a_frame_with_a_name_twice_is_refused():
    frame = pd.DataFrame([[1, 0, 2.0, 3.0]], columns=["qid", "label", "f", "f"])
    with pytest.raises(DataError, match="a pandas frame: .*'f'"):
        Letor.from_pandas(frame)


def test_a_profile_that_does_not_exist_is_refused():
    frame = small_letor().to_pandas()
    with pytest.raises(DataError, match="no profile named 'msrl'; did you mean 'mslr'"):
        Letor.from_pandas(frame, profile="msrl")


# --- numbers


@given(st.lists(st.floats(), max_size=5))
def test_narrowing_is_exact_or_not_done(values):
    wide = np.array(values, np.float64)
    narrow = narrowest(wide)
    np.testing.assert_array_equal(narrow.astype(np.float64), wide)
    np.testing.assert_array_equal(np.signbit(narrow), np.signbit(wide))
    with np.errstate(over="ignore"):
        fits = all(np.isnan(value) or float(np.float32(value)) == value for value in values)
    assert narrow.dtype == (np.float32 if fits else np.float64)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (0.5, np.float32), (-0.0, np.float32), (np.nan, np.float32), (float(np.float32(0.1)), np.float32),
        (0.1, np.float64), (2.0**24 + 1, np.float64), (5e-324, np.float64), (7e-46, np.float64),
        (1.401298464324817e-45, np.float32), (3.4028234663852886e38, np.float32),
        (3.4028235677973366e38, np.float64), (1e39, np.float64),
    ],
)  # fmt: skip
def test_narrowing_at_the_edges(value, dtype):
    narrow = narrowest(np.array([1.0, value]))
    assert narrow.dtype == dtype
    np.testing.assert_array_equal(narrow.astype(np.float64), [1.0, value])


def test_what_is_narrow_is_not_copied():
    narrow = np.ones(3, np.float32)
    assert narrowest(narrow) is narrow


@pytest.mark.parametrize("labels", [[0, 127], [0.0, 127.0], np.array([True, False]), np.array([], np.int64)])
def test_grades_are_small_whole_numbers(labels):
    grades = checked_grades(np.array(labels))
    assert grades.dtype == np.int8 and grades.tolist() == list(labels)


@pytest.mark.parametrize("label", [-1, 128, 0.5, np.nan, np.inf, 2**40])
def test_other_labels_are_refused(label):
    with pytest.raises(DataError, match="in row 1"):
        checked_grades(np.array([0, label]))
