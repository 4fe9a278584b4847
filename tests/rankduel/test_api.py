"""Test the public API: every exported name is documented, its examples run, and imports are lazy."""

import ast
import doctest
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rankduel

ROOT = Path(__file__).parents[2]
FUNCTIONS = [
    name for name in rankduel.__all__ if name[0].islower() and name != "rankers" and not name.startswith("_")
]
CLASSES = [name for name in rankduel.__all__ if name[0].isupper()]


def run_python(source, cwd, *arguments):
    """Run Python code outside of the project's folder."""
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(cwd)}
    command = [sys.executable, "-c", source, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def test_names_for_type_checkers_equal_the_lazy_names():
    tree = ast.parse((ROOT / "rankduel" / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {alias.asname: node.module for node in block.body for alias in node.names}
    assert typed.keys() == {alias.name for node in block.body for alias in node.names}
    typed["rankers"] = "rankduel.letor_data.rankers"
    assert typed == rankduel._MODULES
    assert set(rankduel.__all__) == {*typed, "__version__"} == set(dir(rankduel))


@pytest.mark.parametrize("name", rankduel.__all__)
def test_every_exported_name_exists(name):
    assert getattr(rankduel, name) is not None


def test_unknown_names_are_errors():
    with pytest.raises(AttributeError, match="module 'rankduel' has no attribute 'rnu'"):
        _ = rankduel.rnu


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES])
def test_every_name_is_documented(name):
    """numpydoc: a summary that ends in a period, exactly the parameters, the result, and an example."""
    documented = getattr(rankduel, name)
    text, signature = inspect.getdoc(documented), inspect.signature(documented)
    assert text.partition("\n")[0].endswith("."), text.partition("\n")[0]
    assert not re.search(r"\S -{3,}|-{3,} \S", text), "a heading is not on a line of its own"
    sections = numpydoc_sections(text)
    assert ">>> " in sections["Examples"]
    assert parameter_names(sections.get("Parameters", "")) == list(signature.parameters)
    if name in FUNCTIONS and signature.return_annotation not in (None, "None"):
        assert sections["Returns"].strip()


def numpydoc_sections(text):
    """Return the text of each section by its title."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.MULTILINE)
    titles = parts[1::2]
    assert len(set(titles)) == len(titles), f"a section is there twice: {titles}"
    return dict(zip(titles, parts[2::2]))


def parameter_names(section):
    """Return the names of 'name : type' and 'name, name : type' lines, each of which has a description."""
    entries = re.findall(r"^(\*{0,2}\w+(?:, \w+)*) : (.*)\n {4}\S", section, re.MULTILINE)
    assert len(entries) == len(re.findall(r"^\S", section, re.MULTILINE)), section
    return [name.strip("*") for names, _ in entries for name in names.split(", ")]


@pytest.mark.parametrize(
    "section",
    ["x\n    No type.\n", "x : int\n", "x : int\n\ny : int\n    The first has no description.\n"],
)
def test_the_check_finds_parameters_without_type_or_description(section):
    with pytest.raises(AssertionError):
        parameter_names(section)


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_method_is_documented(name):
    members = {key: value for key, value in vars(getattr(rankduel, name)).items() if not key.startswith("_")}
    methods = {key: value for key, value in members.items() if inspect.isfunction(value)}
    assert [key for key, value in methods.items() if not inspect.getdoc(value)] == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_and_result_has_a_type(name):
    signature = inspect.signature(getattr(rankduel, name))
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(p.annotation is not inspect.Parameter.empty for p in signature.parameters.values())
    kinds = {p.kind for p in signature.parameters.values()}
    # Only these functions take the settings of a policy or interleaver as further keyword arguments.
    assert inspect.Parameter.VAR_KEYWORD not in kinds or name in ("interleaving", "policy")


@pytest.mark.kernel
@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES])
def test_every_example_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    documented = getattr(rankduel, name)
    tests = doctest.DocTestFinder(recurse=False).find(documented, name, globs={"rankduel": rankduel})
    assert sum(len(test.examples) for test in tests) > 0
    for test in tests:
        found = []
        doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=found.append)
        assert not found, "".join(found)


def test_importing_rankduel_is_lazy(tmp_path):
    heavy = ["numba", "pandas", "numpy", "scipy", "pyarrow", "typer", "rich", "rankduel.experiments"]
    ended = run_python(f"import rankduel, sys; print([m for m in {heavy} if m in sys.modules])", tmp_path)
    assert ended.stdout.strip() == "[]", ended.stderr


@pytest.mark.parametrize("package", rankduel._PACKAGES)
def test_subpackages_are_attributes(package, tmp_path):
    ended = run_python(f"import rankduel; print(rankduel.{package}.__name__)", tmp_path)
    assert ended.stdout == f"rankduel.{package}\n", ended.stderr


@pytest.mark.parametrize("name", rankduel._MODULES)
def test_names_are_imported_from_their_modules(name):
    module = importlib.import_module(rankduel._MODULES[name])
    value = getattr(rankduel, name)
    assert value is module or value.__module__ == module.__name__
