"""Scores of rankers: signs, missing values, weighted sums, and given scores."""

from itertools import pairwise

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankduel.base.errors import DataError
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import feature, feature_rankers, linear, scores

NAN = np.nan


def letor_of(qids, profile="svmlight", **columns):
    return Letor.from_pandas(pd.DataFrame({"qid": list(qids), "label": 0, **columns}), profile)


class TestFeature:
    @pytest.mark.parametrize(
        ("sign", "missing", "expected"),
        [
            (1, "last", [2, -np.inf, -1]),
            (1, "first", [2, np.inf, -1]),
            (1, "zero", [2, 0, -1]),
            (-1, "last", [-2, -np.inf, 1]),
            (-1, "first", [-2, np.inf, 1]),
            (-1, "zero", [-2, 0, 1]),
        ],
    )
    def test_sign_comes_before_missing(self, sign, missing, expected):
        letor = letor_of("aab", x=[2, NAN, -1])
        assert feature("x", sign, missing).score(letor).tolist() == expected

    @pytest.mark.parametrize("value", [0.5, 0.1], ids=["float32", "float64"])
    def test_a_complete_column_is_not_copied(self, value):
        letor = letor_of("aab", x=[2, 1, value])
        assert feature("x").score(letor) is letor.columns[0]

    @pytest.mark.parametrize("value", [0.5, 0.1], ids=["float32", "float64"])
    @pytest.mark.parametrize("sign", [1, -1])
    def test_the_type_of_a_column_is_kept(self, value, sign):
        letor = letor_of("aab", x=[2, NAN, value])
        assert feature("x", sign).score(letor).dtype == letor.columns[0].dtype

    def test_everything_missing(self):
        assert feature("x").score(letor_of("ab", x=[NAN, NAN])).tolist() == [-np.inf, -np.inf]

    def test_names(self):
        assert [feature(3).name, feature("bm25", -1).name, feature(3, -1, name="short").name] == [
            "3",
            "-bm25",
            "short",
        ]

    def test_a_feature_may_be_given_by_number(self):
        assert feature(7).score(letor_of("ab", **{"7": [1, 2]})).tolist() == [1, 2]

    @pytest.mark.parametrize(("sign", "missing"), [(0, "last"), (2, "last"), (1, "worst")])
    def test_refused(self, sign, missing):
        with pytest.raises(DataError, match="must be"):
            feature("x", sign, missing)

    @pytest.mark.parametrize(("profile", "names"), [("svmlight", ["x", "y"]), ("letor_agg", ["-x", "-y"])])
    def test_all_features_in_the_direction_of_their_profile(self, profile, names):
        letor = letor_of("ab", profile, x=[1, 2], y=[3, 4])
        rankers = feature_rankers(letor)
        assert [ranker.name for ranker in rankers] == names
        assert np.array_equal(rankers[1].score(letor), letor.columns[1] * (-1 if "-y" in names else 1))

    def test_a_sign_given_overrides_the_profile(self):
        letor = letor_of("ab", "letor_agg", x=[1, 2])
        assert [ranker.name for ranker in feature_rankers(letor, sign=1)] == ["x"]


values = st.none() | st.integers(-4, 4) | st.sampled_from([0.1, 2.5, 1e6])


class TestLinear:
    @given(
        st.lists(st.tuples(st.sampled_from("abc"), values, values, values), min_size=1, max_size=12),
        st.tuples(*[st.sampled_from([0, 1, -1, 0.3, -2.5])] * 3),
        st.booleans(),
    )
    def test_naive_equals_fast(self, rows, weights, normalize):
        rows = sorted(rows, key=lambda row: row[0])
        table = np.array([row[1:] for row in rows], float)
        letor = letor_of([row[0] for row in rows], x=table[:, 0], y=table[:, 1], z=table[:, 2])
        found = linear(weights, normalize).score(letor)
        for start, stop in pairwise(letor.offsets):
            for doc in range(stop - start):
                expected = naive.linear_score(table[start:stop].tolist(), doc, weights, normalize)
                assert found[start + doc] == pytest.approx(expected, rel=1e-12, abs=1e-9)

    def test_a_missing_value_is_the_worst_of_its_query(self):
        letor = letor_of("aaabb", x=[1, 5, NAN, NAN, NAN])
        assert linear({"x": 2}).score(letor).tolist() == [2, 10, 2, 0, 0]
        assert linear({"x": -2}).score(letor).tolist() == [-2, -10, -10, 0, 0]

    def test_normalize_is_per_query(self):
        letor = letor_of("aaabb", x=[1, 5, 3, 7, 7])
        assert linear({"x": 1}, normalize=True).score(letor).tolist() == [0, 1, 0.5, 0, 0]

    def test_the_order_of_a_mapping_changes_no_bit(self):
        rng = np.random.default_rng(1)
        letor = letor_of("a" * 50, **{name: rng.normal(size=50) for name in "xyz"})
        one = linear({"x": 0.1, "y": 0.7, "z": -0.3}).score(letor)
        other = linear({"z": -0.3, "x": 0.1, "y": 0.7}).score(letor)
        assert one.tobytes() == other.tobytes() == linear([0.1, 0.7, -0.3]).score(letor).tobytes()

    def test_refused(self):
        letor = letor_of("ab", x=[1, 2])
        with pytest.raises(DataError, match="finite"):
            linear({"x": NAN})
        with pytest.raises(DataError, match="no feature 'y'"):
            linear({"y": 1}).score(letor)
        with pytest.raises(DataError, match="2 weights for 1 features"):
            linear([1, 2]).score(letor)


class TestScores:
    letor = letor_of("abab", x=[1, 2, 3, 4])  # regrouped: records 0 2 1 3

    def test_scores_follow_the_records_of_the_source(self):
        assert scores([10, 11, 12, 13]).score(self.letor).tolist() == [10, 12, 11, 13]
        assert scores([10, 11, 12, 13]).score(self.letor.take_queries([1])).tolist() == [11, 13]

    def test_float32_stays(self):
        assert scores(np.array([0, 1, 2, 3], np.float32)).score(self.letor).dtype == np.float32

    @pytest.mark.parametrize(
        "text",
        [
            *("1\n2.5\n-3e2\n+.5\n", "1\r\n2.5\r\n-3e2\r\n+.5", "\ufeff 1\n2.5\t\n-300\n0.5\n\n\n"),
            *("1\r2.5\r-3e2\r+.5\r", "1\r\n2.5\r-3e2\n+.5"),
        ],
    )
    def test_a_file(self, tmp_path, text):
        path = tmp_path / "model.txt"
        path.write_bytes(text.encode())
        ranker = scores(path)
        assert ranker.name == "model"
        assert ranker.score(self.letor).tolist() == [1, -300, 2.5, 0.5]
        assert scores(str(path), "mine").name == "mine"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("1\nnan\n", r":2:1: a score must be a finite number \(nan\)"),
            ("1\n  inf\n", r":2:3: a score must be a finite number \(inf\)"),
            ("1e999\n", r":1:1: a score must be a finite number \(1e999\)"),
            ("1.2.3\n", r":1:1: a score must be a finite number \(1.2.3\)"),
            ("1_000\n", r":1:1: a score must be a finite number \(1_000\)"),
            ("1\n2 22\n", r":2:3: one score per line \(22\)"),
            ("1 2 12\n", r":1:3: one score per line \(2\)"),
            ("2 2\n", r":1:3: one score per line \(2\)"),
            ("1\n\n3\n", r":2:1: blank line"),
            ("\n \n", "no scores"),
            ("", "no scores"),
        ],
    )
    def test_a_bad_file(self, tmp_path, text, message):
        path = tmp_path / "model.txt"
        path.write_text(text)
        with pytest.raises(DataError, match=message):
            scores(path)

    def test_every_error_names_the_file(self, tmp_path):
        path = tmp_path / "model.txt"
        with pytest.raises(DataError, match=f"{path}: No such file"):
            scores(path)
        path.write_text("1\n2\n3\n")
        with pytest.raises(DataError, match=f"{path}: 3 scores"):
            scores(path, "mine").score(self.letor)

    @pytest.mark.parametrize("bad", [[1, NAN], [np.inf, 1], [[1, 2], [3, 4]]])
    def test_a_bad_array(self, bad):
        with pytest.raises(DataError, match="scores"):
            scores(bad)

    def test_too_few_scores_names_both_counts(self):
        with pytest.raises(DataError, match=r"3 scores.* at least 4 documents"):
            scores([1, 2, 3]).score(self.letor)
