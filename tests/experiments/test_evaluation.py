"""Test `rankduel.evaluate` and `rankduel.compare_rankers`: tables, and errors for wrong input."""

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, RR, P, nDCG

import rankduel
from rankduel.base.errors import RankduelError, UsageError
from rankduel.letor_data.evaluation.catalogue import MEASURES

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def data():
    return rankduel.synthetic_data("small", queries=30)


def test_means_are_means_over_queries(data):
    measures = ["ndcg(no_relevant=skip)@5", "map(rel=4)", "err@10"]
    means = rankduel.evaluate(data, rankers="1,110", measures=measures).to_pandas()
    values = rankduel.evaluate(data, rankers="1,110", measures=measures, per_query=True).to_pandas()
    assert means.columns.tolist() == ["ranker", "measure", "value"] and len(means) == 6
    assert values.columns.tolist() == ["ranker", "query", "measure", "value"] and len(values) == 6 * 30
    expected = values.groupby(["ranker", "measure"], sort=False)["value"].mean().reset_index()
    pd.testing.assert_frame_equal(means, expected)
    assert values["query"].tolist()[:90:3] == data.query_ids.tolist()


def test_every_feature_is_a_ranker_by_default(data):
    means = rankduel.evaluate(data).to_pandas()
    assert means["ranker"].tolist() == list(data.feature_names) and set(means["measure"]) == {"ndcg@10"}
    summary = rankduel.describe_data(data)
    assert means["value"].tolist() == [feature.ndcg for feature in summary.features]


def test_rankers_of_all_kinds(data):
    mix = rankduel.rankers.linear({110: 1, 130: 0.5}, normalize=True, name="mix")
    means = rankduel.evaluate(
        data, rankers=[mix, rankduel.rankers.feature(110, sign=-1)], measures="mrr@3"
    ).means
    assert means["ranker"].tolist() == ["mix", "-110"] and (means["value"] > 0).all()


def test_measures_have_one_spelling(data):
    texts = rankduel.evaluate(data, rankers="110", measures=["nDCG @ 5", "P", "RBP(p=0.80)"]).means["measure"]
    assert texts.tolist() == ["ndcg@5", "p@10", "rbp"]


def test_every_measure_is_listed():
    table = rankduel.measures()
    assert table["name"].tolist() == list(MEASURES) == sorted(MEASURES)


TREC = {
    "ndcg(gain=linear)@5": nDCG @ 5,
    "ndcg(gain=linear)": nDCG,
    "map": AP,
    "map(rel=2)@3": AP(rel=2) @ 3,
    "p@5": P @ 5,
    "mrr(rel=2)": RR(rel=2),
}


def trec_lines(folder, seed):
    """Return judgments and two runs that list some judged and some unjudged documents of some queries."""
    rng = np.random.default_rng(seed)
    judged = {str(q): {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 4, 12))} for q in range(20)}
    judged = {query: grades | {"d0": 3} for query, grades in judged.items()}
    runs = [
        {str(q): {f"d{d}": float(rng.random()) for d in rng.permutation(20)[: 1 + q % 9]} for q in range(n)}
        for n in (20, 15)
    ]
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q in judged for d, g in judged[q].items()))
    for name, run in zip("ab", runs):
        lines = [f"{q} Q0 {d} 0 {score!r} x\n" for q in run for d, score in run[q].items()]
        (folder / name).write_text("".join(lines))
    return judged, runs


def test_runs_of_trec_as_trec_eval_measures_them(tmp_path):
    """Relevant documents count even if no run lists them; a run ranks only the documents that it lists."""
    judged, runs = trec_lines(tmp_path, 3)
    files = [tmp_path / name for name in "ab"]
    data = rankduel.read_data(*files, qrels=tmp_path / "qrels", candidates="all")
    ours = rankduel.evaluate(data, measures=list(TREC), per_query=True).to_pandas()
    for name, run in zip("ab", runs):
        for text, theirs in TREC.items():
            found = {m.query_id: m.value for m in ir_measures.iter_calc([theirs], judged, run)}
            part = ours[(ours["ranker"] == name) & (ours["measure"] == text)]
            assert part["query"].tolist() == list(judged)
            expected = [found.get(query, 0.0) for query in judged]
            assert part["value"].tolist() == pytest.approx(expected, abs=1e-12)


def test_scores_equal_in_single_precision_tie_as_in_trec_eval(tmp_path):
    """Scores differ by steps of 1e-9 around 1/2, so that most are equal in single precision."""
    rng = np.random.default_rng(5)
    judged = {str(q): {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 3, 12))} for q in range(50)}
    run = {q: {doc: 0.5 + 1e-9 * int(rng.integers(200)) for doc in judged[q]} for q in judged}
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q in judged for d, g in judged[q].items()))
    lines = [f"{q} Q0 {d} 0 {score!r} x\n" for q in run for d, score in run[q].items()]
    (tmp_path / "run").write_text("".join(lines))
    data = rankduel.read_data(tmp_path / "run", qrels=tmp_path / "qrels", run_ties="trec_eval")
    ours = rankduel.evaluate(data, measures=list(TREC), per_query=True).by_query
    for text, theirs in TREC.items():
        found = {m.query_id: m.value for m in ir_measures.iter_calc([theirs], judged, run)}
        values = ours[ours["measure"] == text]["value"].tolist()
        assert values == pytest.approx([found[query] for query in judged], abs=1e-12)


def test_every_measure_of_a_short_list(tmp_path):
    """One run lists two of four documents; the other two are not retrieved."""
    (tmp_path / "qrels").write_text("1 0 a 0\n1 0 b 1\n1 0 c 1\n1 0 d 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 9 x\n1 Q0 b 2 8 x\n")
    data = rankduel.read_data(tmp_path / "r", qrels=tmp_path / "qrels", candidates="all")
    found = rankduel.evaluate(data, measures=list(MEASURES)).to_pandas().set_index("measure")["value"]
    ideal = 1 + 1 / np.log2(3) + 1 / 2
    assert found.to_dict() == pytest.approx(
        {
            "dcg": 1 / np.log2(3),
            "err": 1 / 32,
            "map": 1 / 6,
            "mrr": 1 / 2,
            "ndcg": 1 / np.log2(3) / ideal,
            "p@10": 0.1,
            "rbp": 0.2 * 0.8,
        }
    )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"measures": []}, "no measures are named"),
        ({"measures": ["ndcg@5", "p", "NDCG@5"]}, "measure 'ndcg@5' is named twice; leave one out"),
        ({"measures": "ndgc"}, "did you mean 'ndcg'?"),
        ({"rankers": "1,999"}, "no feature '999'"),
        ({"jobs": 0}, "jobs is 0"),
    ],
)
def test_wrong_input_of_evaluate_is_an_error(data, changes, problem):
    with pytest.raises(RankduelError) as refused:
        rankduel.evaluate(data, **changes)
    assert problem in str(refused.value)


def table_of(**values):
    """Return a table of one measure, given the values of each ranker by query."""
    rows = [(name, f"q{n}", "m", value) for name, row in values.items() for n, value in enumerate(row)]
    return pd.DataFrame(rows, columns=["ranker", "query", "measure", "value"])


def test_pairs_of_rankers_are_compared():
    found = rankduel.compare_rankers(table_of(a=[1, 2, 3], b=[2, 3, 5], c=[0, 0, 0])).pairs
    assert found.columns.tolist() == [
        *("measure", "first", "second", "difference", "lo", "hi", "p", "p_holm", "queries")
    ]
    assert found[["first", "second"]].to_numpy().tolist() == [["b", "a"], ["b", "c"], ["a", "c"]]
    assert found["difference"].tolist() == pytest.approx([4 / 3, 10 / 3, 2])
    assert found["p"].tolist() == [0.25] * 3 and found["queries"].tolist() == [3] * 3


def test_the_order_of_rows_does_not_matter(data):
    values = rankduel.evaluate(data, rankers="1,110,115", measures=["map", "p@5"]).by_query
    shuffled = values.sample(frac=1, random_state=1).sort_values("ranker", kind="stable")
    first, again = (
        rankduel.compare_rankers(table, samples=200).pairs.sort_values(["measure", "first", "second"])
        for table in (values, shuffled)
    )
    columns = ["measure", "first", "second", "difference"]
    pd.testing.assert_frame_equal(
        first[columns].reset_index(drop=True), again[columns].reset_index(drop=True)
    )


def test_results_do_not_depend_on_other_measures(data):
    alone, both = (
        rankduel.compare_rankers(
            rankduel.evaluate(data, rankers="1,110", measures=measures), samples=200
        ).pairs
        for measures in (["map"], ["ndcg@10", "map"])
    )
    pd.testing.assert_frame_equal(alone, both[both["measure"] == "map"].reset_index(drop=True))


def test_queries_without_a_value_are_ignored():
    found = rankduel.compare_rankers(table_of(a=[1, np.nan, 3], b=[0, np.nan, 0])).pairs
    assert found["queries"].tolist() == [2] and found["difference"].tolist() == [2]


def test_query_ids_may_repeat():
    """Splits of a collection may have the same query ids."""
    table = table_of(a=[1, 2, 3], b=[0, 1, 1]).assign(query=["x", "x", "y"] * 2)
    assert rankduel.compare_rankers(table).pairs["queries"].tolist() == [3]


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (table_of(a=[1, 2], b=[1, 2]).drop(columns="query"), "the table has no column 'query'"),
        (table_of(a=[1, 2]), "m: 1 ranker; expected two or more to compare"),
        (table_of(a=[1, 2], b=[1]), "query 'q1' has values of some rankers only"),
        (table_of(a=[1, np.nan], b=[1, 2]), "query 'q1' has values of some rankers only"),
        (table_of(a=[np.nan], b=[np.nan]), "m: no query is left"),
        (table_of(a=[1, np.inf], b=[1, 2]), "'value' must hold finite numbers"),
        (table_of(a=["x"], b=["y"]), "'value' must hold finite numbers"),
        (table_of(), "'value' must hold finite numbers of two rankers or more"),
    ],
)
def test_unusable_tables_are_errors(table, problem):
    with pytest.raises(UsageError) as refused:
        rankduel.compare_rankers(table)
    assert problem in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"samples": 0}, "samples is 0; expected a whole number from 1 to 1,000,000"),
        ({"samples": 1.5}, "samples is 1.5"),
        ({"confidence": 1}, "confidence is 1; expected a number between 0 and 1, such as 0.95"),
        ({"confidence": np.nan}, "confidence is nan"),
        ({"seed": -1}, "the seed is -1"),
    ],
)
def test_settings_out_of_range_are_errors(changes, problem):
    with pytest.raises(UsageError) as refused:
        rankduel.compare_rankers(table_of(a=[1, 2], b=[1, 2]), **changes)
    assert problem in str(refused.value)
