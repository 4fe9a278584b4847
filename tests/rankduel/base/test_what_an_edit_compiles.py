"""Test that an edit of a kernel recompiles only the functions that reach it, in all packages."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiling

ROOT = Path(__file__).parents[3]
# Runs short jobs of every kind, and prints the names of the compiled functions.
PLAY = """
import logging
import numpy as np
message = []
class Lines(logging.Handler):
    def emit(self, record):
        message.append(record.getMessage().split()[1].rstrip(",;"))
log = logging.getLogger("rankduel.compiling")
log.addHandler(Lines())
log.setLevel(logging.DEBUG)
from rankduel import bandits
import rankduel
prefs = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]]
for name in ("rucb", "savage"):
    bandits.play_matrix(bandits.policy(name), prefs, 10)
data = rankduel.read_data("data.txt", cache=False)
arena = rankduel.open_arena(data, interleave="team_draft", length=2)
rankduel.play_duels(arena, arena.rankings.names[0], arena.rankings.names[1], 10)
for simulate in (True, False):
    rankduel.build_matrix(data, interleave="team_draft", length=2, duels=8, simulate=simulate, jobs=1)
print(bandits.__file__, *sorted(set(message)))
"""
DATA = "".join(f"{row % 3} qid:{row // 3} 1:{row % 5} 2:{row % 4} 3:{row}\n" for row in range(12))


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Return a copy of the package in which everything that `PLAY` needs is compiled."""
    folder = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "rankduel", folder / "rankduel", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "data.txt").write_text(DATA)
    first = compiled(folder)
    assert {"rucb", "savage"} <= first and len(first) > 8
    assert compiled(folder) == set()
    return folder


def compiled(tree):
    """Run `PLAY` in a new process, and return the names of the functions that it compiles."""
    environment = os.environ | {"PYTHONPATH": str(tree), "RANKDUEL_CACHE": str(tree / "cache")}
    ended = subprocess.run(
        [sys.executable, "-c", PLAY], cwd=tree, env=environment, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    where, *names = ended.stdout.split()
    assert Path(where).parents[2] == tree
    return set(names)


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        pytest.param(
            "rankduel/bandits/parts/picks.py", "rng.random() * n", "n * rng.random()", {"rucb"}, id="bandits"
        ),
        pytest.param(
            "rankduel/interleave/world.py",
            "if world.page[DOC, rank] == doc:",
            "if doc == world.page[DOC, rank]:",
            {"duel_counts.count", "kernels.duel_sums"},
            id="interleave",
        ),
        pytest.param(
            "rankduel/letor_data/text/tokenizer.py",
            "byte == _SPACE or byte == _LF or",
            "byte == _LF or byte == _SPACE or",
            {"tokenizer._tokenize"},
            id="letor_data",
        ),
        pytest.param(
            "rankduel/letor_data/ties.py",
            "        size = ties[rank] + 1",
            "        size = 1 + ties[rank]",
            {"kernels.team_draft_sums"},
            id="letor_data, reached from experiments",
        ),
        pytest.param(
            "rankduel/experiments/matrix/kernels.py",
            "value = odds[WIN] + odds[TIE] / 2.0",
            "value = odds[TIE] / 2.0 + odds[WIN]",
            {"kernels.team_draft_sums"},
            id="experiments",
        ),
    ],
)
def test_an_edit_recompiles_only_the_functions_that_reach_it(tree, file, old, new, expected):
    path = tree / file
    text = path.read_text()
    assert text.count(old) == 1
    try:
        path.write_text(text.replace(old, new))
        assert compiled(tree) == expected
    finally:
        path.write_text(text)
