"""Test that the shell completes all names, and files; test_start.py tests that completion is fast."""

import pytest
import typer

from rankduel.bandits.catalogue import POLICIES
from rankduel.bandits.regret import NOTIONS
from rankduel.cli import app, completion
from rankduel.clickmodels.catalogue import CLICK_MODELS
from rankduel.experiments.matrix.build import PRIORS
from rankduel.experiments.matrix.builtin import FAMILIES, MATRICES
from rankduel.experiments.runs.problem import MEASURES
from rankduel.experiments.studies import all_studies
from rankduel.interleave import METHODS, PRESETS, TIED_DUELS
from rankduel.interleave.multileave import MULTILEAVERS
from rankduel.letor_data.ties import TIE_MODES

WITHOUT_FILES = {
    completion.policies: POLICIES,
    completion.interleavers: METHODS,
    completion.multileavers: MULTILEAVERS,
    completion.users: CLICK_MODELS,
    completion.studies: all_studies(),
    completion.matrices: {**MATRICES, **FAMILIES},
    completion.one_of(*completion.NOTIONS): NOTIONS,
    completion.one_of(*completion.PRESETS): PRESETS,
    completion.one_of(*completion.TIES): TIE_MODES,
    completion.one_of(*completion.TIED_DUELS): TIED_DUELS,
    completion.one_of(*completion.PRIORS): PRIORS,
    completion.one_of(*completion.MEASURES): MEASURES,
}


@pytest.mark.parametrize("complete", WITHOUT_FILES)
def test_all_names_are_completed(complete, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = sorted(WITHOUT_FILES[complete])
    assert complete("") == names
    assert complete(names[0][:3]) == [name for name in names if name.startswith(names[0][:3])]
    assert complete("no such name") == []


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "user.toml", "m.prefs.parquet", "m.npy", "data.txt", ".hidden.txt", "runs/m.npy"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("complete", "typed", "offered"),
    [
        (completion.policies, "mi", ["mine.py"]),
        (completion.users, "us", ["user.toml"]),
        (completion.studies, "us", ["user.toml"]),
        (completion.matrices, "m.", ["m.npy", "m.prefs.parquet"]),
        (completion.matrix_files, "ru", ["runs/"]),
        (completion.matrix_files, "runs/", ["runs/m.npy"]),
        (completion.problems, "da", ["data.txt"]),
        (completion.files, "", ["data.txt", "m.npy", "m.prefs.parquet", "mine.py", "runs/", "user.toml"]),
        (completion.files, ".h", [".hidden.txt"]),
        (completion.files, "absent/x", []),
        (completion.folders, "", ["runs/"]),
    ],
)
def test_files_are_completed(folder, complete, typed, offered):
    assert complete(typed) == offered


def parameters(command):
    for parameter in command.params:
        yield command, parameter
    for inner in getattr(command, "commands", {}).values():
        yield from parameters(inner)


def test_options_with_names_have_completion():
    """Every option of one of these names has completion, in all commands."""
    named = {
        "policy",
        "interleave",
        "clicks",
        "regret",
        "multileave",
        "method",
        "measure",
        "preset",
        "matrix",
    }
    lacking = {
        f"{command.name} {parameter.name}"
        for command, parameter in parameters(typer.main.get_command(app))
        if parameter.name in named and parameter._custom_shell_complete is None
    }
    assert lacking == {f"{name} policy" for name in ("next", "add", "show", "ask")}  # sessions
