"""The examples in the docstrings of judged data and rankers run as written."""

import doctest

import pytest

import rankduel
from rankduel import letor_data
from rankduel.letor_data import rankers

NAMES = ["read_data", "Letor", *(f"rankers.{name}" for name in rankers.__all__)]


@pytest.mark.kernel
@pytest.mark.parametrize("name", NAMES)
def test_every_example_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    documented = getattr(rankers, name.removeprefix("rankers.")) if "." in name else getattr(letor_data, name)
    tests = doctest.DocTestFinder().find(documented, name, globs={"rankduel": rankduel})
    assert sum(len(test.examples) for test in tests) > 0
    for test in tests:
        found = []
        doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=found.append)
        assert not found, "".join(found)
