"""Live runs of policies that compare sets of rankers, with NDCG and clicks of their pages."""

import pandas as pd
import pytest
from support import arenas

from rankduel.bandits import gaps
from rankduel.bandits.feedback import Feedback
from rankduel.base.errors import InterleaveError, RankduelError
from rankduel.experiments.runs.play import play_runs
from rankduel.experiments.runs.problem import Problem

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]


@pytest.fixture(scope="module")
def problem():
    chosen = arenas.arena()
    return Problem(arenas.exact_preferences(chosen), chosen)


def test_policies_on_sets_and_on_duels_share_a_run_set(problem, tmp_path):
    policies = ["mdb", "multi_self_sparring(m=3)", "rucb"]
    table = play_runs(problem, policies, 2000, 2, folder=tmp_path / "x")
    with_two_jobs = play_runs(problem, policies, 2000, 2, folder=tmp_path / "y", jobs=2)
    pd.testing.assert_frame_equal(table.drop(columns="seconds"), with_two_jobs.drop(columns="seconds"))
    sets = table[table["policy"] != "rucb"]
    assert sets["mean_set"].between(0, len(problem.preferences)).all() and sets["ndcg"].between(0, 1).all()
    assert (sets["clicks"] >= 0).all() and sets["weak_regret"].isna().all()
    assert (sets.groupby(["policy", "run"])["regret"].diff().dropna() >= 0).all()


def test_pages_without_clicks_change_no_set(problem):
    """Without clicks the set remains all arms, and the regret of a page is the mean loss."""
    chosen = arenas.arena(clicks="custom(p_click=0/0/0/0/0,p_stop=0/0/0/0/0)")
    without_clicks = Problem(problem.preferences, chosen)
    table = play_runs(without_clicks, ["mdb"], 500)
    matrix, last = problem.preferences.matrix, table.iloc[-1]
    assert last["mean_set"] == len(matrix) and last["clicks"] == 0
    assert last["regret"] == pytest.approx(500 * gaps(matrix).mean())


def test_methods_and_feedback_are_checked(problem):
    with pytest.raises(InterleaveError, match="sosmo"):
        play_runs(Problem(problem.preferences, problem.arena, multileave="sosmo"), ["mdb"], 10)
    with pytest.raises(RankduelError, match="mdb compares sets of arms; expected feedback without delay"):
        play_runs(Problem(problem.preferences, feedback=Feedback(5)), ["mdb"], 10)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["sosm", "team_draft", "pairwise", "probabilistic"])
def test_the_best_ranker_is_found_from_shared_pages(method, problem):
    """In 3 runs of 30,000 pages, regret per page falls below half of the mean loss of all rankers."""
    shared = Problem(problem.preferences, problem.arena, multileave=method)
    table = play_runs(shared, ["mdb"], 30_000, 3)
    regret = table[table["step"] == 30_000]["regret"].mean()
    assert regret < 0.5 * 30_000 * gaps(problem.preferences.matrix).mean()
