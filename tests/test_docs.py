"""What the documentation names exists, and what its pages show happens."""

import importlib
import re
from pathlib import Path

import pytest
from support.shown import blocks_of, problem_with, run_block, runs

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = {
    str(path.relative_to(DOCS)): blocks_of(path)
    for path in sorted(DOCS.rglob("*.md"))
    if "_build" not in path.parts and "generated" not in path.parts
}
ARCHITECTURE = (DOCS / "explanation" / "architecture.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^\| (\d+) \| `([\w.]+)` \|", ARCHITECTURE, re.MULTILINE)
NAMED = re.findall(
    r"`((?:rankduel|letor_data|clickmodels|interleave|bandits|experiments)\.[\w.]+)`", ARCHITECTURE
)
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


@pytest.mark.parametrize(
    "page", [name for name, found in PAGES.items() if any(runs(b) and b.mark != "slow" for b in found)]
)
def test_what_a_page_shows_happens(page, tmp_path):
    for block in PAGES[page]:
        if block.mark != "slow":
            run_block(block, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [name for name, found in PAGES.items() if any(runs(b) and b.mark == "slow" for b in found)]
)
def test_what_a_page_shows_happens_in_full(page, tmp_path):
    for block in PAGES[page]:
        run_block(block, tmp_path)


@pytest.mark.parametrize("page", PAGES)
def test_no_block_can_go_stale_unnoticed(page):
    assert [(block.line, problem_with(block)) for block in PAGES[page] if problem_with(block)] == []


def test_a_name_that_does_not_exist_is_noticed():
    with pytest.raises(AttributeError):
        resolved("bandits.loop.no_such_function")
