"""Measures agree with published values, with other tools, and with the mean over all orders of ties."""

import ir_measures
import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR, P, nDCG

from rankduel.base.errors import DataError, UsageError
from rankduel.letor_data.evaluation.catalogue import MEASURES, measure_text
from rankduel.letor_data.evaluation.gains import ideal_dcg
from rankduel.letor_data.evaluation.values import expected_values, mean_over_queries
from rankduel.letor_data.sorting import rank_scores

pytestmark = pytest.mark.kernel

# Settings to test besides the defaults; every measure must have a row.
SETTINGS = {
    "dcg": [{"gain": "linear"}, {"discount": "letor"}],
    "ndcg": [{"gain": "linear"}, {"discount": "letor"}],
    "p": [{"rel": 2}],
    "rbp": [{"rel": 2, "p": 0.5}],
    "mrr": [{"rel": 2}],
    "map": [{"rel": 2}],
    "err": [{"top": 7}],
}
CASES = [(name, settings) for name, rows in SETTINGS.items() for settings in ({}, *rows)]
GAINS = {1: 1, 2: 3, 3: 7, 4: 15}


def value_of_list(measure, grades):
    """Return the value of a single list, given by its grades from the top."""
    order, ties = np.arange(len(grades)), np.zeros(len(grades), np.int16)
    found = expected_values(measure, np.array(grades, np.int8), np.array([0, len(grades)]), order, ties)
    return float(found[0])


def test_every_measure_has_a_twin():
    assert set(SETTINGS) == set(naive.MEASURES) == set(MEASURES)


@pytest.mark.parametrize(
    ("shown", "log2", "letor"),
    [
        ([0, 0, 1, 4], 0.4452805, 0.5081831),
        ([1, 0, 0, 4], 0.4772684, 0.53125),
        ([0, 0, 1, 0], 0.5, 0.6309298),
    ],
)
def test_ndcg_of_the_two_tools(shown, log2, letor):
    assert value_of_list("ndcg@10", shown) == pytest.approx(log2, abs=1e-7)
    assert value_of_list("ndcg(discount=letor)@10", shown) == pytest.approx(letor, abs=1e-7)


@pytest.mark.parametrize(
    ("measure", "grades", "value"),
    [
        ("dcg(gain=linear)", [3, 0, 2], 4.0),
        ("dcg", [3, 0, 2], 8.5),
        ("dcg@2", [3, 0, 2], 7.0),
        ("p@2", [1, 0, 1], 0.5),
        ("p@5", [1, 0, 1], 0.4),  # divided by five, although the list has three documents
        ("p(rel=2)@2", [1, 2, 1], 0.5),
        ("mrr", [0, 0, 0, 1, 4], 0.25),
        ("mrr(rel=2)", [0, 0, 0, 1, 4], 0.2),
        ("mrr@3", [0, 0, 0, 1, 4], 0.0),
        ("map", [1, 0, 1], (1 + 2 / 3) / 2),
        ("map@2", [1, 0, 1], 1 / 2),  # the relevant document below the cut-off counts
        ("map(rel=2)", [1, 0, 2], 1 / 3),
        ("err", [4], 15 / 16),
        ("err", [1, 4], 1 / 16 + 15 / 16 * 15 / 16 / 2),
        ("err(top=2)@1", [1, 2], 1 / 4),
        ("rbp", [1, 0, 3], 0.2 * (1 + 0.64)),
        ("rbp(p=0.5)@2", [1, 0, 3], 0.5),
        ("rbp(p=0)", [1, 1], 1.0),
        ("rbp(p=1)", [1, 1], 0.0),
    ],
)
def test_values_by_hand(measure, grades, value):
    assert value_of_list(measure, grades) == pytest.approx(value, abs=1e-15)


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=6), min_size=1, max_size=4),
    st.sampled_from(CASES),
    st.integers(0, 8),
)
def test_expectation_is_the_mean_over_all_tie_breaks(queries, case, k):
    name, settings = case
    cutoff = {"k": k or 10} if k or name == "p" else {}
    measure = measure_text(MEASURES.configured(name, **settings, **cutoff))
    offsets = np.cumsum([0, *map(len, queries)])
    labels = np.array([grade for query in queries for grade, _ in query], np.int8)
    scores = np.array([score for query in queries for _, score in query], float)
    order, _, ties = rank_scores(scores, offsets)
    found = expected_values(measure, labels, offsets, order, ties)
    for value, query in zip(found, queries):
        grades, scores = [grade for grade, _ in query], [score for _, score in query]
        expected = naive.expected_measure(name, grades, scores, **settings, **cutoff)
        assert value == pytest.approx(expected, abs=1e-12)


def random_queries(seed):
    """Return labels, offsets and distinct scores of 40 queries, each with a document of grade 4."""
    rng = np.random.default_rng(seed)
    offsets = np.cumsum([0, *rng.integers(1, 30, 40)])
    labels = rng.integers(0, 5, offsets[-1]).astype(np.int8)
    labels[offsets[:-1]] = 4
    return labels, offsets, rng.permutation(offsets[-1]).astype(float)


@pytest.mark.parametrize(
    ("measure", "theirs"),
    [
        ("ndcg(gain=linear)@5", nDCG @ 5),
        ("ndcg(gain=linear)", nDCG),
        ("ndcg@5", nDCG(gains=GAINS) @ 5),
        ("ndcg", nDCG(gains=GAINS)),
        ("map", AP),
        ("map(rel=2)", AP(rel=2)),
        ("map(rel=3)@5", AP(rel=3) @ 5),
        ("p@5", P @ 5),
        ("p(rel=2)@20", P(rel=2) @ 20),
        ("mrr", RR),
        ("mrr(rel=4)", RR(rel=4)),
        ("mrr(rel=4)@3", RR(rel=4) @ 3),
    ],
    ids=str,
)
def test_without_ties_as_trec_eval(measure, theirs):
    labels, offsets, scores = random_queries(6)
    order, _, ties = rank_scores(scores, offsets)
    ours = expected_values(measure, labels, offsets, order, ties)
    spans = [range(*span) for span in zip(offsets, offsets[1:])]
    judged = {str(q): {str(doc): int(labels[doc]) for doc in docs} for q, docs in enumerate(spans)}
    run = {str(q): {str(doc): float(scores[doc]) for doc in docs} for q, docs in enumerate(spans)}
    found = {metric.query_id: metric.value for metric in ir_measures.iter_calc([theirs], judged, run)}
    assert ours == pytest.approx([found[str(query)] for query in range(len(spans))], abs=1e-12)


def test_a_large_group_of_ties_is_as_exact_as_a_small_one():
    """Compare with closed forms, since the orders of 300 tied documents cannot be enumerated."""
    n, relevant = 300, 30
    labels = np.array([1] * relevant + [0] * (n - relevant), np.int8)
    order, _, ties = rank_scores(np.zeros(n), np.array([0, n]))

    def found(measure):
        return expected_values(measure, labels, np.array([0, n]), order, ties)[0]

    places = np.arange(1, n + 1)
    absent = np.concatenate([[1.0], np.cumprod((n - relevant - places + 1) / (n - places + 1))])
    assert found("mrr") == pytest.approx(((absent[:-1] - absent[1:]) / places).sum(), abs=1e-13)
    assert found("err(top=1)") == pytest.approx(_err_of_ties(n, relevant, 0.5), abs=1e-13)
    assert found("p@10") == pytest.approx(0.1, abs=1e-13)
    precision = 1 + (places - 1) * (relevant - 1) / (n - 1)
    assert found("map") == pytest.approx((precision / places).sum() / n, abs=1e-13)


def _err_of_ties(n, relevant, satisfies):
    """Return ERR by the hypergeometric number of relevant documents among the first j."""
    from scipy.stats import hypergeom

    passed = [
        ((1 - satisfies) ** np.arange(j + 1) * hypergeom(n, relevant, j).pmf(np.arange(j + 1))).sum()
        for j in range(n + 1)
    ]
    return sum((passed[j - 1] - passed[j]) / j for j in range(1, n + 1))


def test_the_ideal_counts_documents_below_the_cut_off():
    assert value_of_list("ndcg@2", [1, 0, 0, 4]) == pytest.approx(1 / (15 + 1 / np.log2(3)), abs=1e-15)


def test_the_ideal_of_pages():
    labels, offsets = np.array([0, 1, 2, 4], np.int8), np.array([0, 4])
    for k in (1, 2, 4, 10):
        assert ideal_dcg(labels, offsets, k) == pytest.approx(naive.dcg([4, 2, 1, 0], k), abs=1e-12)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize(("no_relevant", "value"), [("zero", 0), ("half", 0.5), ("one", 1), ("skip", np.nan)])
def test_a_query_without_relevant_documents(name, no_relevant, value):
    labels, offsets = np.array([0, 0, 1, 1], np.int8), np.array([0, 2, 2, 4])
    order, _, ties = rank_scores(np.arange(4.0), offsets)
    found = expected_values(f"{name}(no_relevant={no_relevant})", labels, offsets, order, ties)
    assert found[:2] == pytest.approx([value, value], nan_ok=True) and found[2] > 0
    kept = found[2] if no_relevant == "skip" else (2 * value + found[2]) / 3
    assert mean_over_queries(found) == pytest.approx(kept, abs=1e-15)


def test_what_is_relevant_depends_on_the_measure():
    labels, offsets = np.array([1, 2], np.int8), np.array([0, 1, 2])
    order, _, ties = rank_scores(np.zeros(2), offsets)
    found = expected_values("map(rel=2,no_relevant=skip)", labels, offsets, order, ties)
    assert found == pytest.approx([np.nan, 1], nan_ok=True)


def test_the_mean_of_nothing_is_nan():
    assert np.isnan(mean_over_queries(np.array([[np.nan], [np.nan]]))).all()


@pytest.mark.parametrize("name", MEASURES)
def test_rankers_at_once_and_alone(name):
    rng = np.random.default_rng(4)
    offsets = np.cumsum([0, 1, 60, 3, 100])
    labels = rng.integers(0, 5, offsets[-1]).astype(np.int8)
    rows = [rank_scores(rng.integers(0, 9, offsets[-1]) / 2, offsets) for _ in range(3)]
    order, _, ties = (np.array(part) for part in zip(*rows))
    together = expected_values(name, labels, offsets, order, ties)
    assert together.shape == (3, 4)
    assert together.tolist() == [expected_values(name, labels, offsets, o, t).tolist() for o, _, t in rows]


def test_refused():
    labels, offsets, row = np.array([0, 5, 0], np.int8), np.array([0, 3]), np.zeros(3, np.int16)
    for wrong in ("ndcg@0", "ndcg(discount=ln)", "ndcg(no_relevant=nan)"):
        with pytest.raises(UsageError):
            expected_values(wrong, labels, offsets, row, row)
    with pytest.raises(DataError, match="2 labels and 3 ranks for 3 documents"):
        expected_values("ndcg", labels[:2], offsets, row, row)
    with pytest.raises(DataError, match=r"grade 5, but the highest of the scale is 4; write err\(top=5\)"):
        expected_values("err@3", labels, offsets, np.arange(3), row)
