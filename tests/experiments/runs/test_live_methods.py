"""Live runs with every interleaving method, including methods that call Python."""

import pytest
from support import arenas

from rankduel.experiments.runs.play import play_runs
from rankduel.experiments.runs.problem import Problem
from rankduel.interleave import METHODS

pytestmark = pytest.mark.kernel
QUICK = ("optimized", "team_draft")


@pytest.mark.parametrize(
    "method",
    [pytest.param(name, marks=[] if name in QUICK else pytest.mark.compiling) for name in METHODS],
)
def test_a_policy_is_played_live(method):
    preferences = arenas.exact_preferences(arenas.arena())
    problem = Problem(preferences, arenas.arena(interleave=method))
    table = play_runs(problem, ["random_pair"], 30, 2)
    last = table[table["step"] == 30]
    assert len(last) == 2 and last["ndcg"].between(0, 1).all() and (last["clicks"] > 0).any()
