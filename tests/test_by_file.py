"""Test that long suites run file by file and resume after a stop."""

import by_file
import pytest

GOOD = "import pytest\n\n@pytest.mark.slow\ndef test_good():\n    pass\n"
BAD = GOOD.replace("pass", "assert {} == 1")
CONFIG = "[pytest]\nmarkers = slow\n"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A project of two files of tests, the second of which fails."""
    (tmp_path / "pytest.ini").write_text(CONFIG)
    (tmp_path / "test_a.py").write_text(GOOD)
    (tmp_path / "test_b.py").write_text(BAD.format(0))
    (tmp_path / "test_c.py").write_text("def test_unmarked():\n    assert False\n")
    monkeypatch.setattr(by_file, "ROOT", tmp_path)
    monkeypatch.setattr(by_file, "_state_of_tree", lambda marks, settings: "one state")
    return tmp_path


def test_files_that_passed_do_not_run_again(tree, capsys):
    assert by_file.main("long", "slow") == 1
    first = capsys.readouterr().out
    assert "long: 2 files, 0 passed before" in first and first.endswith("1 passed, 1 failed, 0 skipped\n")
    assert "FAILED test_b.py: 1 failed" in first and "assert 0 == 1" in first
    (tree / "test_b.py").write_text(BAD.format(1))
    assert by_file.main("long", "slow") == 0
    second = capsys.readouterr().out
    assert "long: 2 files, 1 passed before" in second and second.endswith("2 passed, 0 failed, 0 skipped\n")
    assert "[1/1] passed test_b.py: 1 passed" in second and "test_a.py: 1 passed" not in second


def test_all_files_run_again_after_an_edit(tree, capsys, monkeypatch):
    by_file.main("long", "slow")
    monkeypatch.setattr(by_file, "_state_of_tree", lambda marks, settings: "another state")
    capsys.readouterr()
    assert by_file.main("long", "slow") == 1
    assert "long: 2 files, 0 passed before" in capsys.readouterr().out


def test_a_file_that_cannot_be_read_fails_at_once(tree):
    (tree / "test_a.py").write_text("import nothing_of_this_name\n")
    with pytest.raises(SystemExit, match="nothing_of_this_name"):
        by_file.main("long", "slow")


def test_variables_reach_the_tests(tree):
    (tree / "test_b.py").write_text(
        "import os, pytest\n\n@pytest.mark.slow\ndef test_b():\n    assert os.environ['NAME'] == 'value'\n"
    )
    assert by_file.main("long", "slow", "NAME=value") == 0
