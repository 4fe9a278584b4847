"""Test the error messages for wrong policies for sets of arms, compiled and plain."""

import numpy as np
import pytest

from rankduel.base.errors import PolicyError
from rankduel.experiments.runs.play import play_runs

pytestmark = pytest.mark.kernel
OWN = """
from typing import NamedTuple
import numba
import numpy as np
from rankduel.bandits.contract import policy_of

class Params(NamedTuple):
    pass

class State(NamedTuple):
    n: np.ndarray

{jit}
def init(n_arms, params, rng):
    return State(np.zeros(1))

{jit}
def select(state, params, arms, copies, rng):
    arms[0], arms[1], copies[0], copies[1] = 0, {arm}, 1, {copies}
    return {n}

{jit}
def update(state, params, arms, n, won):
    {update}

{jit}
def recommend(state, params):
    return {answer}

POLICY = policy_of(__name__, sets=True)
"""
FINE = {"arm": 1, "copies": 1, "n": 2, "update": "pass", "answer": 0}


@pytest.mark.filterwarnings("ignore::rankduel.base.errors.PolicyNotice")
@pytest.mark.parametrize("jit", ["@numba.njit", ""], ids=["jitted", "plain"])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"arm": 7},
            r"step 1: select returned 2 with arms \[0, 7\] and copies \[1, 1\]; expected 1 to 3 arms",
        ),
        ({"copies": 0}, r"with arms \[0, 1\] and copies \[1, 0\]"),
        ({"n": 9}, "step 1: select returned 9 with arms"),
        ({"n": 0}, "step 1: select returned 0 with arms"),
        ({"answer": 3}, "step 1: recommend returned 3; expected an arm from 0 to 2"),
        (
            {"update": "raise ValueError('no')"},
            r"step 1: update raised ValueError: no\n.*mine.py, line 24, in update\n    raise ValueError",
        ),
    ],
)
def test_message_names_policy_step_and_value(tmp_path, jit, wrong, message):
    (tmp_path / "mine.py").write_text(OWN.format(jit=jit, **(FINE | wrong)))
    with pytest.raises(PolicyError, match=message):
        play_runs(np.full((3, 3), 0.5), [str(tmp_path / "mine.py")], 10, 1, checkpoints=1)
