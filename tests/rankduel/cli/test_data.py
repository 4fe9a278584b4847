"""Test the commands `rankduel data ...`: output, files and exit codes."""

import json

import numpy as np
import pandas as pd
import pytest

from rankduel.base.text import feature_list
from rankduel.cli.console import number_ranges
from rankduel.letor_data import read_data
from rankduel.letor_data.synthetic.generate import shape, synthesize

LINES = """\
2 qid:7 1:0.5 2:3 3:1 #docid = A
0 qid:7 1:0.5 2:1 3:1 #docid = B
1 qid:8 1:0.1 2:2 3:1 #docid = C
"""


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text(LINES)
    return path


def test_version(rankduel):
    assert rankduel("--version") == (0, "rankduel 0.1.0\n", "")


@pytest.mark.parametrize(
    "words", [[], ["data"], ["data", "info"], ["data", "convert"], ["data", "synth"], ["demo"]]
)
def test_help_fits_eighty_columns(rankduel, words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = rankduel(*words, "--help")
    assert code == 0 and "Usage: rankduel" in out
    assert max(map(len, out.splitlines())) <= 80


def test_info_prints_all_tables(rankduel, small):
    code, out, err = rankduel("data", "info", small)
    assert (code, err) == (0, "")
    for expected in ("queries with one grade", "documents  ", "constant: 3", "NDCG@10"):
        assert expected in out


def test_info_as_json_is_complete(rankduel, small):
    code, out, _ = rankduel("data", "info", small, "--json")
    output = json.loads(out)
    assert code == 0
    assert (output["queries"], output["documents"], output["n_features"]) == (2, 3, 3)
    assert output["grades"] == {"0": 1, "1": 1, "2": 1}
    # Query 7: feature 1 ties both documents, so the relevant one is second with probability 1/2 (3 / log2 3).
    assert output["features"][0]["ndcg"] == pytest.approx(((1 + 1 / np.log2(3)) / 2 + 1) / 2)
    assert output["features"][1]["ndcg"] == 1.0
    assert [f["tie_share"] for f in output["features"]] == [1.0, 0.0, 1.0]
    assert [f["constant"] for f in output["features"]] == [False, False, True]
    assert [f["constant_in_queries"] for f in output["features"]] == [True, False, True]


def test_info_takes_the_reading_options(rankduel, tmp_path):
    path = tmp_path / "odd.txt"
    path.write_text("-1 qid:1 0:nan\n12 qid:1 0:2\n60 qid:2 0:3\n")
    how = [
        "--unjudged",
        "drop",
        "--nonfinite",
        "missing",
        "--grade-cuts",
        "10,50",
        "--index-base",
        "0",
        "--no-cache",
    ]
    code, out, _ = rankduel("data", "info", path, *how, "--json")
    output = json.loads(out)
    assert code == 0 and output["grades"] == {"1": 1, "2": 1} and output["features"][0]["name"] == "0"
    assert list(tmp_path.iterdir()) == [path]


def test_info_of_trec_runs(rankduel, tmp_path):
    (tmp_path / "qrels").write_text("1 0 A 1\n1 0 B 0\n")
    (tmp_path / "mine.run").write_text("1 Q0 A 1 2.5 mine\n1 Q0 B 2 1.5 mine\n")
    code, out, _ = rankduel("data", "info", "mine.run", "--qrels", "qrels", "--json")
    assert code == 0 and json.loads(out)["features"][0]["ndcg"] == 1.0


def test_columns_of_trec_data_are_called_runs(rankduel, tmp_path):
    (tmp_path / "qrels").write_text("1 0 A 1\n1 0 B 0\n")
    (tmp_path / "mine.run").write_text("1 Q0 A 1 2.5 mine\n")
    out = rankduel("data", "info", "mine.run", "--qrels", "qrels")[1]
    assert "Best runs by NDCG@10" in out and "feature" not in out
    assert "documents that a run does not list: 50.0% of all, in 1 run\n" in out


@pytest.mark.parametrize(
    "words, says",
    [
        (["data", "info", "absent.txt"], "absent.txt: no such file or folder"),
        (["data", "info", "bad.txt"], "bad.txt:2:9: the value is not a number"),
        (["data", "info", "small.txt", "--profile", "mslrr"], "did you mean 'mslr'?"),
        (["data", "info", "small.txt", "--grade-cuts", "a,b"], "--grade-cuts is 'a,b'; expected numbers"),
        (["data", "info", "small.txt", "--unjudged", "keep"], "unjudged must be one of"),
        (["data", "convert", "small.txt", "-o", "small.txt"], "exists already"),
        (["data", "convert", "small.txt", "-o", "no/folder.txt"], "no folder"),
        (["data", "convert", "small.txt", "-o", "a.txt", "--split", "test"], "no split 'test'"),
        (["data", "convert", "small.txt", "-o", "a.txt", "--features", "9"], "no feature '9'"),
        (["data", "synth", "--shape", "mslr-web3k"], "did you mean 'mslr-web30k'?"),
        (["data", "synth", "-o", "x.txt", "--set", "docs=3"], "no setting of the generator named 'docs'"),
        (["data", "synth", "-o", "x.txt", "--set", "cycle=3"], "expected a value like"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(rankduel, small, tmp_path, words, says):
    (tmp_path / "bad.txt").write_text("1 qid:1 1:1\n1 qid:1 1:x\n")
    before = set(tmp_path.iterdir())
    code, out, err = rankduel(*words)
    assert code == 2 and says in err and "Traceback" not in err and out == ""
    assert set(tmp_path.iterdir()) - before <= {tmp_path / ".rankduel"}


def test_converting_twice_restores_the_data(rankduel, small):
    assert rankduel("data", "convert", small, "-o", "small.parquet")[0] == 0
    assert rankduel("data", "convert", "small.parquet", "-o", "back.txt.gz")[0] == 0
    first, back = read_data(small), read_data("back.txt.gz")
    np.testing.assert_array_equal(first.features, back.features)
    np.testing.assert_array_equal(first.labels, back.labels)
    assert first.comments == back.comments and list(first.query_ids) == list(back.query_ids)


def test_convert_chooses_split_and_features(rankduel, small):
    assert (
        rankduel("data", "convert", small, "-o", "two.parquet", "--split", "small", "--features", "2-3")[0]
        == 0
    )
    assert read_data("two.parquet").feature_names == ("2", "3")


def test_synth_writes_the_generated_data(rankduel):
    words = ["--queries", 5, "--seed", 3, "--set", "p_norel=0.5", "--set", "cycle=true"]
    code, out, _ = rankduel("data", "synth", "-o", "five.txt", *words)
    made = synthesize(shape("small", queries=5, seed=3, p_norel=0.5, cycle=True))
    found = read_data("five.txt")
    assert code == 0 and "5 queries" in out and "next: rankduel data info five.txt" in out
    np.testing.assert_array_equal(found.features, made.features)
    np.testing.assert_array_equal(found.labels, made.labels)


def test_synth_folds(rankduel, tmp_path):
    assert rankduel("data", "synth", "-o", "set", "--folds", "--queries", 10)[0] == 0
    assert read_data(tmp_path / "set" / "Fold2").n_queries == 10


@pytest.mark.parametrize(
    "text, names",
    [("1-3,7", ["1", "2", "3", "7"]), ("bm25, 4", ["bm25", "4"]), ("run-1", ["run-1"]), ("2", ["2"])],
)
def test_feature_lists(text, names):
    assert feature_list(text) == names


@pytest.mark.parametrize(
    "names, text", [(["1", "2", "3", "9"], "1-3, 9"), ([], ""), (["a", "b"], "a, b"), (["4", "6"], "4, 6")]
)
def test_number_ranges(names, text):
    assert number_ranges(names) == text


def test_names_of_any_kind_are_shown(rankduel, tmp_path):
    """Names in a Parquet file may look like markup or like numbers."""
    names = ["[/]", "[red]x", "²", "٣", "9" * 5000, "9" * 5000 + "1"]
    frame = pd.DataFrame({"qid": ["a", "a", "b"], "label": [0, 1, 1], "split": ["[/x]", "[/x]", "y"]})
    frame.assign(**dict.fromkeys(names, 1.0)).to_parquet(tmp_path / "x.parquet")
    code, out, err = rankduel("data", "info", tmp_path / "x.parquet")
    assert (code, err) == (0, "") and "[/x] 1, y 1" in out and "[/], [red]x, ²" in out
    code, _, err = rankduel("data", "convert", tmp_path / "x.parquet", "-o", tmp_path / "[bold].txt")
    assert (code, err) == (0, "")
    assert "6:1" in (tmp_path / "[bold].txt").read_text()


def test_names_that_are_not_utf8_work_from_reading_to_writing(rankduel, small):
    path = small.rename(small.with_name("n\udcff.txt"))
    for target in ("o\udcfe.txt", "o\udcfe.parquet"):
        code, out, err = rankduel("data", "convert", path, "-o", path.with_name(target))
        assert (code, err) == (0, "") and "o\\xfe." in "".join(out.split())
        code, out, err = rankduel("data", "info", path.with_name(target))
        assert (code, err) == (0, "") and out.encode()


@pytest.mark.parametrize(
    "words", [["convert", "-o", "x.parquet"], ["convert", "-o", "x.txt"], ["synth", "-o", "x.txt"]]
)
def test_a_full_disk_is_one_message(rankduel, small, monkeypatch, words):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.chdir(small.parent)
    monkeypatch.setattr("os.fsync", full)
    command, *rest = words
    arguments = [small, "--no-cache"] if command == "convert" else ["--queries", "3"]
    code, _, err = rankduel("data", command, *arguments, *rest)
    assert code == 2 and f"error: {rest[-1]}: could not be written: No space left on device" in err
    assert sorted(path.name for path in small.parent.iterdir()) == ["small.txt"]
