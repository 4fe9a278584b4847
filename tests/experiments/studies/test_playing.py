"""Playing of studies made in Python: cached values, stand-ins, and names of files."""

import dataclasses

import pytest
from support.check_results import CLEAR

from rankduel.base.errors import StudyError
from rankduel.experiments.studies.figures import write_figures
from rankduel.experiments.studies.playing import play_study
from rankduel.experiments.studies.study import Computed, Curves, Inputs, Runs, Size, Study


def test_computed_values_are_cached_and_inherit_stand_ins(tmp_path):
    calls = tmp_path / "calls"  # a list would be data that the function reaches, and part of its version

    def size(inputs):
        calls.write_text(calls.read_text() + "size ")
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
    calls.write_text("")
    for _ in range(2):
        found = play_study(study, "quick", tmp_path)
    assert found.values["size"] == {"arms": 4, "runs": 7} and calls.read_text() == "size "
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
