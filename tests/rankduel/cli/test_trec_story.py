"""Test all commands with TREC runs, from `data info` to a report: four grades, lists of unequal length."""

import json

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import nDCG
from support.html_pages import Page

N_TOPICS = 20
DUEL = ("--interleave", "team_draft", "--clicks", "navigational(grade_map=even)")
SHORT = ("--horizon", 2000, "--runs", 3, "--jobs", 1)
RUNS = ("oracle", "bm25", "again", "short")


@pytest.fixture
def files(rankduel, tmp_path):
    """Return the words to read the runs: one has the ideal order, two are equal, one is short and has gaps.

    Depends on the fixture that changes into the folder.
    """
    rng = np.random.default_rng(3)
    lines = {name: [] for name in (*RUNS, "qrels")}
    for topic in range(N_TOPICS):
        grades = np.array([3, 2, 2, 1, 1, *rng.choice(4, 35, p=[0.75, 0.15, 0.07, 0.03])])
        judged = np.r_[np.ones(5, bool), rng.random(35) < 0.7]
        lines["qrels"] += [f"{topic} 0 d{doc} {grades[doc]}" for doc in np.flatnonzero(judged)]
        noisy = grades + rng.normal(0, 2, 40)
        scores = {
            "oracle": np.where(judged, grades + np.linspace(0.5, 0, 40), -1 - np.arange(40)),
            "bm25": noisy,
            "again": 2 * noisy + 1,
            "short": grades + rng.normal(0, 1, 40),
        }
        depths = {"oracle": 30, "bm25": 25, "again": 25, "short": 0 if topic == 4 else 2 + topic % 7}
        for name, depth in depths.items():
            best = np.argsort(-scores[name])[:depth]
            lines[name] += [f"{topic} Q0 d{doc} 0 {scores[name][doc]:.6f} {name}" for doc in best]
    for name, written in lines.items():
        (tmp_path / name).with_suffix("" if name == "qrels" else ".run").write_text("\n".join(written) + "\n")
    return [*(f"{name}.run" for name in RUNS), "--qrels", "qrels", "--no-cache"]


def json_output(rankduel, *words):
    """Return the parsed JSON output of a command."""
    code, out, err = rankduel(*words, "--json")
    assert code == 0, err
    return json.loads(out)


@pytest.mark.kernel
def test_commands_from_files_to_a_report(rankduel, files, tmp_path):
    judged = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels")))
    facts = json_output(rankduel, "data", "info", *files)
    assert facts["queries"] == N_TOPICS and len(facts["grades"]) == 4
    assert f"short: no documents for 1 of {N_TOPICS} queries; none is ranked" in facts["notes"]
    unjudged = facts["documents"] - len(judged)
    assert unjudged > 0 and any(f"{unjudged} of {facts['documents']}" in note for note in facts["notes"])

    values = json_output(rankduel, "evaluate", *files, "-m", "ndcg@5")["values"]
    ndcg = {row["ranker"]: row["value"] for row in values}
    assert ndcg["oracle"] == pytest.approx(1) and ndcg["bm25"] == ndcg["again"] < 1

    refused = rankduel("matrix", *files, "-o", "m.prefs.parquet")
    assert refused[0] == 2 and "published tables for 2, 3, 5 grades, not for 4" in refused[2]
    matrix = json_output(rankduel, "matrix", *files, *DUEL, "-o", "m.prefs.parquet")
    pairs = {(row["first"], row["second"]): row for row in matrix["pairs"]}
    assert {row["method"] for row in pairs.values()} == {"exact"}
    assert pairs["bm25", "again"]["p"] == pytest.approx(0.5, abs=1e-12)
    assert all(pairs["oracle", other]["p"] > 0.5 for other in RUNS[1:])
    assert pairs["bm25", "short"]["p"] == pytest.approx(pairs["again", "short"]["p"], abs=1e-12)

    found = json_output(rankduel, "winners", "m.prefs.parquet")
    assert found["winners"]["condorcet"] == found["winners"]["von_neumann"] == ["oracle"]
    assert found["resampled_queries"]["drawn"] == f"the {N_TOPICS} queries"

    policies = ("-p", "rucb", "-p", "merge_dts", "--matrix", "m.prefs.parquet")
    played = json_output(rankduel, "run", *files, "--live", *DUEL, *policies, *SHORT)
    assert played["verdict"]["winners"] == ["oracle"]
    assert all(0 < row["ndcg"] <= 1 for row in played["policies"])
    compared = json_output(rankduel, "compare", *files, *DUEL, *policies, *SHORT)
    assert compared["winner"]["winners"] == ["oracle"]

    assert rankduel("report", "results", "--figures", "figures", "--format", "svg")[0] == 0
    page = Page(tmp_path / "report.html").text
    assert "Which policy finds the best of 4 rankers at least cost, and does the proxy agree?" in page
    assert "Ranker oracle beats every other ranker; over queries like these it wins in" in page
    assert page.count("has the same runs.") == 1 and list((tmp_path / "figures").glob("*.tex"))


@pytest.mark.kernel
@pytest.mark.parametrize(("gain", "theirs"), [("linear", "log2"), ("exponential", "exp-log2")])
def test_ndcg_equals_ir_measures_for_one_and_several_runs(rankduel, files, tmp_path, gain, theirs):
    """NDCG by topic; 0 for a topic without documents. gdeval, for exponential gains, prints five digits."""
    judged = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels")))
    options = files[len(RUNS) :]

    def values(*runs):
        words = ("evaluate", *runs, *options, "-m", f"ndcg(gain={gain})@10", "--per-query", "--json")
        code, out, err = rankduel(*words)
        assert code == 0, err
        table = pd.DataFrame(json.loads(out)["values"])
        return table.set_index(["ranker", "query"])["value"]

    together = values(*(f"{name}.run" for name in RUNS))
    for name in RUNS:
        run = list(ir_measures.read_trec_run(str(tmp_path / f"{name}.run")))
        measure = nDCG(dcg=theirs) @ 10
        expected = dict.fromkeys(map(str, range(N_TOPICS)), 0.0)
        expected |= {one.query_id: one.value for one in ir_measures.iter_calc([measure], judged, run)}
        rounding = 5.001e-6 if gain == "exponential" else 1e-9
        assert together[name].to_dict() == pytest.approx(expected, rel=0, abs=rounding)
        assert values(f"{name}.run")[name].to_dict() == pytest.approx(together[name].to_dict(), abs=1e-12)
