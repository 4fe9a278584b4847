"""Every command that has --scheduler is in the guide, and in the tests on a cluster."""

from pathlib import Path

import pytest
import typer
from support.cluster_commands import COMMANDS

from rankduel.cli import app

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "many_machines.md"


def commands_with(option, command, words=()):
    """Yield the words of every command below `command` that has this option."""
    for name, one in getattr(command, "commands", {}).items():
        yield from commands_with(option, one, (*words, name))
    if any(option in parameter.opts for parameter in command.params):
        yield " ".join(words)


def test_every_command_with_a_scheduler_is_tested():
    assert sorted(commands_with("--scheduler", typer.main.get_command(app))) == sorted(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_guide_names_every_command_with_a_scheduler(command):
    assert f"`{command}`" in GUIDE.read_text(encoding="utf-8").replace(" --subsets`", "`")
