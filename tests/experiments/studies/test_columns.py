"""A study keeps the columns that its checks and figures use, and records have all."""

import pytest

import rankduel
from rankduel.experiments.studies.play import check, columns_used, play_study
from rankduel.experiments.studies.study import (
    WRONG,
    Between,
    Bubbles,
    Check,
    Computed,
    Curves,
    Measure,
    Points,
    Runs,
    Size,
    Study,
)


def runs(name):
    return Runs(name, "cyclic", ["random_pair"], {"quick": Size(20, 2)})


def between(measure):
    return Check(measure.part, "a claim", Between(measure, 0, 1e9))


STUDY = Study(
    "s", "t", "s", "q", "d",
    parts=(
        *map(runs, ["measured", "wrong", "drawn", "beside", "points", "bubbles", "unused", "read"]),
        Computed("computed", lambda inputs: {"one": 1.0}, after=("read",), cached=False),
    ),
    checks=(
        between(Measure("measured", "random_pair", "weak_regret")),
        between(Measure("wrong", "random_pair", WRONG)),
        between(Measure("read", "random_pair", "weak_regret")),
    ),
    figures=(
        Curves("curves", "c", "drawn", "rounds", beside=("beside",)),
        Points("lines", "p", "x", "y", {"a": {1.0: Measure("points", "random_pair", "survivors")}}),
        Bubbles("areas", "b", "x", "y", {1: {1.0: Measure("bubbles", "random_pair", "answers")}}),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("part", "columns"),
    [
        ("measured", {"weak_regret"}),
        ("wrong", set()),
        ("drawn", {"rounds"}),
        ("beside", {"rounds"}),
        ("points", {"survivors"}),
        ("bubbles", {"answers"}),
        ("unused", set()),
    ],
)
def test_columns_of_checks_and_figures(part, columns):
    assert columns_used(STUDY, part) == {"correct"} | columns


def test_a_computed_part_reads_all_columns():
    assert columns_used(STUDY, "read") is None


@pytest.mark.kernel
def test_tables_have_the_columns_that_are_used_and_records_have_all(tmp_path):
    played = play_study(STUDY, "quick", tmp_path)
    again = play_study(STUDY, "quick", tmp_path)  # from the records
    for found in (played, again):
        names = ["policy", "run", "step", "weak_regret", "correct", "seconds"]
        assert list(found.tables["measured"].columns) == names
        assert {"regret", "recommended", "rounds"} < set(found.tables["read"].columns)
        assert {record.verdict for record in check(STUDY, "quick", tmp_path, found)} == {"holds"}
    assert "regret" in rankduel.load_records(tmp_path / "s-quick" / "measured")
