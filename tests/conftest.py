"""Shared by all tests.

Compiling takes most of the time that the quick tests have, ten minutes with set-up. So they compile one or
two policies of each kind and the most used interleaving methods; those marked `compiling` do it for all.
"""

import re
import sys

import pytest
from hypothesis import settings

# The first example of a kernel's test pays for compiling it, so no deadline. Based on the settings in
# force, which Hypothesis makes repeatable when it runs in CI.
settings.register_profile("rankduel", settings(), deadline=None)
settings.load_profile("rankduel")

# Files that take a minute or so go first, so that no core is left alone with one at the end; and those
# that compile what others then find on disk go before these.
LONG = ("test_every_policy", "test_live", "test_build", "test_readme", "test_run", "test_dts")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG))


@pytest.fixture
def rankduel(monkeypatch, capsys, tmp_path):
    """Type a command at 80 columns in an empty folder; returns (exit code, output, error output).

    What was compiled is left out of the error output: it depends on what was compiled before.
    """
    from rankduel import cli  # not for the tests that type no command
    from rankduel.cli.console import screen

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(screen, "width", 80)

    def typed(*words):
        monkeypatch.setattr(sys, "argv", ["rankduel", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, re.sub(r"(?m)^compiling .*; once per installation\n", "", err)

    return typed
