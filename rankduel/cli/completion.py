"""Complete the values of options in the shell: names of policies, methods, matrices and so on, and files.

A shell calls this at every Tab, so no slow module is imported. Names are those of files in the source tree
or literals that a test compares with the catalogues.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
MATRICES = (
    *(
        "cyclic",
        "arithmetic",
        "arxiv6",
        "mslr5",
        "mslr5-cycle",
        "cycle",
        "cycle2",
        "thesis4",
        "tennis",
        "gap",
    ),
    *("multisol", "case-a", "case-b", "copeland500", "two-winners32"),
)
NOTIONS = ("condorcet", "copeland", "copeland-sum", "copeland-per-arm", "copeland-losses", "borda")
PRESETS = ("paper", "lerot", "repo_multileave")
TIES = ("random_impression", "random_impression_redraw", "random_run", "random_run_shared", "stable")
TIED_DUELS = ("coin", "drop")
QUERIES = ("uniform", "cycle")
PRIORS = ("none", "lerot")
MEASURES = ("page", "none")

Complete = Callable[[str], list[str]]  # incomplete word -> completions


def one_of(*names: str) -> Complete:
    """Return a function that completes one of `names`."""

    def complete(incomplete: str) -> list[str]:
        return _starting(names, incomplete)

    return complete


def policies(incomplete: str) -> list[str]:
    """Complete names of policies and Python files."""
    return _starting(_modules("bandits/policies/*"), incomplete) + _paths(incomplete, (".py",))


def interleavers(incomplete: str) -> list[str]:
    return _starting(_modules("interleave/methods"), incomplete)


def measures(incomplete: str) -> list[str]:
    return _starting(_modules("letor_data/evaluation/measures"), incomplete)


def multileavers(incomplete: str) -> list[str]:
    return _starting(_modules("interleave/multileave/methods"), incomplete)


def users(incomplete: str) -> list[str]:
    """Complete names and TOML files of click models."""
    return _starting([*_modules("clickmodels/users"), "custom"], incomplete) + _paths(incomplete, (".toml",))


def studies(incomplete: str) -> list[str]:
    """Complete names and TOML files of studies."""
    folders = (path.parent for path in _PACKAGE.glob("experiments/studies/published/*/__init__.py"))
    names = [folder.name.replace("_", "-") for folder in folders]
    return _starting(names, incomplete) + _paths(incomplete, (".toml",))


def matrices(incomplete: str) -> list[str]:
    """Complete names and files of matrices."""
    return built_in_matrices(incomplete) + _paths(incomplete, (".parquet", ".npy", ".txt"))


def built_in_matrices(incomplete: str) -> list[str]:
    """Complete names of built-in matrices and of families of matrices."""
    return _starting([*MATRICES, *_modules("experiments/matrix/families")], incomplete)


def matrix_files(incomplete: str) -> list[str]:
    return _paths(incomplete, (".parquet", ".npy", ".txt"))


def problems(incomplete: str) -> list[str]:
    """Complete names of matrices and all files, of matrices or judged data."""
    return built_in_matrices(incomplete) + files(incomplete)


def files(incomplete: str) -> list[str]:
    """Complete files and folders."""
    return _paths(incomplete, ("",))


def folders(incomplete: str) -> list[str]:
    return _paths(incomplete, ())


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))


def _modules(folder: str) -> list[str]:
    """Return the names of modules in folders of the package."""
    return [path.stem for path in _PACKAGE.glob(f"{folder}/*.py") if path.stem != "__init__"]


def _paths(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    """Return files with one of `endings`, and folders with a slash; hidden ones after a dot only."""
    folder, start = os.path.split(incomplete)
    try:
        found = sorted(os.scandir(folder or "."), key=lambda entry: entry.name)
    except OSError:
        return []
    shown = [e for e in found if e.name.startswith(start) and (start or not e.name.startswith("."))]
    matching = [e for e in shown if e.is_dir() or (endings and e.name.endswith(endings))]
    return [os.path.join(folder, entry.name) + ("/" if entry.is_dir() else "") for entry in matching]
