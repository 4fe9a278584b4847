"""Shared by the tests of commands."""

import sys

import pytest

from rankduel import cli
from rankduel.cli.console import screen


@pytest.fixture
def rankduel(monkeypatch, capsys, tmp_path):
    """Type a command at 80 columns in an empty folder; returns (exit code, output, error output)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(screen, "width", 80)

    def typed(*words):
        monkeypatch.setattr(sys, "argv", ["rankduel", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err

    return typed
