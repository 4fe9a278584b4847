"""Test that a new policy is one new file and no edits: it is found by name, listed, and played."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.kernel

ROOT = Path(__file__).parents[2]
NEW_ONE = '''
"""New one: duel arm 0 against all others in turn."""

from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.base.compiling import kernel


class State(NamedTuple):
    n_steps: np.ndarray  # (1,) int64
    n_arms: np.ndarray  # (1,) int64


class Params(NamedTuple):
    pass


def init(n_arms, params, rng):
    return State(np.zeros(1, np.int64), np.array([n_arms]))


@kernel
def select(state, params, rng):
    return 0, 1 + state.n_steps[0] % (state.n_arms[0] - 1)


@kernel
def update(state, params, first, second, first_won):
    state.n_steps[0] += 1


@kernel
def recommend(state, params):
    return 0


POLICY = policy_of(__name__, source="Author 2024", assumes="nothing")
'''
PLAY_IT = """
from rankduel import bandits
configured = bandits.policy("new_one")
trace = bandits.play_matrix(configured, [[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]], 100)
print(bandits.__file__, configured, trace.duels[-1].max(), trace.duels[-1].sum())
"""


@pytest.fixture
def tree(tmp_path):
    """Return a copy of the package with the file of a new policy."""
    shutil.copytree(ROOT / "rankduel", tmp_path / "rankduel", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "rankduel/bandits/policies/condorcet/new_one.py").write_text(NEW_ONE)
    return tmp_path


def printed(tree, *arguments):
    """Return the output of Python with these arguments in the folder `tree`."""
    environment = os.environ | {"PYTHONPATH": str(tree), "COLUMNS": "80"}
    result = subprocess.run(
        [sys.executable, *arguments], cwd=tree, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_one_file_is_a_policy(tree):
    where, name, most, all_duels = printed(tree, "-c", PLAY_IT).split()
    assert Path(where).parents[2] == tree and (name, most, all_duels) == ("new_one", "100", "200")
    listed = json.loads(printed(tree, "-m", "rankduel", "policies", "--json"))
    family = [policy["name"] for policy in listed if policy["family"] == "Condorcet winner"]
    assert family == sorted(family) and "new_one" in family
    shown = printed(tree, "-m", "rankduel", "policies")
    assert "Duel arm 0 against all others in turn." in shown and "Author 2024" in shown
    words = ("run", "arxiv6", "--policy", "new_one", "--horizon", "100", "--runs", "2", "--jobs", "1")
    assert "new_one" in printed(tree, "-m", "rankduel", *words)
