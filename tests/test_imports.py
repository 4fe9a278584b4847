"""Test that imports follow one order, so that each module can be read without the later ones."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import rankduel

ROOT = Path(__file__).parents[1]
# Folders of the repository; rankduel/ has a symbolic link to each of the first five.
MAY_IMPORT = {
    "letor_data": set(),
    "clickmodels": set(),
    "interleave": {"letor_data", "clickmodels"},
    "bandits": set(),
    "experiments": {"letor_data", "clickmodels", "interleave", "bandits"},
    "rankduel": {"letor_data", "clickmodels", "interleave", "bandits", "experiments"},
}
FOLDERS = MAY_IMPORT.keys() - {"rankduel"}
# Modules and subpackages, lowest first: each imports those of its own line and of the lines above it.
ORDER = {
    "letor_data": (
        "errors folds",
        "contract",
        "catalogue",
        "output packed sorting ties",
        "digests letor selection table foreign",
        "parquet_files text",
        "cache kinds synthetic trec_lines write",
        "cached_text trec",
        "formats text_format",
        "rankers",
        "blocks",
        "rankings",
        "evaluation",
        "summary",
        "read",
        "references",
    ),
    "clickmodels": (
        "rows",
        "tables",
        "dependent_click position_based",
        "contract",
        "users",
        "catalogue",
        "written",
    ),
    "interleave": (
        "world",
        "contract list_ends",
        "methods",
        "catalogue",
        "duel exact",
        "duel_counts live pages",
        "multileave",
    ),
    "bandits": (
        "agenda draws feedback steps trace",
        "contract parts",
        "own_lines",
        "own_file plain",
        "loop",
        "matrix_duels sets_loop",
        "regret",
        "policies",
        "catalogue",
        "matrix_runs stepper",
    ),
    "experiments": (
        "cache_files cluster limits paired_tests specs statistics",
        "arena",
        "arena_reference duels evaluation",
        "matrix",
        "catalogues winners",
        "runs",
        "multileaving",
        "judge",
        "report",
        "studies",
    ),
    "rankduel": ("base", "cli", "__main__"),
}
# Results that draw themselves: their method `plot` imports the charts when it is called.
DRAWN_LATER = {
    ("experiments/runs/run_set.py", module)
    for module in ("rankduel.experiments.report.plots", "rankduel.experiments.report.plots.plot_regret")
}
# Catalogues that load a thing of the folder when it is first used.
LOADED_LATER = {("letor_data/catalogue.py", "rankduel.letor_data.formats")}
TERMINAL_LIBRARIES = {"typer", "rich", "click"}  # only rankduel/cli prints to a terminal


# Files of rankduel/cli that import more than `rankduel`, `rankduel.base` and each other; to become fewer.
NOT_YET_VIEWS = frozenset(
    "console demo_steps drawn_matrix estimates judge lists matrices matrix options study winners".split()
)


def imported_modules(node, package):
    """Return the dotted names that an import statement in a file of `package` reaches."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    parts = package.split(".")
    base = parts[: len(parts) - (node.level - 1)] if node.level else []
    start = ".".join([*base, node.module] if node.module else base)
    return [start, *(f"{start}.{alias.name}" if start else alias.name for alias in node.names)]


def all_imports(root, packages):
    """Yield (file, line, dotted name) of every import that is not for types only."""
    for path in sorted(p for package in packages for p in files_of(root / package)):
        inside = path.relative_to(root)
        package = dotted_name(inside.parent)
        for node in _runtime_nodes(ast.parse(path.read_text(encoding="utf-8"))):
            for module in imported_modules(node, package):
                yield inside.as_posix(), node.lineno, module


def dotted_name(folder):
    """Return the name under which the package in a folder of the repository is imported."""
    parts = folder.parts
    return ".".join(parts if parts[0] == "rankduel" else ("rankduel", *parts))


def files_of(folder):
    """Return the modules below a folder, without those behind symbolic links."""
    return sorted(folder.rglob("*.py"))


def _runtime_nodes(tree):
    """Yield all nodes except those under `if TYPE_CHECKING:`."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from _runtime_nodes(node)


def wrong_imports(root):
    """Return 'file:line imports name' for every import against the order."""
    found = dict.fromkeys(
        f"{file}:{line} imports {module}"
        for file, line, module in all_imports(root, MAY_IMPORT)
        if _is_forbidden_package(file, module) or _is_later_module(file, module)
        if (file, module) not in DRAWN_LATER | LOADED_LATER
    )
    return list(found)


def _is_forbidden_package(file, module):
    """Return whether `module` is in a package that the package of `file` may not import."""
    package, (top, _, inside) = file.partition("/")[0], module.partition(".")
    if top in TERMINAL_LIBRARIES:
        return not file.startswith("rankduel/cli/")
    if top in FOLDERS:  # the same module under a second name
        return True
    if top != "rankduel" or inside.partition(".")[0] == "base":
        return False
    if not inside:  # 'from rankduel import letor_data' also yields 'rankduel.letor_data'
        return False
    if file.startswith("rankduel/base/"):
        return True
    part = inside.partition(".")[0]
    return (part if part in FOLDERS else "rankduel") not in MAY_IMPORT[package] | {package}


def _is_later_module(file, module):
    """Return whether `module` is in a later line of ORDER than `file`."""
    parts, names = file.removesuffix(".py").split("/"), module.split(".")
    if parts[0] != "rankduel":
        names = names[1:]
    if parts[1] == "__init__" or names[:1] != parts[:1] or len(names) < 2:
        return False
    lines = {name: place for place, line in enumerate(ORDER[parts[0]]) for name in line.split()}
    return names[1] in lines and lines[names[1]] > lines[parts[1]]


def modules_of(package):
    """Return the names of the modules and subpackages in a package's folder."""
    folders = [p.parent.name for p in package.glob("*/__init__.py")]
    if package.name == "rankduel":
        folders = [name for name in folders if name not in FOLDERS]
    return sorted([*folders, *(p.stem for p in package.glob("*.py") if p.stem != "__init__")])


def packages():
    return sorted(
        path.parent for name in MAY_IMPORT for path in files_of(ROOT / name) if path.name == "__init__.py"
    )


def imports_of_commands(root):
    """Yield (file, line, name) of imports in rankduel/cli from packages below the exports of `rankduel`."""
    exports = {"", "base", "cli", *rankduel.__all__}
    for file, line, module in all_imports(root, ["rankduel"]):
        top, _, inside = module.partition(".")
        if file.startswith("rankduel/cli/") and top == "rankduel" and inside.partition(".")[0] not in exports:
            yield file, line, module


def test_commands_import_the_exported_names_only():
    found = {file: f"{file}:{line} imports {module}" for file, line, module in imports_of_commands(ROOT)}
    assert [text for file, text in found.items() if Path(file).stem not in NOT_YET_VIEWS] == []
    assert {Path(file).stem for file in found} == NOT_YET_VIEWS, "remove the files that are views by now"


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        (
            "import rankduel\nfrom rankduel.base.text import counted\nfrom rankduel.cli import completion",
            False,
        ),
        ("from rankduel import winners", False),
        ("if TYPE_CHECKING:\n    from rankduel.experiments.arena import Arena", False),
        ("from rankduel.experiments.arena import Arena", True),
        ("def f():\n    import rankduel.letor_data.formats", True),
        ("from rankduel import bandits", True),
    ],
)
def test_an_import_of_a_command_from_below_is_found(tmp_path, source, is_found):
    _write(tmp_path / "rankduel/cli/winners.py", source)
    assert bool(list(imports_of_commands(tmp_path))) == is_found


def test_imports_go_one_way():
    assert wrong_imports(ROOT) == []


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_every_module_has_a_place_in_the_order(package):
    assert sorted(" ".join(ORDER[package]).split()) == modules_of(ROOT / package)


def test_no_module_imports_a_private_name_of_another():
    found = [
        f"{file}:{line} imports {module}"
        for file, line, module in all_imports(ROOT, MAY_IMPORT)
        if module.partition(".")[0] == "rankduel"
        if any(part.startswith("_") and not part.endswith("__") for part in module.split("."))
    ]
    assert found == []


@pytest.mark.parametrize("package", packages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_name_of_a_package_shadows_one_of_its_modules(package):
    """`from package import name` is unambiguous: no name bound by `__init__` is a module."""
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    dotted = dotted_name(package.relative_to(ROOT))
    bound = [
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module != dotted
        for alias in node.names
    ]
    bound += [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    assert set(bound) & set(modules_of(package)) == set()


@pytest.mark.parametrize("package", packages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_two_modules_differ_by_a_plural(package):
    names = modules_of(package)
    assert [name for name in names if f"{name}s" in names or f"{name}es" in names] == []


@pytest.mark.parametrize(
    ("file", "source", "reached"),
    [
        ("letor_data/letor.py", "import rankduel.interleave", "rankduel.interleave"),
        ("letor_data/letor.py", "import numpy, rankduel.bandits.loop as loop", "rankduel.bandits.loop"),
        ("clickmodels/tables.py", "from rankduel.letor_data import Letor", "rankduel.letor_data"),
        ("clickmodels/tables.py", "from rankduel import letor_data", "rankduel.letor_data"),
        ("clickmodels/tables.py", "from rankduel import run", "rankduel.run"),
        ("interleave/duel.py", "from rankduel.bandits.contract import Policy", "rankduel.bandits.contract"),
        ("bandits/parts/deep/a.py", "from rankduel.cli import main", "rankduel.cli"),
        (
            "bandits/loop.py",
            "def f():\n    if True:\n        import rankduel.interleave.duel",
            "rankduel.interleave.duel",
        ),
        ("bandits/loop.py", "from .. import interleave", "rankduel.interleave"),
        ("bandits/parts/a.py", "from ...clickmodels import tables", "rankduel.clickmodels"),
        ("letor_data/__init__.py", "from ..cli import main", "rankduel.cli"),
        (
            "bandits/parts/a.py",
            "from rankduel.bandits.policies.condorcet import rucb",
            "rankduel.bandits.policies.condorcet",
        ),
        ("bandits/contract.py", "from rankduel.bandits import loop", "rankduel.bandits.loop"),
        (
            "experiments/matrix/build.py",
            "from rankduel.experiments import studies",
            "rankduel.experiments.studies",
        ),
        ("experiments/arena.py", "import rich.console", "rich.console"),
        ("experiments/runs/run.py", "import typer", "typer"),
        ("experiments/runs/run.py", "from rankduel import run", "rankduel.run"),
        ("rankduel/base/files.py", "from rankduel.letor_data import Letor", "rankduel.letor_data"),
        ("rankduel/base/files.py", "import rankduel.cli", "rankduel.cli"),
        ("experiments/arena.py", "from letor_data import Letor", "letor_data"),
        ("letor_data/letor.py", "from letor_data import Letor", "letor_data"),
        ("rankduel/cli/run.py", "import experiments.arena", "experiments.arena"),
    ],
)
def test_a_wrong_import_is_found(tmp_path, file, source, reached):
    _write(tmp_path / file, source)
    assert f"{file}:{source.count(chr(10)) + 1} imports {reached}" in wrong_imports(tmp_path)


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("experiments/arena.py", "from rankduel import letor_data, clickmodels, interleave, bandits"),
        (
            "interleave/duel.py",
            "from rankduel.letor_data import Letor\nfrom rankduel.clickmodels import tables",
        ),
        (
            "bandits/stepper.py",
            "from rankduel.bandits.contract import Policy\nfrom . import loop\nfrom .loop import play",
        ),
        ("bandits/parts/a.py", "from .. import agenda\nfrom .experiments import x"),
        ("letor_data/letor.py", "import numpy\nimport bandits_of_others"),
        ("letor_data/letor.py", '"import interleave"  # import bandits'),
        (
            "interleave/world.py",
            "if TYPE_CHECKING:\n    from rankduel.interleave.catalogue import Interleaving",
        ),
        ("rankduel/cli/run.py", "import typer, rich"),
        ("letor_data/letor.py", "from rankduel.base.errors import DataError"),
        ("rankduel/base/files.py", "from rankduel.base.errors import DataError"),
        ("bandits/__init__.py", "from rankduel.bandits.stepper import start"),
    ],
)
def test_an_allowed_import_is_accepted(tmp_path, file, source):
    _write(tmp_path / file, source)
    assert wrong_imports(tmp_path) == []


ALL_MODULES = """
import importlib, pathlib, pkgutil, sys, rankduel
for found in pkgutil.walk_packages(rankduel.__path__, "rankduel."):
    if not found.name.endswith(".__main__"):
        importlib.import_module(found.name)
files = {}
for name, module in list(sys.modules.items()):
    if getattr(module, "__file__", None):
        files.setdefault(pathlib.Path(module.__file__).resolve(), []).append(name)
ours = {file: names for file, names in files.items() if any(n.partition(".")[0] == "rankduel" for n in names)}
print(len(ours))
print([names for names in ours.values() if len(names) > 1])
print([name for name in sys.modules if name.partition(".")[0] in %r])
"""


def test_no_module_is_imported_under_two_names():
    """Python starts in the repository, where a module could be found by the name of its folder, too."""
    source = ALL_MODULES % sorted(FOLDERS)
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=True
    )
    count, twice, bare = done.stdout.splitlines()
    assert int(count) == sum(len(files_of(ROOT / name)) for name in MAY_IMPORT) - 1  # without __main__
    assert (twice, bare) == ("[]", "[]")


def _write(path, source):
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
