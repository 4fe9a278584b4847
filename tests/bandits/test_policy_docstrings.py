"""Test the docstring of every policy: its parts, and that the functions, files and twin it names exist.

The docstring has a first line ``NAME: description``, a citation, the assumptions, and a table from the steps
of the algorithm in the paper to the functions here. The table is indented, and the heading of its last column
is "here".
"""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from naive.policies.twins import TWINS

from rankduel import bandits
from rankduel.bandits import POLICIES
from rankduel.bandits.contract import OPTIONAL

ROOT = Path(__file__).parents[2]
CONTRACT = {"init", "select", "update", *OPTIONAL}
MODULES = {
    found.name: importlib.import_module(found.name)
    for found in pkgutil.walk_packages(bandits.__path__, "rankduel.bandits.")
}
SHARED_NAMES = {
    name for path, module in MODULES.items() if ".parts." in path for name in vars(module) if name[:2] != "__"
}


def docstring_of(name):
    return MODULES[POLICIES[name].init.__module__].__doc__


def table_in(docstring):
    """Return the right column of the table, one text per line, without the heading."""
    lines = docstring.splitlines()
    heading = next(n for n, line in enumerate(lines) if re.match(r"    .* here\b", line))
    column = re.search(r"\bhere\b", lines[heading]).start()
    end = lines.index("", heading)
    return [line[column - 1 :].strip() for line in lines[heading + 1 : end]]


def names_in(text):
    """Return the names in a text: words with an underscore or a capital, and functions of the contract.

    Symbols with a subscript, such as u_ij, are left out.
    """
    text = re.sub(r"\S*/\S*|\S+\.py\b", "", text)
    words = [
        word for word in re.findall(r"[A-Za-z_]\w*", text) if not re.fullmatch(r"[A-Za-z]_\w{1,2}", word)
    ]
    return [word for word in words if word in CONTRACT or "_" in word or re.match(r"[A-Z][a-z]", word)]


@pytest.mark.parametrize("name", list(POLICIES))
def test_docstring_has_all_parts(name):
    docstring = docstring_of(name)
    assert re.match(r"[^:\n]{1,40}: .*\.\n\n", docstring)
    assert re.search(r"\b(19|20)\d\d\b", docstring), "a citation has a year"
    assert "Assumes " in docstring.replace("\n", " ")
    assert len(table_in(docstring)) >= 3


@pytest.mark.parametrize("name", list(POLICIES))
def test_every_function_in_the_table_exists(name):
    defined = vars(MODULES[POLICIES[name].init.__module__])
    named = [word for text in table_in(docstring_of(name)) for word in names_in(text)]
    assert len(named) >= 3
    missing = [
        word for word in named if word not in defined and word not in SHARED_NAMES and word not in CONTRACT
    ]
    assert not missing
    undefined = {word for word in named if word in CONTRACT and getattr(POLICIES[name], word) is None}
    assert not undefined


@pytest.mark.parametrize("name", list(POLICIES))
def test_the_literal_twin_exists(name):
    twins = re.findall(r"tests/naive/policies/(\w+)\.py", docstring_of(name))
    assert name in TWINS and twins == [name]
    assert TWINS[name].__module__ == f"naive.policies.{name}"


@pytest.mark.parametrize("module", list(MODULES))
def test_every_file_in_a_docstring_exists(module):
    paths = re.findall(r"\b((?:bandits|tests)/[\w/]+(?:\.py)?)", MODULES[module].__doc__ or "")
    missing = [path for path in paths if not any((ROOT / f"{path}{end}").exists() for end in ("", ".py"))]
    assert not missing
