"""Test the commands `rankduel evaluate` and `rankduel measures`."""

import csv
import io
import json

import pandas as pd
import pytest
from support.helpers import words

import rankduel as api

pytestmark = pytest.mark.kernel


@pytest.fixture
def data(tmp_path):
    """Write judged data with the names of MSLR's features."""
    letor = api.synthetic_data("small", queries=25)
    api.write_data(letor, tmp_path / "MSLR.txt")
    return letor


def csv_table(text):
    return pd.read_csv(io.StringIO(text), dtype={"ranker": str, "first": str, "second": str, "query": str})


def test_the_printed_tables(rankduel, data):
    code, out, err = rankduel("evaluate", "MSLR.txt", "-m", "ndcg@10", "-m", "map(rel=2)", "--top", 3)
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    lines = out.splitlines()
    assert words(lines[1]) == "means over 25 queries and over all orders of tied documents"
    assert words(lines[3]) == "ranker ndcg@10 map(rel=2)"
    best = api.evaluate(data).to_pandas().sort_values("value", ascending=False)["ranker"].tolist()[:3]
    assert [line.split()[0] for line in lines[4:7]] == best and best[0] == "110"
    assert "BM25, whole document" in lines[4]
    assert "133 more; --top 136 shows all" in out and "Paired" not in out


def test_results_equal_those_of_the_api(rankduel, data):
    code, out, err = rankduel("evaluate", "MSLR.txt", "--rankers", "1-3,110", "-m", "mrr", "-m", "p", "--csv")
    assert (code, err) == (0, "")
    pd.testing.assert_frame_equal(
        csv_table(out),
        api.evaluate(data, rankers="1-3,110", measures=["mrr", "p"]).to_pandas(),
        check_exact=True,
    )


def test_values_by_query(rankduel, data):
    options = ("evaluate", "MSLR.txt", "--rankers", "110,115", "--per-query")
    values = api.evaluate(data, rankers="110,115", per_query=True).to_pandas()
    pd.testing.assert_frame_equal(csv_table(rankduel(*options, "--csv")[1]), values, check_exact=True)
    page = words(rankduel(*options)[1])
    first, second = values[values["query"] == data.query_ids[7]]["value"]
    query = data.query_ids[7]
    assert f"Every query query ranker ndcg@10 {data.query_ids[0]} 110" in page
    assert f"{query} 110 {first:.4f} {query} 115 {second:.4f}" in page


def test_significance_tests_between_the_best_rankers(rankduel, data):
    options = ("evaluate", "MSLR.txt", "-m", "ndcg@10", "-m", "map", "--test", "--seed", 5)
    best = api.evaluate(data).to_pandas().sort_values("value", ascending=False)["ranker"].tolist()[:5]
    chosen = ",".join(name for name in data.feature_names if name in best)
    values = api.evaluate(data, rankers=chosen, measures=["ndcg@10", "map"], per_query=True).to_pandas()
    tests = api.compare_rankers(values, seed=5).pairs
    pd.testing.assert_frame_equal(csv_table(rankduel(*options, "--csv")[1]), tests, check_exact=True)
    page = rankduel(*options)[1]
    assert max(map(len, page.splitlines())) <= 80
    row = tests.iloc[0]
    assert f"{row['first']} {row['second']} {row['difference']:.4f} {row['lo']:+.4f} to" in words(page)
    assert "Paired randomisation tests of map (25 queries, 10 pairs)" in words(page)


def test_json_output(rankduel, data):
    options = ("evaluate", "MSLR.txt", "--rankers", "110,115", "--json")
    output = json.loads(rankduel(*options)[1])
    assert (output["data"], output["queries"]) == ("MSLR.txt", 25) and "tests" not in output
    assert output["values"] == api.evaluate(data, rankers="110,115").to_pandas().to_dict("records")
    output = json.loads(rankduel(*options, "--test", "--per-query")[1])
    assert len(output["values"]) == 50 and [test["queries"] for test in output["tests"]] == [25]


def test_excluded_queries_have_no_value(rankduel, tmp_path):
    (tmp_path / "x.txt").write_text("0 qid:1 1:1\n0 qid:1 1:2\n1 qid:2 1:1\n0 qid:2 1:0\n")
    options = ("evaluate", "x.txt", "-m", "ndcg(no_relevant=skip)", "--per-query")
    output = json.loads(rankduel(*options, "--json")[1])
    assert [row["value"] for row in output["values"]] == [None, 1.0]
    assert rankduel(*options, "--csv")[1].splitlines()[1:] == [
        "1,1,ndcg(no_relevant=skip),",
        "1,2,ndcg(no_relevant=skip),1.0",
    ]
    assert "1 1 - 2 1 1.0000" in words(rankduel(*options)[1])


def test_names_of_any_kind(rankduel, tmp_path):
    """Control characters in names are printed as visible ones, and unchanged in CSV."""
    names = ["a\rb", "c,d", 'e"f', "[bold]g", "h\x1b[2J"]
    columns = {name: [1.0, 2.0] for name in names}
    frame = pd.DataFrame({"qid": ["p\nq", "p\nq"], "label": [0, 1]} | columns)
    api.write_data(api.Letor.from_pandas(frame), tmp_path / "x.parquet")
    code, out, _ = rankduel("evaluate", "x.parquet", "--per-query")
    assert code == 0 and "\x1b" not in out and "[bold]g" in out
    rows = list(csv.DictReader(io.StringIO(rankduel("evaluate", "x.parquet", "--csv")[1], newline="")))
    assert [row["ranker"] for row in rows] == names


def test_two_output_formats_are_an_error(rankduel, data):
    code, out, err = rankduel("evaluate", "MSLR.txt", "--json", "--csv")
    assert (code, out) == (2, "") and "--json and --csv are both given; expected one" in err


def test_runs_of_trec(rankduel, tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c 1\n")  # no run lists c
    (tmp_path / "good.run").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
    (tmp_path / "bad.run").write_text("1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n")
    code, out, _ = rankduel("evaluate", "bad.run", "good.run", "--qrels", "qrels", "-m", "map", "--csv")
    assert code == 0 and out.splitlines()[1:] == ["bad,map,0.25", "good,map,0.5"]


@pytest.mark.parametrize("command", ["evaluate", "measures"])
def test_help_fits_eighty_columns(rankduel, command):
    code, out, _ = rankduel(command, "--help")
    assert code == 0 and max(map(len, out.splitlines())) <= 80


def test_measures_are_listed(rankduel):
    code, out, err = rankduel("measures")
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    for text in ("no_relevant = zero | half | one | skip", "Chapelle, Metzler, Zhang", "rbp(p=0.95)"):
        assert text in words(out)
    output = json.loads(rankduel("measures", "--json")[1])["measures"]
    assert [measure["name"] for measure in output] == api.measures()["name"].tolist()
    assert output[-1]["settings"]["p"] == {
        "default": 0.8,
        "about": "probability of continuing to the next rank",
        "from": 0,
        "to": 1,
    }
