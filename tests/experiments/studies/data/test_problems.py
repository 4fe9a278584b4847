"""Problems of studies: their text, the files that hold them, and random subsets."""

import numpy as np
import pytest

from rankduel.bandits import condorcet_winner
from rankduel.base.errors import MatrixError, StudyError, UsageError
from rankduel.experiments.studies.data.folder import data_folder, find_file
from rankduel.experiments.studies.data.judged import DataSource, name_of_settings
from rankduel.experiments.studies.data.problems import open_problem, parse_problem, stand_in_for
from rankduel.experiments.studies.data.public import PUBLIC
from rankduel.experiments.studies.data.subsets import random_arms


def test_stand_ins_are_valid_and_marked(tmp_path):
    for name, public in PUBLIC.items():
        prefs = public.stand_in()
        np.testing.assert_allclose(prefs + prefs.T, 1.0)
        assert (condorcet_winner(prefs) >= 0) == (name != "mslr-informational")
        np.testing.assert_array_equal(prefs, public.stand_in())
    opened = open_problem("mslr-perfect(lex=10,base=1)", DataSource(None, tmp_path))
    assert opened.stand_in == "a synthetic stand-in for mslr-perfect"
    assert "stand-in" in opened.problem.settings["problem"]
    assert opened.problem.settings["matrix"]["arms"] == "0,9,99,100,101,102,103,104,105,106"
    names = open_problem("mslr-perfect(lex=10,base=0)", DataSource(None, tmp_path)).problem.preferences.names
    assert names == ("0", "1", "10", "100", "101", "102", "103", "104", "105", "106")


def test_files_are_found_by_name(tmp_path, monkeypatch):
    matrix = PUBLIC["mslr-perfect"].stand_in()[:20, :20]
    (tmp_path / "matrix").mkdir()
    np.savetxt(tmp_path / "matrix" / "MSLR-Nabigational.txt", matrix, fmt="%.17g")
    np.savez(tmp_path / "MSLR_Perfect_PMat.npz", prefs=matrix)
    monkeypatch.setenv("RANKDUEL_DATA", str(tmp_path))
    source = DataSource(data_folder(None), tmp_path)
    for name in ("mslr-navigational", "mslr-perfect"):
        opened = open_problem(name, source)
        assert (opened.stand_in, len(opened.problem.preferences)) == ("", 20)
    opened = open_problem("np2004(random=5,seed=1)", source)
    assert opened.stand_in == "mslr-navigational in place of np2004"
    monkeypatch.setenv("RANKDUEL_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="no such folder"):
        data_folder(None)


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("MSLR-Perfect.txt", "mslr-perfect"),
        ("mslr_perfect.txt", "mslr-perfect"),
        ("MSLR_Perfect_PMat.npz", "mslr-perfect"),
        ("MSLR-Nabigational.txt", "mslr-navigational"),
        ("mslr-navigational.txt", "mslr-navigational"),
        ("MSLR_Informational_PMat.npz", "mslr-informational"),
        ("MSLR-Informational-CDC.txt", "mslr-informational-cdc"),
        ("mslr_informational_cdc.txt", "mslr-informational-cdc"),
        ("Yahoo-Perfect.txt", "yahoo-perfect"),
        ("yahoo_navigational.txt", "yahoo-navigational"),
        ("Yahoo-Nabigational.txt", "yahoo-navigational"),
        ("Yahoo-Informational.txt", "yahoo-informational"),
        ("ISTELLA-Perfect.txt", "istella-perfect"),
    ],
)
def test_matrices_are_found_in_every_published_spelling(file, problem, tmp_path):
    (tmp_path / "matrix").mkdir()
    (tmp_path / "matrix" / file).touch()
    assert [name for name in PUBLIC if not stand_in_for(name, tmp_path)] == [problem]


def test_the_exact_name_of_a_file_is_preferred(tmp_path):
    for name in ("MINE.txt", "mine.txt", "other_file.txt"):
        (tmp_path / name).touch()
    assert find_file(("mine.txt",), tmp_path) == tmp_path / "mine.txt"
    assert find_file(("Mine.txt",), tmp_path) == tmp_path / "MINE.txt"
    assert find_file(("Other-File.txt",), tmp_path) == tmp_path / "other_file.txt"
    assert find_file((str(tmp_path / "mine.txt"),), tmp_path) == tmp_path / "mine.txt"
    assert find_file(("/nowhere/mine.txt", "x.txt"), tmp_path) is None


def test_random_subsets_have_a_winner_and_depend_on_the_seed_only():
    prefs = PUBLIC["mslr-informational"].stand_in()
    for seed in range(5):
        arms = random_arms([prefs, PUBLIC["mslr-perfect"].stand_in()], 60, seed)
        assert arms == sorted(set(arms)) and len(arms) == 60
        assert condorcet_winner(prefs[np.ix_(arms, arms)]) >= 0
        assert arms == random_arms([prefs, PUBLIC["mslr-perfect"].stand_in()], 60, seed)
    cycle = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    with pytest.raises(StudyError, match="none of 10,000 random subsets of 3 rankers has a Condorcet winner"):
        random_arms([cycle], 3, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cycle3", "did you mean 'cycle'"),
        ("mslr-perfect(lex=10)", "expected \\(lex=K,base=0|1\\)"),
        ("mslr-perfect(random=x,seed=1)", "random is 'x'"),
        ("mslr-perfect(random=137,seed=1)", "expected 1 to 136"),
        ("mslr-perfect(random=5,seed=1,lex=3)", "expected \\(lex=K,base=0|1\\)"),
        ("mslr-perfect(lex=5,base=2)", "base is 2; expected at least 0 and at most 1"),
        ("mslr-perfect(random=0,seed=2)", "random is 0; expected at least 1"),
        ("mslr-perfect(random=5,seed=1,users=some)", "users is 'some'; expected all"),
        ("mslr-perfect(randm=5)", "no setting of mslr-perfect named 'randm'; did you mean 'random'"),
        ("letor(user=me)", "no setting of letor named 'user'"),
        ("letor(data=mslar)", "did you mean 'mslr'"),
        ("letor(mode=lvie)", "mode is 'lvie'; expected proxy or live; did you mean 'live'"),
    ],
)
def test_invalid_problems_are_refused(text, message, tmp_path):
    with pytest.raises(StudyError, match=message):
        open_problem(text, DataSource(None, tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        "cycle",
        "mslr-perfect(lex=10,base=0)",
        "np2004(random=16,seed=0)",
        "mslr-perfect(random=4,seed=2,users=all)",
        "mslr-informational(two_winners=32,seed=3)",
        "letor",
        "letor(mode=live,clicks=navigational,rankers=1-20,interleave=team_draft)",
    ],
)
def test_problems_are_printed_as_they_are_written(text):
    assert str(parse_problem(text)) == text


def test_settings_as_names_of_files():
    assert name_of_settings(["1-20", "navigational"]) == "1-20-navigational"
    assert name_of_settings([]) == "all"
    nested, flat = name_of_settings(["../users/me.toml"]), name_of_settings(["..-users-me.toml"])
    assert "/" not in nested and nested.startswith("..-users-me.toml-") and nested != flat


ORDER = np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.9], [0.3, 0.1, 0.5]])


def test_a_problem_may_be_a_file_in_the_data_folder_or_the_current_folder(tmp_path, monkeypatch):
    data = tmp_path / "data"
    data.mkdir()
    np.savetxt(data / "mine.txt", ORDER)
    monkeypatch.chdir(tmp_path)
    np.save("here.npy", ORDER)
    for name in ("mine.txt", "here.npy"):
        opened = open_problem(name, DataSource(data, tmp_path))
        np.testing.assert_allclose(opened.problem.preferences.matrix, ORDER, rtol=1e-15)
        assert opened.stand_in == ""
    part = open_problem("mine.txt(random=2,seed=1)", DataSource(data, tmp_path))
    assert len(part.problem.preferences) == 2
    with pytest.raises(MatrixError, match=r"else\.txt: there is no such file"):
        open_problem("else.txt", DataSource(data, tmp_path))


def test_a_subset_by_all_users_is_real_only_if_all_matrices_are(tmp_path):
    text = "mslr-navigational(random=5,seed=1,users=all)"
    for user in ("navigational", "perfect"):
        (tmp_path / f"mslr_{user}.txt").touch()
        assert "mslr-informational" in stand_in_for(text, tmp_path)
    (tmp_path / "mslr_informational.txt").touch()
    assert stand_in_for(text, tmp_path) == ""
