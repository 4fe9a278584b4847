"""Policies from Python files in studies: their code runs only if the user trusts the study."""

import pytest

import rankduel as library
from rankduel.base.errors import PolicyError
from rankduel.experiments.studies.play import play_study
from rankduel.experiments.studies.study import Runs, Size, Study
from rankduel.experiments.studies.toml import read_study

MINE = '''\
"""Mine: always the first two arms."""
from pathlib import Path
from typing import NamedTuple

import numpy as np

Path("ran").touch()

class State(NamedTuple):
    wins: np.ndarray

class Params(NamedTuple):
    alpha: float = 1.0

def init(n_arms, params, rng):
    return State(np.zeros(n_arms, np.int64))

def select(state, params, rng):
    return 0, 1

def update(state, params, first, second, first_won):
    state.wins[first if first_won else second] += 1
'''
TOML = """\
id = "own"
title = "A policy of one's own"
source = "none"
question = "Does it run?"
data = "built in"

[[runs]]
name = "easy"
problem = "cyclic"
policies = ["random_pair", "{policy}"]
sizes = {{ quick = {{ horizon = 50, runs = 2 }} }}

[[checks]]
id = "regret"
claim = "there is some"
between = {{ value = {{ part = "easy", policy = "{measured}" }}, low = 0 }}
"""
pytestmark = pytest.mark.filterwarnings("ignore:.*runs as plain Python")


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Write a study and its policy into the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)

    def write(policy="mine.py", measured=""):
        (tmp_path / "own.toml").write_text(TOML.format(policy=policy, measured=measured or policy))
        return "own.toml"

    return write


@pytest.fixture
def has_run(tmp_path):
    return (tmp_path / "ran").exists


@pytest.mark.parametrize("command", ["show", "run", "check"])
@pytest.mark.parametrize("policy", ["mine.py", "./mine.py (alpha=2)"])
def test_a_file_is_not_run_without_trust(rankduel, study, has_run, command, policy):
    code, _, err = rankduel("study", command, study(policy))
    said = " ".join(err.split())
    assert code == 2 and f"own.toml: '{policy}' is a policy file" in said and "--trust" in said
    assert not has_run()


def test_a_file_that_only_a_check_names_is_not_run_without_trust(study, has_run):
    with pytest.raises(PolicyError, match="is a policy file"):
        read_study(study("savage", "mine.py"))
    assert not has_run()


def test_a_trusted_file_is_played_and_measured(rankduel, study, has_run, tmp_path):
    code, out, _ = rankduel("study", "show", study("mine.py( alpha = 2 )", "mine.py(alpha=2.0)"), "--trust")
    assert code == 0 and has_run() and "random_pair, mine.py(alpha=2)" in out
    code, out, _ = rankduel("study", "check", "own.toml", "--trust", "--out", "kept", "--jobs", 1)
    assert code == 0 and "1 hold" in out
    assert (tmp_path / "kept" / "own-quick" / "easy" / "mine.py(alpha%3D2)" / "1.parquet").exists()


def test_trust_in_python(study, has_run):
    with pytest.raises(PolicyError, match="is a policy file"):
        library.study(study(), jobs=1)
    assert not has_run()
    assert [record.verdict for record in library.study("own.toml", jobs=1, trust=True).records] == ["holds"]


def test_trust_applies_to_the_path_of_a_file(study, tmp_path, monkeypatch, has_run):
    """A file of the same name in another folder is another file."""
    trusted = read_study(study(), trust=True)
    (tmp_path / "ran").unlink()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.py").write_text(MINE.replace('Path("ran")', 'Path("other")'))
    monkeypatch.chdir(elsewhere)
    with pytest.raises(PolicyError, match="is a policy file"):
        read_study("../own.toml")
    play_study(trusted, "quick", elsewhere)
    assert not has_run() and not (elsewhere / "other").exists()


def test_a_study_made_in_python_does_not_run_files(study, tmp_path, has_run):
    study()
    runs = Runs("r", "cyclic", ["mine.py"], {"quick": Size(10, 1)})
    with pytest.raises(PolicyError, match="is a policy file"):
        play_study(Study("s", "t", "s", "q", "d", (runs,), ()), "quick", tmp_path)
    assert not has_run()
