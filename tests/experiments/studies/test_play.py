"""Playing of studies made in Python: cached values, stand-ins, and names of files."""

import dataclasses

import pytest
from support.check_results import CLEAR

from rankduel.base.errors import StudyError
from rankduel.experiments.studies import play as play_module
from rankduel.experiments.studies.pages.figures import write_figures
from rankduel.experiments.studies.play import play_study
from rankduel.experiments.studies.study import Computed, Curves, Inputs, Runs, Size, Study


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


def test_values_are_computed_again_for_a_new_version_only(tmp_path, monkeypatch):
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
    monkeypatch.setattr(play_module, "NUMBERS", play_module.NUMBERS + 1)  # the same seed has other runs
    assert [play(1), play(1)] == [4, 4]
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
