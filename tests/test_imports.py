"""Imports between the packages go one way, so that each can be read and used without those above it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "letor_data": set(),
    "clickmodels": set(),
    "interleave": {"letor_data", "clickmodels"},
    "bandits": set(),
    "experiments": {"letor_data", "clickmodels", "interleave", "bandits"},
    "rankduel": {"letor_data", "clickmodels", "interleave", "bandits", "experiments"},
}


def imported_modules(node, package):
    """Dotted names that an import statement in a file of `package` reaches."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    if node.level == 0:
        return [node.module]
    parts = package.split(".")
    base = parts[: len(parts) - (node.level - 1)]
    if node.module:
        return [".".join([*base, node.module])]
    return [".".join([*base, alias.name]) for alias in node.names]


def wrong_imports(root):
    """'file:line imports package' for every import that goes the wrong way."""
    wrong = []
    for path in sorted(p for package in MAY_IMPORT for p in (root / package).rglob("*.py")):
        folder = path.parent.relative_to(root)
        forbidden = MAY_IMPORT.keys() - MAY_IMPORT[folder.parts[0]] - {folder.parts[0]}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for module in imported_modules(node, ".".join(folder.parts)):
                if module.partition(".")[0] in forbidden:
                    wrong.append(f"{path.relative_to(root).as_posix()}:{node.lineno} imports {module}")
    return wrong


def test_imports_go_one_way():
    assert wrong_imports(ROOT) == []


def test_every_package_was_looked_at():
    assert [package for package in MAY_IMPORT if not (ROOT / package / "__init__.py").exists()] == []


@pytest.mark.parametrize(
    ("file", "source", "reached"),
    [
        ("letor_data/a.py", "import interleave", "interleave"),
        ("letor_data/a.py", "import numpy, bandits.loop as loop", "bandits.loop"),
        ("clickmodels/a.py", "from letor_data import Letor", "letor_data"),
        ("interleave/a.py", "from bandits.contract import Policy", "bandits.contract"),
        ("bandits/deep/a.py", "from rankduel.cli import main", "rankduel.cli"),
        ("bandits/a.py", "def f():\n    if True:\n        import interleave.duel", "interleave.duel"),
        ("bandits/a.py", "from .. import interleave", "interleave"),
        ("bandits/deep/a.py", "from ...clickmodels import tables", "clickmodels"),
        ("letor_data/__init__.py", "from ..rankduel.cli import main", "rankduel.cli"),
    ],
)
def test_a_wrong_import_is_found(tmp_path, file, source, reached):
    _write(tmp_path / file, source)
    assert wrong_imports(tmp_path) == [f"{file}:{source.count(chr(10)) + 1} imports {reached}"]


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("experiments/a.py", "import letor_data, clickmodels, interleave, bandits"),
        ("interleave/a.py", "from letor_data import Letor\nfrom clickmodels import tables"),
        ("bandits/a.py", "from bandits.contract import Policy\nfrom . import loop\nfrom .loop import play"),
        ("bandits/deep/a.py", "from .. import loop\nfrom .experiments import x"),
        ("letor_data/a.py", "import numpy\nimport bandits_of_others"),
        ("letor_data/a.py", '"import interleave"  # import bandits'),
    ],
)
def test_a_right_import_is_left_alone(tmp_path, file, source):
    _write(tmp_path / file, source)
    assert wrong_imports(tmp_path) == []


def _write(path, source):
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
