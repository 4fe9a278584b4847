"""Live runs without measured pages: the same distribution of winners, without NDCG and clicks."""

import pytest
from support import arenas

from rankduel.base.errors import RecordsError, UsageError
from rankduel.experiments.report.charts.styles import line_styles
from rankduel.experiments.report.run_set import run_set_section
from rankduel.experiments.runs.play import play_runs
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.runs.run_set import read_run_set


def problem_with(measure):
    chosen = arenas.arena()
    return Problem(arenas.exact_preferences(chosen), chosen, measure=measure)


def test_unmeasured_pages_have_no_columns(tmp_path):
    table = play_runs(problem_with("none"), ["rucb"], 300, 2, folder=tmp_path / "set")
    assert not {"ndcg", "clicks"} & set(table.columns)
    assert table["regret"].notna().all() and table["step"].max() == 300
    section = run_set_section("set", read_run_set(tmp_path / "set"), line_styles(["rucb"]))
    assert "NDCG and clicks of the pages were not measured" in section.body


def test_measured_pages_are_the_default(tmp_path):
    table = play_runs(problem_with("page"), ["rucb"], 300, 1, folder=tmp_path / "set")
    assert {"ndcg", "clicks"} <= set(table.columns)
    assert problem_with("page").settings["arena"]["measure"] == "page"
    assert (
        "not measured"
        not in run_set_section("set", read_run_set(tmp_path / "set"), line_styles(["rucb"])).body
    )


def test_a_run_set_has_one_measure(tmp_path):
    play_runs(problem_with("page"), ["rucb"], 100, 1, folder=tmp_path / "set")
    with pytest.raises(RecordsError, match=r"arena.measure is page there and none now"):
        play_runs(problem_with("none"), ["rucb"], 100, 1, folder=tmp_path / "set")


def test_an_unknown_measure_is_refused():
    with pytest.raises(UsageError, match="'pages'.*did you mean 'page'"):
        problem_with("pages")
