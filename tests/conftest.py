"""Settings and fixtures of all tests.

The quick tests have a limit of five minutes, most of which is compiling. So they compile one or
two policies of each kind and the most used interleaving methods; tests marked `compiling` compile all.
"""

import re
import sys

import pytest
from hypothesis import settings
from support.permissions import take_back

# The first example of a kernel compiles it, so there is no deadline. Based on the current settings, which
# Hypothesis makes repeatable in CI.
settings.register_profile("rankduel", settings(), deadline=None)
settings.load_profile("rankduel")

# Files that take about a minute run first, so that none of them starts last. The first of these compile code
# that the others load from disk.
LONG = (
    "test_every_policy",
    "test_live",
    "test_compiling",
    "test_pages",
    "test_build",
    "test_readme",
    "test_run",
)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG))


@pytest.fixture(autouse=True)
def files_taken_back():
    """Take back the files that a test has given to another user."""
    yield
    take_back()


@pytest.fixture
def rankduel(monkeypatch, capsys, tmp_path):
    """Return a function that runs a command at 80 columns in an empty folder.

    It returns (exit code, output, error output), without messages about compiling, which depend on the cache.
    """
    from rankduel import cli  # imported here: most tests need no command
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
