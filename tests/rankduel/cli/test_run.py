"""`rankduel run --live` and `rankduel compare` as a person types them."""

import json

import numpy as np
import pytest
from support import arenas
from support.helpers import words

from experiments.matrix.preferences import preferences_of, read_preferences, write_preferences
from letor_data.text.writer import write_letor

pytestmark = pytest.mark.kernel
DUEL = ("--interleave", "team_draft", "-k", "5")
SHORT = ("--policy", "rucb", "--horizon", "2000", "--runs", "3")


@pytest.fixture
def data(tmp_path):
    write_letor(arenas.letor(), tmp_path / "small.txt")
    return "small.txt"


def test_live_runs_make_their_matrix_and_say_so(rankduel, data, tmp_path):
    code, out, err = rankduel("run", data, "--live", *DUEL, *SHORT)
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    assert "small.txt, 3 arms, live after 2,000 duels, 3 runs" in out and "NDCG" in out
    assert words(out).endswith("records in results/small-live-2000; next: rankduel report results")
    study = tmp_path / "results" / "small-live-2000"
    settings = json.loads((study / "study.json").read_text())
    assert settings["arena"]["length"] == 5 and settings["matrix"]["about"] == "exact"
    assert settings["command"].startswith("rankduel run small.txt --live")
    found, exact = read_preferences(study / "matrix.prefs.parquet"), arenas.exact_preferences(arenas.arena())
    np.testing.assert_allclose(found.matrix, exact.matrix, atol=1e-12)
    again = rankduel("run", data, "--live", *DUEL, *SHORT)[1]
    assert again == out  # nothing is repeated, times included


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
    kept = json.loads((tmp_path / "results" / "p" / "study.json").read_text())
    assert kept["matrix"]["about"] == "given" and kept["matrix"]["digest"] == made.digest


@pytest.mark.parametrize(
    ("words_typed", "told"),
    [
        (("run", "arxiv6", "small.txt", *SHORT), "files of judged data are played with --live"),
        (("run", "small.txt", *SHORT), "not a matrix of numbers"),
        (("run", "small.txt", "--live", "--interleave", "teamdraft", *SHORT), "did you mean 'team_draft'?"),
        (("run", "small.txt", "--live", "--rankers", "1,9", *DUEL, *SHORT), "9"),
        (("compare", "absent.txt", *DUEL, *SHORT), "absent.txt: no such file or folder"),
        (("compare", "small.txt", *DUEL, "--policy", "rucbb"), "did you mean 'rucb'?"),
        (("report", "results"), "there is no such folder"),
    ],
)
def test_bad_requests_are_one_message(rankduel, data, tmp_path, words_typed, told):
    code, out, err = rankduel(*words_typed)
    assert code == 2 and out == "" and err.startswith("error: ") and told in words(err)
    assert "Traceback" not in err and not (tmp_path / "results").exists()


def test_a_horizon_that_is_no_number_is_refused(rankduel, data, tmp_path):
    code, out, err = rankduel("run", "small.txt", "--live", *DUEL, *SHORT, "--horizon", "soon")
    assert code == 2 and out == "" and "Traceback" not in err and not (tmp_path / "results").exists()
    assert "Invalid value for '--horizon': 'soon' is no number; expected one such as" in words(err)


def test_a_folder_made_for_other_duels_is_refused(rankduel, data):
    assert rankduel("run", data, "--live", *DUEL, *SHORT)[0] == 0
    code, _, err = rankduel("run", data, "--live", *DUEL, "--clicks", "perfect", *SHORT)
    assert code == 2 and "clicks is navigational there and perfect now" in words(err)


@pytest.mark.slow
def test_comparing_tells_differences_and_a_verdict(rankduel, data, tmp_path):
    code, out, err = rankduel("compare", data, *DUEL, *SHORT, "--policy", "merge_dts", "--runs", "8")
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    assert "3 rankers, matrix exact; regret after 2,000 duels, 8 runs each" in words(out)
    assert "Live and proxy runs agree" in words(out) and "95 % interval" in out
    assert {path.name for path in (tmp_path / "results").iterdir()} == {"small-2000-live", "small-2000-proxy"}
    code, out, err = rankduel("report", "results", "-o", "r.html")
    assert code == 0 and "r.html" in out and (tmp_path / "r.html").stat().st_size > 100_000
