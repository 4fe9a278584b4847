"""Test `--ranker`, `--only-queries` and `--features` on every command that reads data."""

import json

import pytest
from support.helpers import words
from typer.main import get_command

from rankduel.cli import app
from rankduel.experiments.matrix.preferences import read_preferences
from rankduel.experiments.runs.folder import read_settings
from rankduel.letor_data.synthetic.generate import shape, synthesize
from rankduel.letor_data.text.writer import write_letor

pytestmark = pytest.mark.kernel

DUEL = ("--interleave", "team_draft", "--clicks", "perfect", "-k", "5")
RANKERS = (
    *("--rankers", "115", "--ranker", "BM25 whole document,name=BM25"),
    *("--ranker", "minmax(0.7*110+0.3*115)", "--ranker", "scores:mine.txt"),
)
NAMES = ("115", "BM25", "minmax(0.7*110+0.3*115)", "mine")


@pytest.fixture
def data(tmp_path):
    letor = synthesize(shape("small", queries=12))
    write_letor(letor, tmp_path / "mslr.txt")
    scores = letor.column(110) + letor.labels
    (tmp_path / "mine.txt").write_text("".join(f"{score}\n" for score in scores))
    return letor


def test_a_matrix_of_all_kinds_of_rankers(rankduel, data):
    code, _, err = rankduel("matrix", "mslr.txt", "-o", "m.prefs.parquet", *DUEL, *RANKERS)
    made = read_preferences("m.prefs.parquet")
    assert (code, err) == (0, "") and made.names == NAMES
    assert made.settings["rankers"] == [
        *("115", "110,name=BM25", "minmax(0.7*110+0.3*115)", "scores:mine.txt"),
    ]
    assert made.matrix[3, 1] > 0.5  # it ranks by the grades


def test_features_given_in_two_ways_have_the_same_settings(rankduel, data):
    assert rankduel("matrix", "mslr.txt", "-o", "a.prefs.parquet", *DUEL, "--rankers", "110,115")[0] == 0
    typed = ("--ranker", "110", "--ranker", "115")
    assert rankduel("matrix", "mslr.txt", "-o", "b.prefs.parquet", *DUEL, *typed)[0] == 0
    first, second = read_preferences("a.prefs.parquet"), read_preferences("b.prefs.parquet")
    assert "rankers" not in first.settings and first.settings == second.settings
    assert first.digest == second.digest


def test_live_runs_detect_other_scores_of_the_same_name(rankduel, data, tmp_path):
    command = ("run", "mslr.txt", "--live", *DUEL, *RANKERS, "-p", "rucb", "--horizon", "200", "--runs", "2")
    assert rankduel(*command)[0] == 0
    settings = read_settings(tmp_path / "results" / "mslr-live-200")
    assert settings["arena"]["rankers"][-1] == "scores:mine.txt"
    assert rankduel(*command)[0] == 0
    (tmp_path / "mine.txt").write_text("".join(f"{-score}\n" for score in data.column(110)))
    code, _, err = rankduel(*command)
    assert code == 2 and "was made for other duels: rankings_digest is" in words(err)


def test_compare_and_multileave_take_rankers(rankduel, data, tmp_path):
    short = ("--runs", "2", *DUEL, *RANKERS)
    assert rankduel("compare", "mslr.txt", "-p", "rucb", "--horizon", "200", *short)[0] == 0
    code, out, _ = rankduel("multileave", "mslr.txt", "-m", "team_draft", "--impressions", "100", *short)
    assert code == 0 and "4 rankers" in out
    for name in ("mslr-200-live", "mslr-multileave-100"):
        assert read_preferences(tmp_path / "results" / name / "_matrix.prefs.parquet").names == NAMES


def test_info_measures_rankers(rankduel, data):
    code, out, _ = rankduel("data", "info", "mslr.txt", "--json", "--ranker", "scores:mine.txt,name=[red]x")
    (output,) = json.loads(out)["rankers"]
    assert code == 0 and (output["name"], output["text"]) == ("[red]x", "scores:mine.txt,name=[red]x")
    code, out, _ = rankduel("data", "info", "mslr.txt", "--ranker", "scores:mine.txt,name=[red]x")
    assert code == 0 and "Rankers by NDCG@10" in out
    assert f"[red]x  {output['ndcg']:.4f}" in out and "scores:mine.txt" in out


def test_selection_of_queries_and_features(rankduel, data):
    chosen = ("--only-queries", "sample:5", "--features", "106-110")
    code, out, _ = rankduel("data", "info", "mslr.txt", *chosen, "--json")
    output = json.loads(out)
    assert code == 0 and (output["queries"], output["n_features"]) == (5, 5)
    assert [feature["title"] for feature in output["features"]][-1] == "BM25, whole document"
    assert rankduel("matrix", "mslr.txt", "-o", "m.prefs.parquet", *DUEL, *chosen)[0] == 0
    made = read_preferences("m.prefs.parquet")
    assert made.names == ("106", "107", "108", "109", "110") and made.settings["n_queries"] == 5
    assert made.settings["data"] == "mslr.txt, queries sample:5"


def test_runs_of_other_queries_are_other_runs(rankduel, data):
    command = ("run", "mslr.txt", "--live", *DUEL, "--rankers", "110,115", "-p", "rucb", "--horizon", "200")
    assert rankduel(*command, "--only-queries", "sample:5")[0] == 0
    code, _, err = rankduel(*command, "--only-queries", "sample:5:1")
    assert code == 2 and "was made for other duels: data_digest is" in words(err)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (("--ranker", "0.7*110+"), "expected a weight"),
        (("--ranker", "scores:absent.txt"), "absent.txt: No such file or directory"),
        (("--ranker", "scores:short.txt"), "short.txt: 1 scores, but the data's source has at least"),
        (("--ranker", "run:r.trec"), "ranker 'r': the data have no document ids"),
        (("--ranker", "110", "--ranker", "BM25, whole document"), "two rankers are named '110'"),
        (("--only-queries", "1,x"), "1 of 2 queries asked for are not in the data: 'x'"),
        (("--features", "1-999"), "no feature '137'"),
    ],
)
def test_wrong_rankers_are_one_message(rankduel, data, tmp_path, typed, message):
    (tmp_path / "short.txt").write_text("1\n")
    (tmp_path / "r.trec").write_text("1 Q0 A 1 1 t\n")
    code, out, err = rankduel("matrix", "mslr.txt", "-o", "m.prefs.parquet", *typed)
    assert (code, out) == (2, "") and message in words(err) and "Traceback" not in err
    assert not (tmp_path / "m.prefs.parquet").exists()


def test_a_trec_run_as_a_further_ranker(rankduel, tmp_path):
    (tmp_path / "qrels").write_text("1 0 A 1\n1 0 B 0\n2 0 A 1\n2 0 B 0\n")
    (tmp_path / "good.run").write_text("1 Q0 A 1 2 t\n1 Q0 B 2 1 t\n2 Q0 A 1 2 t\n2 Q0 B 2 1 t\n")
    (tmp_path / "bad.run").write_text("1 Q0 B 1 2 t\n2 Q0 B 1 2 t\n")
    typed = ("--qrels", "qrels", "--rankers", "good", "--ranker", "run:bad.run", "--interleave", "team_draft")
    code, _, err = rankduel("matrix", "good.run", "-o", "m.prefs.parquet", *typed)
    assert (code, err) == (0, "")
    made = read_preferences("m.prefs.parquet")
    assert made.names == ("good", "bad") and made.matrix[0, 1] > 0.5


def test_every_command_that_takes_data_has_these_options():
    commands = get_command(app).commands
    for command in ("run", "compare", "multileave", ("matrix", "build"), ("data", "info")):
        found = commands[command] if isinstance(command, str) else commands[command[0]].commands[command[1]]
        options = {option for parameter in found.params for option in parameter.opts}
        assert {"--ranker", "--only-queries", "--features"} <= options, command
