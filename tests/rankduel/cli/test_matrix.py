"""Test the command `rankduel matrix`."""

import io
import time
import weakref

import pytest
import typer
from rich.console import Console
from support.helpers import words
from typer.testing import CliRunner

from rankduel.base.errors import DataError, InterleaveError, UsageError
from rankduel.cli import console
from rankduel.cli import matrix as matrix_commands
from rankduel.cli.options import DuelOptions
from rankduel.experiments.matrix.build import BuildStatus
from rankduel.experiments.matrix.preferences import read_preferences
from rankduel.letor_data.synthetic.generate import shape, synthesize
from rankduel.letor_data.text.writer import write_letor

pytestmark = pytest.mark.kernel

TEAM_DRAFT = ("--interleave", "team_draft", "--rankers", "110,115,96")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "mslr.txt"
    write_letor(synthesize(shape("small", queries=30)), path)
    return path


@pytest.fixture
def matrix(data, capsys, monkeypatch):
    """Return a function that runs the command with the given words and returns its output."""
    app = typer.Typer()
    app.add_typer(matrix_commands.app, name="matrix")
    app.command("other")(lambda: None)
    monkeypatch.setattr(console.screen, "width", 200)

    def run(*typed):
        result = CliRunner().invoke(app, ["matrix", *map(str, typed)])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output + capsys.readouterr().out

    return run


def test_a_matrix_from_a_file(matrix, data, tmp_path):
    output = tmp_path / "three.prefs.parquet"
    code, out = matrix(data, "-o", output, *TEAM_DRAFT, "--clicks", "perfect")
    assert code == 0
    text = words(out)
    assert "3 rankers, 30 queries: 3 pairs in" in text
    assert (
        "team_draft, perfect user: 2 pairs estimated from simulated pages, 1 pair exact (95% interval: "
        in text
    )
    assert "undecided (interval contains 1/2): " in text
    assert f"wrote {output} (" in text and f"next: rankduel winners {output}" in text
    made = read_preferences(output)
    assert made.names == ("110", "115", "96")
    assert made.settings["interleave"] == "team_draft" and made.settings["clicks"] == "perfect"
    assert made.settings["data_digest"] and made.settings["seed"] == 0
    assert list(tmp_path.iterdir()) == [output]


def test_the_word_build_is_optional(matrix, data, tmp_path):
    short, said = tmp_path / "short.prefs.parquet", tmp_path / "said.prefs.parquet"
    assert matrix("-o", short, data, *TEAM_DRAFT, "--jobs", "1")[0] == 0
    assert matrix("build", data, "-o", said, *TEAM_DRAFT)[0] == 0
    assert short.read_bytes() == said.read_bytes()


def test_matrices_can_be_written_as_npy_and_text(matrix, data, tmp_path):
    for name in ("plain.npy", "plain.txt"):
        assert matrix(data, "-o", tmp_path / name, *TEAM_DRAFT)[0] == 0
        assert read_preferences(tmp_path / name).matrix.shape == (3, 3)


def test_targets_are_passed_to_the_matrix(matrix, data, tmp_path):
    output = tmp_path / "targets.prefs.parquet"
    targets = ("--decide", "0.1", "--precision", "0.05", "--duels", "300", "--seed", "5", "--simulate")
    code, out = matrix(data, "-o", output, *TEAM_DRAFT, *targets, "--prior", "lerot")
    made = read_preferences(output)
    assert code == 0 and "3 pairs estimated from simulated duels" in out
    expected = {"decide": 0.1, "precision": 0.05, "duels": 300, "seed": 5, "prior": "lerot"}
    assert expected.items() <= made.settings.items()
    assert (made.pairs["method"] == "simulated").all() and (made.pairs["n"] == 300).all()


@pytest.mark.parametrize("typed", [["--help"], ["build", "--help"], ["show", "--help"], []])
def test_help_of_matrix_and_its_commands(matrix, typed):
    _, out = matrix(*typed)
    assert "Usage" in out and ("--decide" in out) == (typed[:1] == ["build"])
    if typed in ([], ["--help"]):
        assert "build" in out and "show" in out


def test_a_built_matrix_can_be_shown(matrix, data, tmp_path):
    output = tmp_path / "shown.prefs.parquet"
    matrix(data, "-o", output, *TEAM_DRAFT)
    code, out = matrix("show", output)
    assert code == 0 and "110" in out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere/p.prefs.parquet", "there is no folder"),
        ("p.prefs", "the name must end in .prefs.parquet, or in .npy or .txt"),
        ("there.txt", "exists already"),
        ("folder.npy", "is a folder"),
    ],
)
def test_wrong_outputs_are_errors_before_data_are_read(matrix, tmp_path, name, message):
    (tmp_path / "there.txt").write_text("here")
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(DataError, match=message):
        matrix(tmp_path / "no such data.txt", "-o", tmp_path / name)


def test_a_folder_without_permission_is_an_error(matrix, tmp_path, monkeypatch):
    monkeypatch.setattr(matrix_commands.os, "access", lambda path, mode: False)
    with pytest.raises(DataError, match="no permission to write to the folder"):
        matrix("data.txt", "-o", tmp_path / "p.prefs.parquet")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (
            ["--duels", str(10**21)],
            "duels is 1000000000000000000000; expected a whole number from 1 to 1,000,000,",
        ),
        (["--duels", "0"], "duels is 0; expected a whole number from 1 to 1,000,000,000,000"),
        (["--seed", "-1"], "the seed is -1; expected a whole number from 0"),
        (["--jobs", "0"], "jobs is 0; expected a whole number from 1 to 1,024"),
        (["--jobs", "100000"], "jobs is 100000; expected a whole number from 1 to 1,024"),
        (["--rankers", "1-9999999999"], "rankers '1-9999999999' are more than 1,000,000"),
        (["--rankers", "1-600000,1-600000"], "rankers '1-600000' are more than 1,000,000"),
        (["--multileave", "sosm", "--seed", "-1"], "the seed is -1; expected a whole number from 0"),
        (["--multileave", "sosm", "--jobs", "0"], "jobs is 0; expected"),
    ],
)
def test_numbers_out_of_range_are_errors(matrix, data, tmp_path, typed, message):
    with pytest.raises(UsageError) as refused:
        matrix(data, "-o", tmp_path / "p.npy", *typed)
    assert message in str(refused.value) and list(tmp_path.iterdir()) == []


def test_force_replaces_the_file(matrix, data, tmp_path):
    output = tmp_path / "there.txt"
    output.write_text("here")
    assert matrix(data, "-o", output, *TEAM_DRAFT, "--force")[0] == 0
    assert len(read_preferences(output)) == 3


def test_an_unknown_method_is_an_error(matrix, data, tmp_path):
    with pytest.raises(InterleaveError, match="did you mean 'team_draft'"):
        matrix(data, "-o", tmp_path / "p.npy", "--interleave", "team_drafts")


def test_the_progress_bar_shows_rate_and_decided_pairs(monkeypatch):
    terminal = Console(file=io.StringIO(), force_terminal=True, width=140)
    monkeypatch.setattr(console, "errors", terminal)
    with console.watching() as watch:
        for done in (1000, 2000, 3000, 4000):
            watch.matrix(BuildStatus(done, 10_000, 7, 10))
            time.sleep(0.01)
    shown = terminal.file.getvalue()
    assert "7 of 10 pairs decided" in shown and "pairs/s" in shown and "40%" in shown


def test_the_features_are_released_before_the_last_matrix_is_computed():
    methods = ["team_draft", "balanced"]
    outputs = dict(zip(methods, DuelOptions(interleave=methods, rankers="110,115").each().values()))
    letor = synthesize(shape("small", queries=5))
    released = weakref.ref(letor)
    arenas = matrix_commands._arenas(letor, outputs)
    del letor
    found = [(name, str(arena.interleaving), released() is None) for name, arena in arenas]
    assert found == [("team_draft", "team_draft", False), ("balanced", "balanced", True)]
