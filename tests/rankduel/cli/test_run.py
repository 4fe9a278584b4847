"""Test the commands `rankduel run --live` and `rankduel compare`."""

import json

import numpy as np
import pytest
from support import arenas
from support.helpers import words

from rankduel.experiments.matrix.preferences import preferences_of, read_preferences, write_preferences
from rankduel.letor_data.text.writer import write_letor

pytestmark = pytest.mark.kernel
DUEL = ("--interleave", "team_draft", "-k", "5")
SHORT = ("--policy", "rucb", "--horizon", "2000", "--runs", "3")


@pytest.fixture
def data(tmp_path):
    write_letor(arenas.letor(), tmp_path / "small.txt")
    return "small.txt"


def test_live_runs_build_their_matrix(rankduel, data, tmp_path):
    code, out, err = rankduel("run", data, "--live", *DUEL, *SHORT)
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    assert "small.txt: 3 arms, live duels, team_draft, navigational user; after 2,000 duels," in words(out)
    assert "NDCG" in out
    assert words(out).endswith("records in results/small-live-2000; next: rankduel report results")
    study = tmp_path / "results" / "small-live-2000"
    settings = json.loads((study / "_settings.json").read_text())
    assert settings["arena"]["length"] == 5 and settings["matrix"]["about"] == "exact"
    assert settings["command"].startswith("rankduel run small.txt --live")
    found, exact = read_preferences(study / "_matrix.prefs.parquet"), arenas.exact_preferences(arenas.arena())
    np.testing.assert_allclose(found.matrix, exact.matrix, atol=1e-12)
    again = rankduel("run", data, "--live", *DUEL, *SHORT)[1]
    assert again == out  # no run is repeated: the times are equal too


def test_live_runs_can_be_measured_by_another_matrix(rankduel, data, tmp_path):
    made = preferences_of(np.array([[0.5, 0.9, 0.9], [0.1, 0.5, 0.9], [0.1, 0.1, 0.5]]), ["1", "2", "3"])
    write_preferences(made, tmp_path / "p.npy")
    code, _, err = rankduel("run", data, "--live", *DUEL, *SHORT, "--matrix", "p.npy")
    assert (
        code == 2
        and "the matrix is for 3 rankers, 0, 1, 2, and the data are ranked by 3, 1, 2, 3" in words(err)
    )
    write_preferences(made, tmp_path / "p.prefs.parquet")
    assert (
        rankduel("run", data, "--live", *DUEL, *SHORT, "--matrix", "p.prefs.parquet", "--name", "p")[0] == 0
    )
    kept = json.loads((tmp_path / "results" / "p" / "_settings.json").read_text())
    assert kept["matrix"]["about"] == "given" and kept["matrix"]["digest"] == made.digest


@pytest.mark.parametrize(
    ("words_typed", "message"),
    [
        (("run", "arxiv6", "small.txt", *SHORT), "expected one matrix, or --live and files of judged data"),
        (("run", "small.txt", *SHORT), "not a matrix of numbers"),
        (("run", "small.txt", "--live", "--interleave", "teamdraft", *SHORT), "did you mean 'team_draft'?"),
        (("run", "small.txt", "--live", "--rankers", "1,9", *DUEL, *SHORT), "9"),
        (("compare", "absent.txt", *DUEL, *SHORT), "absent.txt: no such file or folder"),
        (("compare", "small.txt", *DUEL, "--policy", "rucbb"), "did you mean 'rucb'?"),
        (("report", "results"), "there is no such folder"),
    ],
)
def test_wrong_input_is_one_message(rankduel, data, tmp_path, words_typed, message):
    code, out, err = rankduel(*words_typed)
    assert code == 2 and out == "" and err.startswith("error: ") and message in words(err)
    assert "Traceback" not in err and not (tmp_path / "results").exists()


PROXY = ("run", "arxiv6", *SHORT)
LIVE = ("run", "small.txt", "--live", *DUEL, *SHORT)
COMPARE = ("compare", "small.txt", *DUEL, *SHORT)
MULTILEAVE = ("multileave", "small.txt", *DUEL, "--method", "sosm", "--impressions", "100")
JOBS = "expected a whole number from 1 to 1,024, or -1"


@pytest.mark.parametrize(
    ("words_typed", "message"),
    [
        *(((*command, "--seed", "-1"), "the seed is -1; expected a whole number from 0")
          for command in (PROXY, LIVE, COMPARE, MULTILEAVE)),
        *(((*command, "--jobs", jobs), f"jobs is {jobs}; {JOBS}")
          for command in (PROXY, LIVE, COMPARE, MULTILEAVE) for jobs in ("0", "100000")),
        ((*PROXY, "--checkpoints", "1000000000"), "expected a whole number from 1 to 1,000,000"),
        ((*PROXY, "--runs", "1000000000000"), "expected a whole number from 1 to 1,000,000"),
        ((*MULTILEAVE, "--runs", "1000000000000"), "expected a whole number from 1 to 1,000,000"),
        ((*PROXY, "--delay", "1000000000000"), "expected every 1 to 10,000,000 steps with a delay"),
        ((*PROXY, "--feedback-every", "1000000000000"), "expected every 1 to 10,000,000 steps with a delay"),
        ((*PROXY, "--horizon", "-5"), "the horizon is -5.0; expected a whole number of duels from 1"),
        ((*LIVE, "--rankers", "1-9999999999"), "rankers '1-9999999999' are more than 1,000,000"),
    ],
)  # fmt: skip
def test_numbers_out_of_range_are_errors_before_any_work(rankduel, data, tmp_path, words_typed, message):
    code, out, err = rankduel(*words_typed)
    assert code == 2 and out == "" and err.startswith("error: ") and message in words(err)
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("option", ["--delay", "--feedback-every"])
def test_late_feedback_out_of_range_is_an_error(rankduel, tmp_path, option):
    code, out, err = rankduel(*PROXY, option, "1e12")
    assert code == 2 and out == "" and "Traceback" not in err and not (tmp_path / "results").exists()


def test_records_of_other_runs_are_errors_or_repaired(rankduel, tmp_path):
    assert rankduel(*PROXY, "--name", "mine")[0] == 0
    shown = rankduel(*PROXY, "--name", "mine")[1]
    assert rankduel(*PROXY, "--name", "other", "--seed", "1")[0] == 0
    place = "rucb/2.parquet"
    copied, mine = (tmp_path / "results" / name / place for name in ("other", "mine"))
    good = mine.read_bytes()
    mine.write_bytes(copied.read_bytes())
    for words_typed in ((*PROXY, "--name", "mine"), ("report", "results", "-o", "r.html")):
        code, out, err = rankduel(*words_typed)
        assert (code, out) == (2, "") and err.startswith(
            "error: results/mine/rucb/2.parquet: a record of other runs"
        )
        assert "its seed is 1, and that of _settings.json is 0" in words(err) and "--repair" in err
    code, out, err = rankduel(*PROXY, "--name", "mine", "--repair")
    assert (code, err) == (0, "") and mine.read_bytes() == good
    assert words(out).split(" s/run ")[0] == words(shown).split(" s/run ")[0]


def test_repair_of_other_commands(rankduel, data, tmp_path):
    few = ("--runs", "2", "--out", "some")
    for words_typed, bad in (
        (COMPARE, "some/small-2000-proxy/rucb/0.parquet"),
        (COMPARE, "some/small-2000-live/_matrix.prefs.parquet"),
        (COMPARE, "some/small-2000-live/_settings.json"),
        (MULTILEAVE, "some/small-multileave-100/sosm/1.parquet"),
        (MULTILEAVE, "some/small-multileave-100/_matrix.prefs.parquet"),
    ):
        assert rankduel(*words_typed, *few)[0] == 0
        good = (tmp_path / bad).read_bytes()
        (tmp_path / bad).write_bytes(good[:-20])
        code, out, err = rankduel(*words_typed, *few)
        assert (code, out) == (2, "") and err.startswith(f"error: {bad}: ") and "--repair" in err
        assert rankduel(*words_typed, *few, "--repair")[0] == 0
        if not bad.endswith("json"):  # which contains the command that wrote it
            assert (tmp_path / bad).read_bytes() == good


@pytest.mark.parametrize(
    ("made_for", "message"),
    [
        (("--clicks", "perfect"), "clicks is perfect there and navigational now"),
        (("--interleave", "probabilistic"), "interleave is probabilistic there and team_draft now"),
        (("-k", "3"), "length is 3 there and 5 now"),
        (("--tied-duels", "drop"), "tied_duels is drop there and coin now"),
        (("--ties", "stable"), "ties is stable there and random_impression now"),
    ],
)
def test_a_given_matrix_must_have_the_same_settings(rankduel, data, tmp_path, made_for, message):
    duel = DUEL[2:] if made_for[0] == DUEL[0] else DUEL  # a repeated option would request several matrices
    assert rankduel("matrix", data, "-o", "m.prefs.parquet", *duel, *made_for)[0] == 0
    for command in (LIVE, COMPARE, MULTILEAVE):
        code, out, err = rankduel(*command, "--matrix", "m.prefs.parquet")
        assert (code, out) == (2, "") and f"m.prefs.parquet was made for other duels: {message}" in words(err)
    assert not (tmp_path / "results").exists()


def test_a_multileaved_matrix_is_an_error_for_duels(rankduel, data, tmp_path):
    shared = ("--multileave", "sosm", "--impressions", "1000", "-k", "5")
    assert rankduel("matrix", data, "-o", "m.prefs.parquet", *shared)[0] == 0
    code, _, err = rankduel(*LIVE, "--matrix", "m.prefs.parquet")
    assert code == 2 and "interleave is not set there and team_draft now" in words(err)


def test_a_matrix_with_the_same_settings_may_be_given(rankduel, data, tmp_path):
    assert rankduel("matrix", data, "-o", "m.prefs.parquet", *DUEL)[0] == 0
    assert rankduel(*LIVE, "--matrix", "m.prefs.parquet")[0] == 0


def test_a_horizon_that_is_no_number_is_an_error(rankduel, data, tmp_path):
    code, out, err = rankduel("run", "small.txt", "--live", *DUEL, *SHORT, "--horizon", "soon")
    assert code == 2 and out == "" and "Traceback" not in err and not (tmp_path / "results").exists()
    assert "Invalid value for '--horizon': 'soon' is no number; expected one such as" in words(err)


def test_a_folder_with_other_settings_is_an_error(rankduel, data):
    assert rankduel("run", data, "--live", *DUEL, *SHORT)[0] == 0
    code, _, err = rankduel("run", data, "--live", *DUEL, "--clicks", "perfect", *SHORT)
    assert code == 2 and "clicks is navigational there and perfect now" in words(err)


def test_a_report_says_how_many_run_sets_have_the_same_runs(rankduel):
    told = []
    for name, seed in (("one", "0"), ("other", "1"), ("again", "0"), ("more", "0")):
        assert rankduel(*PROXY, "--name", name, "--seed", seed)[0] == 0
        told.append(words(rankduel("report", "results")[1]))
    expected = [
        "1 run set,",
        "2 run sets,",
        "3 run sets, one with the same runs as another,",
        "4 run sets, 2 with the same runs as another,",
    ]
    for line, text in zip(told, expected):
        assert f"report.html {text} " in line and line.count("same runs") == text.count("same runs")


@pytest.mark.slow
def test_compare_prints_differences_and_a_verdict(rankduel, data, tmp_path):
    code, out, err = rankduel("compare", data, *DUEL, *SHORT, "--policy", "merge_dts", "--runs", "8")
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    assert "3 rankers, team_draft, navigational user, matrix exact" in words(out)
    assert "regret after 2,000 duels, means of 8 runs" in words(out)
    assert "Live and proxy runs agree" in words(out) and "95% interval" in out
    assert {path.name for path in (tmp_path / "results").iterdir()} == {"small-2000-live", "small-2000-proxy"}
    code, out, err = rankduel("report", "results", "-o", "r.html")
    assert code == 0 and "r.html" in out and (tmp_path / "r.html").stat().st_size > 100_000
