"""Rankers of Python objects."""

import numpy as np
import pandas as pd
import pytest

from rankduel.base.errors import DataError, UsageError
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import Ranker, feature, ranker_of, rankers_of
from rankduel.letor_data.rankings import rank

NAN = np.nan


@pytest.fixture
def letor():
    """Return two queries of three and two documents; the rows of the source are in another order."""
    frame = pd.DataFrame(
        {
            "qid": ["a", "b", "a", "b", "a"],
            "label": [0, 1, 2, 0, 1],
            "comment": [f"docid = d{n}" for n in range(5)],
            "x": [1.0, 2.0, 3.0, NAN, 5.0],
            "y": [0.5, 0.25, 0.125, 1.0, 2.0],
        }
    )
    return Letor.from_pandas(frame)  # rows: d0 d2 d4 | d1 d3


class Doubling:
    """An estimator with the interface of scikit-learn."""

    def __init__(self):
        self.seen = []

    def predict(self, features):
        self.seen.append(features)
        return np.nan_to_num(features[:, 0] * 2)


class RanxRun:
    """A run with the interface of ranx."""

    name = "bm25"

    def to_dict(self):
        return {"a": {"d4": 2.0, "d0": 3.0}, "b": {"d3": 1.0}}


def sum_of_features(features):
    return np.nansum(features, axis=1)


def test_a_function_sees_one_query_at_a_time(letor):
    seen = []

    def mine(features):
        seen.append(features)
        return features[:, 1]

    ranker = ranker_of(mine, letor)
    assert ranker.name == "mine" and ranker.text == ""
    assert ranker.score(letor).tolist() == letor.columns[1].tolist()
    np.testing.assert_array_equal(np.vstack(seen), letor.features)
    assert [len(one) for one in seen] == [3, 2] and seen[0].dtype == np.float64


def test_an_estimator_sees_many_rows_and_missing_values(letor):
    model = Doubling()
    ranker = ranker_of(model, letor)
    assert ranker.name == "Doubling" and ranker.score(letor).tolist() == [2, 6, 10, 4, 0]
    assert len(model.seen) == 1 and np.isnan(model.seen[0][4, 0])


def test_an_estimator_is_given_batches(letor, monkeypatch):
    monkeypatch.setattr("rankduel.letor_data.rankers.objects._BATCH", 2 * 8 * 2)
    model = Doubling()
    assert ranker_of(model, letor).score(letor).tolist() == [2, 6, 10, 4, 0]
    assert [len(rows) for rows in model.seen] == [2, 2, 1]


@pytest.mark.parametrize(
    ("given", "name", "expected"),
    [
        ("x", "x", [1, 3, 5, 2, -np.inf]),
        (feature("y", name="mine"), "mine", [0.5, 0.125, 2, 0.25, 1]),
        ("1*y,name=same", "same", [0.5, 0.125, 2, 0.25, 1]),
        (sum_of_features, "sum_of_features", [1.5, 3.125, 7, 2.25, 1]),
        (lambda features: features[:, [1]], "ranker 4", [0.5, 0.125, 2, 0.25, 1]),
        (np.arange(5.0), "ranker 4", [0, 2, 4, 1, 3]),  # scores in the order of the source
        (pd.Series(np.arange(5), name="s"), "s", [0, 1, 2, 3, 4]),  # scores in the order of the data
        (pd.Series([9, 8, 7, 6, 5], index=[4, 3, 2, 1, 0]), "ranker 4", [5, 6, 7, 8, 9]),
        (RanxRun(), "bm25", [3, -np.inf, 2, -np.inf, 1]),
        (RanxRun().to_dict(), "ranker 4", [3, -np.inf, 2, -np.inf, 1]),
    ],
)
def test_whatever_ranks(letor, given, name, expected):
    ranker = ranker_of(given, letor, place=4)
    assert ranker.name == name and ranker.score(letor).tolist() == expected
    assert ranker_of(given, letor, "other").name == "other"


def test_a_table_of_pyterrier(letor):
    table = pd.DataFrame(
        {"qid": ["b", "a", "a"], "docno": ["d1", "d0", "d2"], "score": [5, 7.5, 1], "rank": [0, 0, 1]}
    )
    expected = [7.5, 1, -np.inf, 5, -np.inf]
    assert ranker_of(table, letor).score(letor).tolist() == expected
    series = table.set_index(["qid", "docno"])["score"]
    assert ranker_of(series, letor).score(letor).tolist() == expected


def test_ids_that_are_numbers_are_texts():
    frame = pd.DataFrame({"qid": [1, 1], "label": 0, "comment": ["10", "11"], "x": 0.0})
    letor = Letor.from_pandas(frame)
    table = pd.DataFrame({"qid": [1, 1], "docno": [10, 11], "score": [0, 1]})
    assert ranker_of(table, letor).score(letor).tolist() == [0, 1]


def test_names_of_a_mapping(letor):
    found = rankers_of({"one": "x", "two": sum_of_features, "three": "1*x+1*y"}, letor)
    assert [(ranker.name, ranker.text) for ranker in found] == [
        ("one", "x,name=one"),
        ("two", ""),
        ("three", "1*x+1*y,name=three"),
    ]


def test_a_text_for_all(letor):
    assert [ranker.name for ranker in rankers_of("", letor)] == ["x", "y"]
    assert [ranker.name for ranker in rankers_of("y", letor)] == ["y"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (lambda features: features, r"query 'a': expected 3 scores, one for each row .* shape \(3, 2\)"),
        (lambda features: features[:2, 1], r"query 'a': .* shape \(2,\)"),
        (lambda features: 1.0, r"query 'a': expected 3 scores, .* shape \(\)"),
        (lambda features: "no", "query 'a': expected 3 scores, found str"),
        (lambda features: features[:, 0], r"query 'b': the score of document 1 \(from 0\) is NaN"),
    ],
)
def test_what_a_function_returns_is_checked(letor, given, told):
    with pytest.raises(DataError, match=f"ranker 'mine': {told}"):
        rank(letor, [ranker_of(given, letor, "mine")])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (pd.Series([1, 2, 3]), "3 scores with the index 0, 1, 2; expected the index of to_pandas.*, 0 to 4"),
        (pd.Series(range(5), index=[*"abcde"]), "5 scores with the index a, b, c, d, e; expected"),
        (pd.Series(range(5), index=[0, 1, 2, 3, 3]), "5 scores with the index 0, 1, 2, 3, 3; expected"),
        (pd.Series([1, 2, NAN, 4, 5]), "the score of row 2, of query 'a', is nan"),
        (pd.Series(["1", "2", "3", "4", "x"]), "the score of row 4, of query 'b', is x"),
        (
            pd.DataFrame({"qid": ["a"], "score": 1.0}),
            "expected columns qid, docno and score, found qid, score",
        ),
        (pd.DataFrame({"qid": [], "docno": [], "score": []}), "a run without documents"),
        ({"a": {"d0": NAN}}, "document 'd0' of query 'a' has a score that is no finite number"),
        ({"a": {"d0": "x"}}, "document 'd0' of query 'a' has a score that is no finite number"),
        ({"a": [1, 2]}, "query 'a' has list; expected scores by document"),
        (
            pd.DataFrame({"qid": ["a", "a"], "docno": ["d", "d"], "score": [1, 2]}),
            "document 'd' of query 'a' comes twice",
        ),
    ],
)
def test_tables_are_checked_at_once(letor, given, told):
    with pytest.raises(DataError, match=f"ranker 'mine': {told}"):
        ranker_of(given, letor, "mine")


@pytest.mark.parametrize("given", [object(), 1.5, True, None])
def test_what_cannot_rank_is_refused(letor, given):
    with pytest.raises(UsageError, match=f"is of type {type(given).__name__}; expected a text such as"):
        rankers_of([given], letor)


@pytest.mark.parametrize("given", [feature(1), Doubling(), 7])
def test_one_ranker_is_no_sequence(letor, given):
    with pytest.raises(UsageError, match="expected a text, a sequence of rankers, or a mapping"):
        rankers_of(given, letor)


def test_a_series_is_for_its_own_data(letor):
    ranker = ranker_of(pd.Series(range(5)), letor)
    with pytest.raises(DataError, match="only for the data it was given with"):
        ranker.score(letor.take_queries([0]))


def test_a_ranker_keeps_its_text_under_another_name(letor):
    renamed = ranker_of(feature("x", name="mine"), letor, "other")
    assert renamed.text == "x,name=other"
    assert ranker_of(Ranker("own", lambda data: data.columns[0]), letor, "other").text == ""
