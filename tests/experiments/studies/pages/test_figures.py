"""Figures and tables of studies, on made-up results."""

import pandas as pd
import pytest
from support.check_results import CLEAR, EMPTY, RCS, RUCB, verdict
from support.run_set_samples import made_up_table

from rankduel.base.errors import StudyError
from rankduel.experiments.studies.checks import Results
from rankduel.experiments.studies.pages.figures import bound_lines, draw, points_table, write_figures
from rankduel.experiments.studies.pages.markdown import as_markdown
from rankduel.experiments.studies.study import (
    Between,
    Curves,
    Measure,
    Points,
    Runs,
    Study,
    Table,
)


def test_missing_columns_are_refused():
    with pytest.raises(StudyError, match="curves 'f': the runs of 'p' have no column 'ndcg'"):
        draw(EMPTY, Curves("f", "F", "p", "ndcg"), CLEAR)
    with pytest.raises(StudyError, match="these runs have no column 'ndcg'"):
        verdict(Between(Measure("p", "rcs", "ndcg"), 0), CLEAR)


def test_points_leave_out_measures_that_a_tier_lacks():
    lines = {"a": {1: RUCB, 2: Measure("elsewhere", "rucb"), 3: RCS}}
    figure = Points("f", "t", "x", "y", lines)
    table = points_table(figure, CLEAR)
    assert table["x"].tolist() == [1, 3] and table["mean"].tolist() == [12, 5]
    assert draw(EMPTY, figure, CLEAR) is not None
    assert draw(EMPTY, figure._replace(lines={"a": {2: Measure("elsewhere", "rucb")}}), CLEAR) is None


def test_tables_name_their_stand_ins(tmp_path):
    study = Study(
        "s", "t", "s", "q", "d", (), (), tables=(Table("x", "X", lambda values: pd.DataFrame({"a": [1]})),)
    )
    (path,) = write_figures(study, CLEAR._replace(stand_ins={"p": "a stand-in"}), tmp_path)
    assert path.read_text() == "X\n\n| a |\n| --: |\n| 1 |\n\nSome parts use stand-in data: a stand-in.\n"


def test_tables_as_markdown():
    frame = pd.DataFrame({"policy": ["a|b"], "days": [5.23]})
    assert as_markdown(frame) == "| policy | days |\n| --- | --: |\n| a\\|b | 5.23 |\n"


FIGURE = Curves("f", "title", "p", y="log", bounds="limits")


STUDY = Study("s", "title", "none", "?", "", (Runs("p", "mslr5", ("rucb",), {}),), (), (FIGURE,))


def test_a_figure_draws_the_bounds_of_its_part():
    values = {
        "limits": {"rucb by Theorem 4.4 @100": 9e4, "rucb by Theorem 4.4 @10": 4e4},
        "other": {"x @1": 1.0},
    }
    results = Results({"p": made_up_table(("rucb",), 100)}, values, {})
    lines = bound_lines(FIGURE, results)
    assert lines.to_dict("list") == {
        "policy": ["rucb by Theorem 4.4"] * 2,
        "step": [10, 100],
        "mean": [4e4, 9e4],
    }
    drawn = draw(STUDY, FIGURE, results).to_json()
    assert "rucb by Theorem 4.4" in drawn and "90000" in drawn
    plain = draw(STUDY, FIGURE._replace(bounds=""), results).to_json()
    assert "Theorem" not in plain
    assert bound_lines(FIGURE, results._replace(values={})).empty
