"""Published values, and expectations over ties against every way to break them."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from letor_data.metrics import (
    expected_ndcg,
    ideal_dcg,
    mean_over_queries,
)
from letor_data.sorting import rank_scores
from rankduel.base.errors import DataError

pytestmark = pytest.mark.kernel

DISCOUNTS = ["log2", "letor"]


@pytest.mark.parametrize(
    ("shown", "log2", "letor"),
    [
        ([0, 0, 1, 4], 0.4452805, 0.5081831),
        ([1, 0, 0, 4], 0.4772684, 0.53125),
        ([0, 0, 1, 0], 0.5, 0.6309298),
    ],
)
def test_values_of_the_two_tools(shown, log2, letor):
    order, ties = np.arange(len(shown)), np.zeros(len(shown), np.int16)
    for discount, value in (("log2", log2), ("letor", letor)):
        found = expected_ndcg(np.array(shown, np.int8), np.array([0, len(shown)]), order, ties, 10, discount)
        assert found == pytest.approx([value], abs=1e-7)


def test_the_ideal_counts_documents_below_the_cut_off():
    labels, offsets = np.array([1, 0, 0, 4], np.int8), np.array([0, 4])
    order, _, ties = rank_scores(np.array([4.0, 3.0, 2.0, 1.0]), offsets)
    found = expected_ndcg(labels, offsets, order, ties, 2)
    assert found == pytest.approx([1 / (15 + 1 / np.log2(3))], abs=1e-15)


def test_a_second_cut_off_or_discount_has_its_own_ideal():
    labels, offsets = np.array([0, 1, 2, 4], np.int8), np.array([0, 4])
    for k in (1, 2, 4, 10):
        for discount in DISCOUNTS:
            best = naive.dcg([4, 2, 1, 0], k, discount)
            assert ideal_dcg(labels, offsets, k, discount) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize(
    ("no_relevant", "value", "mean"),
    [("zero", 0, 0.5), ("half", 0.5, 0.75), ("one", 1, 1), ("skip", np.nan, 1)],
)
def test_a_query_without_relevant_documents(no_relevant, value, mean):
    labels, offsets = np.array([0, 0, 1], np.int8), np.array([0, 2, 3])
    order, _, ties = rank_scores(np.array([1.0, 2.0, 3.0]), offsets)
    found = expected_ndcg(labels, offsets, order, ties, 10, no_relevant=no_relevant)
    assert found == pytest.approx([value, 1], nan_ok=True)
    assert mean_over_queries(found) == mean


def test_the_mean_of_nothing_is_nan():
    assert np.isnan(mean_over_queries(np.array([[np.nan], [np.nan]]))).all()


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=6), min_size=1, max_size=4),
    st.integers(1, 8),
    st.sampled_from(DISCOUNTS),
)
def test_expectation_is_the_mean_over_all_tie_breaks(queries, k, discount):
    offsets = np.cumsum([0, *map(len, queries)])
    labels = np.array([grade for query in queries for grade, _ in query], np.int8)
    scores = np.array([score for query in queries for _, score in query], float)
    order, _, ties = rank_scores(scores, offsets)
    found = expected_ndcg(labels, offsets, order, ties, k, discount)
    for value, query in zip(found, queries):
        grades, scores = [grade for grade, _ in query], [score for _, score in query]
        assert value == pytest.approx(naive.expected_ndcg(grades, scores, k, discount), abs=1e-12)


def test_rankers_at_once_and_alone():
    rng = np.random.default_rng(4)
    offsets = np.cumsum([0, 1, 60, 3, 100])
    labels = rng.integers(0, 5, offsets[-1]).astype(np.int8)
    rows = [rank_scores(rng.integers(0, 9, offsets[-1]) / 2, offsets) for _ in range(3)]
    order, _, ties = (np.array(part) for part in zip(*rows))
    together = expected_ndcg(labels, offsets, order, ties, 10)
    assert together.shape == (3, 4)
    assert together.tolist() == [expected_ndcg(labels, offsets, o, t, 10).tolist() for o, _, t in rows]


def test_without_ties_it_is_the_plain_value():
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 5, 30).astype(np.int8)
    order, _, ties = rank_scores(rng.normal(size=30), np.array([0, 30]))
    best = naive.dcg(sorted(labels.tolist(), reverse=True), 10, "log2")
    expected = naive.dcg(labels[order].tolist(), 10, "log2") / best
    assert expected_ndcg(labels, np.array([0, 30]), order, ties, 10) == pytest.approx([expected], abs=1e-12)


def test_refused():
    labels, offsets, row = np.zeros(3, np.int8), np.array([0, 3]), np.zeros(3, np.int16)
    for wrong in ({"k": 0}, {"k": 5, "discount": "ln"}, {"k": 5, "no_relevant": "nan"}):
        with pytest.raises(DataError):
            expected_ndcg(labels, offsets, row, row, **wrong)
    with pytest.raises(DataError, match="2 labels and 3 ranks for 3 documents"):
        expected_ndcg(labels[:2], offsets, row, row, 5)
