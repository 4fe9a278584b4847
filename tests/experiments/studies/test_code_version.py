"""The version of the code of a computed part: what changes it, what does not, and what a change does."""

import functools
import importlib
import sys

import pytest

from rankduel.experiments.studies import all_studies, code_version
from rankduel.experiments.studies.playing import play_study
from rankduel.experiments.studies.study import Computed, Size, Study

HELPER = """
def half(x):
    return x / 2
"""
STUDY = '''"""A study."""
from typing import NamedTuple
import numpy as np
from mine.helper import half

POLICIES = ("savage", "scb(variant=paper)")
FACTORS = {"a": 2.0, "b": [3, 4]}
CLAIM = "a claim"

class Row(NamedTuple):
    size: int
    note: str = ""

    def double(self):
        return self.size * 2

def scaled(inputs, row=Row(3)):
    """Return numbers."""
    # A comment.
    def inner(x):
        return x + 1
    return {"x": half(inner(FACTORS["a"])) + len(POLICIES) + row.double() + np.sqrt(4)}

def figure():
    return 1

def check_of(inputs):
    return CLAIM
'''


@pytest.fixture
def version(tmp_path, monkeypatch):
    """Return a function that writes a package with these sources, and returns the version of `scaled`."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "mine").mkdir()

    def write_and_load(study=STUDY, helper=HELPER, get=lambda module: module.scaled):
        for name, text in {"__init__": "", "helper": helper, "study": study}.items():
            (tmp_path / "mine" / f"{name}.py").write_text(text)
        for name in [name for name in sys.modules if name.partition(".")[0] == "mine"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        return code_version.code_version(get(importlib.import_module("mine.study")), "mine")

    yield write_and_load
    for name in [name for name in sys.modules if name.partition(".")[0] == "mine"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Return numbers."""', '"""Return other words."""'),
        ("# A comment.", "# Another one.\n\n"),
        ('CLAIM = "a claim"', 'CLAIM = "another claim"'),
        ("def figure():\n    return 1", "def figure():\n    return 2"),
        ("import numpy as np", "import numpy as np\nimport math\nEXTRA = math.pi"),
    ],
)
def test_unrelated_edits_do_not_change_the_version(version, old, new):
    assert old in STUDY
    assert version(STUDY.replace(old, new)) == version()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return x + 1", "return x + 2"),
        ('"a": 2.0', '"a": 2.5'),
        ("[3, 4]", "[3, 5]"),
        ("Row(3)", "Row(4)"),
        ("self.size * 2", "self.size * 3"),
        ("np.sqrt(4)", "np.exp(4)"),
        ("savage", "rucb"),
        ("variant=paper", "variant=other"),
    ],
)
def test_edits_of_what_is_computed_change_the_version(version, old, new):
    assert old in STUDY
    assert version(STUDY.replace(old, new)) != version()


def test_an_edit_of_a_helper_in_another_file_changes_the_version(version):
    assert version(helper=HELPER.replace("/ 2", "/ 3")) != version()
    assert version(helper=HELPER + "\ndef other():\n    pass\n") == version()


def test_arguments_of_a_partial_function_are_part_of_the_version(version):
    versions = {
        version(get=lambda module, size=size: functools.partial(module.scaled, row=module.Row(size)))
        for size in (3, 4, 4)
    }
    assert len(versions) == 2


def test_the_code_of_a_policy_is_part_of_the_version(version, monkeypatch):
    before = version()
    monkeypatch.setattr(code_version, "_policy_code", lambda text: "edited" if text == "savage" else "")
    one = version()
    monkeypatch.setattr(code_version, "_policy_code", lambda text: "edited again" if text == "savage" else "")
    assert len({before, one, version()}) == 3


def test_policies_are_recognised_by_their_names():
    code = code_version._policy_code
    assert code("scb") == code("scb(variant=paper)") == code("scb(alpha=") != code("ccb") != ""
    assert code("a claim about scb") == code("no_such_policy") == code("") == ""


def test_a_change_of_the_numbers_changes_the_version(version, monkeypatch):
    before = version()
    monkeypatch.setattr(code_version, "NUMBERS", code_version.NUMBERS + 1)
    assert version() != before


def test_every_cached_part_has_a_version():
    parts = [part for study in all_studies().values() for part in study.parts if isinstance(part, Computed)]
    for part in parts:
        assert len(code_version.code_version(part.make)) == 16


def test_values_of_an_older_version_are_computed_again(tmp_path, monkeypatch):
    calls = tmp_path / "calls"
    calls.write_text("")

    def size(inputs):
        calls.write_text(calls.read_text() + "x")
        return {"arms": len(inputs.preferences)}

    study = Study(
        "s", "t", "s", "q", "d", (Computed("size", size, "cyclic", sizes={"quick": Size(1, 1)}),), ()
    )
    play = functools.partial(play_study, study, "quick", tmp_path)
    assert play().values == play().values == {"size": {"arms": 4}} and calls.read_text() == "x"
    monkeypatch.setattr("rankduel.experiments.studies.playing.code_version", lambda make: "edited")
    assert play().values == play().values == {"size": {"arms": 4}} and calls.read_text() == "xx"
    assert float((tmp_path / "s-quick" / "_size.seconds").read_text()) > 0
