"""What the documentation names exists, and what its guides show happens."""

import importlib
import re
from pathlib import Path

import pytest
from test_readme import blocks, run_block

ROOT = Path(__file__).parents[1]
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^\| (\d+) \| `([\w.]+)` \|", ARCHITECTURE, re.MULTILINE)
NAMED = re.findall(
    r"`((?:rankduel|letor_data|clickmodels|interleave|bandits|experiments)\.[\w.]+)`", ARCHITECTURE
)
GUIDES = ("your_own_rankers.md",)
PATHS = re.findall(r"`((?:[a-z_]+/)+)[A-Z]+", ARCHITECTURE)


def resolved(dotted):
    """The module, function or method with this dotted name."""
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for name in parts[end:]:
            value = getattr(value, name)
        return value
    raise ModuleNotFoundError(dotted)


def test_a_duel_takes_at_most_twelve_functions():
    assert [int(number) for number, _ in STEPS] == list(range(1, len(STEPS) + 1))
    assert 8 <= len(STEPS) <= 12


@pytest.mark.parametrize("name", sorted(set(NAMED)))
def test_every_name_exists(name):
    assert resolved(name) is not None


@pytest.mark.parametrize("folder", sorted(set(PATHS)))
def test_every_folder_exists(folder):
    assert (ROOT / folder).is_dir()


@pytest.mark.parametrize("guide", GUIDES)
def test_what_a_guide_shows_happens(guide, tmp_path):
    for block in blocks((ROOT / "docs" / guide).read_text(encoding="utf-8")):
        run_block(block, tmp_path)


def test_a_name_that_does_not_exist_is_noticed():
    with pytest.raises(AttributeError):
        resolved("bandits.loop.no_such_function")
