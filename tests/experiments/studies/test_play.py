"""Playing of studies made in Python: cached values, stand-ins, and names of files."""

import dataclasses

import pytest
from support.check_results import CLEAR

import rankduel
from rankduel.base.errors import StudyError
from rankduel.experiments.studies.pages.figures import write_figures
from rankduel.experiments.studies.play import check, columns_used, count_runs, parts_to_play, play_study
from rankduel.experiments.studies.study import (
    WRONG,
    Between,
    Bubbles,
    Check,
    Computed,
    Curves,
    Inputs,
    Measure,
    Points,
    Runs,
    Size,
    Study,
)


def test_computed_values_are_cached_and_inherit_stand_ins(tmp_path):
    calls = []

    def size(inputs):
        calls.append("size")
        return {"arms": len(inputs.preferences), "runs": inputs.size.runs}

    def mean(inputs: Inputs):
        (table,) = inputs.tables.values()
        return {"mean": table["regret"].mean()}

    study = Study(
        "s", "t", "s", "q", "d",
        parts=(
            Computed("size", size, "cyclic", sizes={"quick": Size(1, 7)}),
            Runs("r", "mslr-perfect(random=3,seed=0)", ["random_pair"], {"quick": Size(10, 2)}),
            Computed("mean", mean, after=("r",), cached=False),
        ),
        checks=(),
    )  # fmt: skip
    for _ in range(2):
        found = play_study(study, "quick", tmp_path)
    assert found.values["size"] == {"arms": 4, "runs": 7} and calls == ["size"]
    assert found.stand_ins["mean"] == found.stand_ins["r"] != ""
    cache = tmp_path / "s-quick" / "size.values.json"
    whole = cache.read_text()
    for damaged in (
        "{",
        "[]",
        "[" * 20_000,
        "\xff",
        whole.replace("4.0", "5.0"),
        whole.replace("arms", "legs"),
    ):
        cache.write_text(damaged, "latin-1")  # computed again
        assert play_study(study, "quick", tmp_path).values == found.values
        assert cache.read_text() == whole


def test_values_are_computed_again_for_a_new_version_only(tmp_path):
    calls = []

    def size(inputs):
        calls.append("size")
        return {"arms": len(inputs.preferences)}

    def play(version, make=size):
        part = Computed("size", make, "cyclic", sizes={"quick": Size(1, 1)}, version=version)
        found = play_study(Study("s", "t", "s", "q", "d", (part,), ()), "quick", tmp_path).values
        assert found == {"size": {"arms": 4}}
        return len(calls)

    assert [play(1), play(1), play(1, lambda inputs: {"arms": 5})] == [1, 1, 1]  # whatever the code
    assert [play(2), play(2)] == [2, 2]
    assert [play(1), play(1)] == [3, 3]  # an older version as well
    assert float((tmp_path / "s-quick" / "_size.seconds").read_text()) > 0


@pytest.mark.parametrize("name", ["../esc", "/tmp/esc", "a/b", "a\\b"])
def test_names_do_not_leave_their_folder(name, tmp_path):
    """The names of a study made in Python are not validated when it is made."""
    runs = Runs("r", "cyclic", ["random_pair"], {"quick": Size(10, 1)})
    study = Study("s", "t", "s", "q", "d", (runs,), (), figures=(Curves(name, "f", "p"),))
    for changed in ({"id": name}, {"parts": (dataclasses.replace(runs, name=name),)}):
        with pytest.raises(StudyError, match="cannot be the name of a file"):
            play_study(dataclasses.replace(study, **changed), "quick", tmp_path)
    with pytest.raises(StudyError, match="cannot be the name of a file"):
        write_figures(study, CLEAR, tmp_path)


ONE = {"quick": Size(100, 3)}


def no_values(inputs):
    return {}


MIXED = Study(
    id="mixed",
    title="Some data are there",
    source="none",
    question="Which parts?",
    data="",
    parts=(
        Runs("built-in", "cycle", ("savage", "random_pair"), ONE),
        Runs("absent", "mslr-perfect", ("savage",), ONE),
        Computed("from-built-in", no_values, after=("built-in",)),
        Computed("from-both", no_values, after=("built-in", "absent")),
        Computed("from-that", no_values, after=("from-both",)),
        Computed("of-documents", no_values, "letor(rankers=1-5)"),
        Computed("of-nothing", no_values),
    ),
    checks=(),
)


def test_with_real_parts_that_need_stand_ins_are_left_out():
    chosen = parts_to_play(MIXED, "quick", None, real=True)
    assert [part.name for part, _ in chosen] == ["built-in", "from-built-in", "of-nothing"]
    assert count_runs(chosen) == 2 * 3 + 1 + 1


def test_a_part_is_real_if_its_file_exists(tmp_path):
    (tmp_path / "mslr_perfect.txt").touch()
    chosen = parts_to_play(MIXED, "quick", tmp_path, real=True)
    assert [part.name for part, _ in chosen] == [
        part.name for part in MIXED.parts if part.name != "of-documents"
    ]


def test_without_real_all_parts_are_played():
    assert len(parts_to_play(MIXED, "quick", None, real=False)) == len(MIXED.parts)


def runs(name):
    return Runs(name, "cyclic", ["random_pair"], {"quick": Size(20, 2)})


def between(measure):
    return Check(measure.part, "a claim", Between(measure, 0, 1e9))


COLUMNS_STUDY = Study(
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
    assert columns_used(COLUMNS_STUDY, part) == {"correct"} | columns


def test_a_computed_part_reads_all_columns():
    assert columns_used(COLUMNS_STUDY, "read") is None


@pytest.mark.kernel
def test_tables_have_the_columns_that_are_used_and_records_have_all(tmp_path):
    played = play_study(COLUMNS_STUDY, "quick", tmp_path)
    again = play_study(COLUMNS_STUDY, "quick", tmp_path)  # from the records
    for found in (played, again):
        names = ["policy", "run", "step", "weak_regret", "correct", "seconds"]
        assert list(found.tables["measured"].columns) == names
        assert {"regret", "recommended", "rounds"} < set(found.tables["read"].columns)
        assert {record.verdict for record in check(COLUMNS_STUDY, "quick", tmp_path, found)} == {"holds"}
    assert "regret" in rankduel.load_records(tmp_path / "s-quick" / "measured")
