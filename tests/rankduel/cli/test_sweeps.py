"""Test several users and interleaving methods in one command: a file or folder for each, and one table."""

import pytest
from support.helpers import words

from rankduel.experiments.matrix.preferences import read_preferences
from rankduel.experiments.runs.folder import read_settings
from rankduel.letor_data.synthetic.generate import shape, synthesize
from rankduel.letor_data.text.writer import write_letor

pytestmark = pytest.mark.kernel

RANKERS = ("--rankers", "110,16", "-k", "5")
SWEEP = ("--interleave", "team_draft", "--interleave", "balanced", "--clicks", "perfect")
USERS = ("--interleave", "team_draft", "--clicks", "perfect", "--clicks", "navigational(stop=any)")
SHORT = ("-p", "rucb", "--horizon", "200", "--runs", "2")


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "mslr.txt"
    write_letor(synthesize(shape("small", queries=8)), path)
    return path


def test_one_matrix_for_each_combination(rankduel, data, tmp_path):
    both = (*SWEEP, "--clicks", "navigational")
    code, out, err = rankduel("matrix", "mslr.txt", "-o", "m.prefs.parquet", *RANKERS, *both)
    assert (code, err) == (0, "")
    for method in ("team_draft", "balanced"):
        for clicks in ("perfect", "navigational"):
            made = read_preferences(f"m-{method}-{clicks}.prefs.parquet")
            assert (made.settings["interleave"], made.settings["clicks"]) == (method, clicks)
    assert not (tmp_path / "m.prefs.parquet").exists()
    table = words(out.partition("interleaving  user")[2])
    assert "team_draft perfect 110 0 team_draft navigational 110 0 balanced perfect 110 0" in table


def test_each_matrix_equals_that_of_a_single_command(rankduel, data):
    assert rankduel("matrix", "mslr.txt", "-o", "m.npy", *RANKERS, *USERS)[0] == 0
    alone = ("--interleave", "team_draft", "--clicks", "perfect")
    assert rankduel("matrix", "mslr.txt", "-o", "alone.npy", *RANKERS, *alone)[0] == 0
    swept = data.with_name("m-perfect.npy")
    assert swept.read_bytes() == data.with_name("alone.npy").read_bytes()
    assert len(list(data.parent.glob("m-navigational-stop-any--*.npy"))) == 1


def test_one_folder_of_runs_for_each_combination(rankduel, data, tmp_path):
    code, out, err = rankduel("run", "mslr.txt", "--live", *RANKERS, *SWEEP, *SHORT)
    assert (code, err) == (0, "")
    folders = sorted(path.name for path in (tmp_path / "results").iterdir())
    assert folders == ["mslr-live-200-balanced", "mslr-live-200-team_draft"]
    assert read_settings(tmp_path / "results" / folders[0])["arena"]["interleave"] == "balanced"
    assert "duels policy regret ± s.e. correct team_draft rucb" in words(out)
    assert "balanced rucb" in words(out) and "records in results; next: rankduel report results" in out


def test_one_comparison_for_each_combination(rankduel, data, tmp_path):
    code, out, err = rankduel("compare", "mslr.txt", *RANKERS, *SWEEP, *SHORT, "--name", "mine")
    assert (code, err) == (0, "")
    assert {path.name for path in (tmp_path / "results").iterdir()} == {
        *("mine-balanced-live", "mine-balanced-proxy", "mine-team_draft-live", "mine-team_draft-proxy"),
    }
    assert "duels policy live regret proxy regret difference p-value team_draft rucb" in words(out)
    assert "balanced: Live and proxy runs" in words(out)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (
            ("matrix", "mslr.txt", "-o", "m.npy", *SWEEP, "--clicks", "perfect"),
            "--clicks perfect is given twice",
        ),
        (("multileave", "mslr.txt", "-m", "sosm", *SWEEP), "--interleave is given 2 times; expected it once"),
        (
            ("run", "mslr.txt", "--live", *SWEEP, *SHORT, "--matrix", "x"),
            "--matrix is for one combination",
        ),
        (
            ("compare", "mslr.txt", *SWEEP, *SHORT, "--matrix", "x"),
            "--matrix is for one combination",
        ),
        (("matrix", "mslr.txt", "-o", "there.npy", *USERS), "there-perfect.npy: exists already"),
    ],
)
def test_wrong_combinations_are_errors_before_any_work(rankduel, data, tmp_path, typed, message):
    (tmp_path / "there-perfect.npy").write_text("")
    code, out, err = rankduel(*typed)
    assert (code, out) == (2, "") and message in words(err)
    assert not (tmp_path / "results").exists() and not list(tmp_path.glob("m*.npy"))
