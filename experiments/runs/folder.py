"""The folder of a run set: one file of settings and one matrix, which all its records share."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from rankduel.base.errors import MatrixError, RecordsError
from rankduel.base.files import convert_write_errors
from rankduel.base.stored import Kind, digest_of, read_json, shown, write_json
from rankduel.experiments.matrix.preferences import Preferences, read_preferences, write_preferences

SETTINGS, MATRIX = "_settings.json", "_matrix.prefs.parquet"
MULTILEAVE = "multileave"  # mode of run sets of multileaving, which measure no regret
# Settings that may differ between calls, because no number depends on them.
INCIDENTAL = ("command", "versions", "data", "profile", "problem", "source")
_PACKAGES = ("rankduel", "numpy", "numba", "scipy", "pandas", "pyarrow")
ANOTHER_RUN_SET = "Choose another --name or --out (in Python, another folder), or remove it"
REPAIR = "the same command with --repair (in Python, repair=True)"
_FILE = Kind(
    "settings of runs",
    f"{REPAIR} writes it again, and plays the runs again that do not fit it",
)
_NEEDED = {"mode": str, "horizon": int, "seed": int, "matrix": dict}
_KNOWN = _NEEDED | {
    "arena": dict,
    "checkpoints": int,
    "command": str,
    "feedback": dict,
    "problem": str,
    "rankers": int,
    "regret": str,
    "versions": dict,
}


def versions() -> dict[str, str]:
    """Return the versions of Python, rankduel and the packages that its numbers depend on."""
    return {"python": platform.python_version()} | {name: version(name) for name in _PACKAGES}


def check_same(folder: Path, there: dict[str, Any], here: dict[str, Any]) -> None:
    different = [key for key in here.keys() | there.keys() if here.get(key) != there.get(key)]
    if different:
        key = min(different)
        raise RecordsError(
            f"{folder / SETTINGS}: the folder holds other runs: {key} is {there.get(key, 'not set')} there "
            f"and {here.get(key, 'not set')} now. {ANOTHER_RUN_SET}"
        )


def relevant(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the settings that numbers depend on, as a flat mapping such as 'matrix.digest' -> value."""
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in INCIDENTAL:
            name = prefix + key
            flat |= relevant(value, f"{name}.") if isinstance(value, dict) else {name: value}
    return flat


def write_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    write_json(folder / SETTINGS, _FILE, settings)


def read_settings(folder: Path) -> dict[str, Any]:
    """Return the settings of all runs of a run set.

    Raises
    ------
    RecordsError
        If the file of settings is missing or damaged, or a setting is missing or has the wrong type.
    """
    path = folder / SETTINGS
    try:
        fields = read_json(path, _FILE)
    except FileNotFoundError as problem:
        raise RecordsError(f"{path}: cannot be read: {problem.strerror}") from None
    readers = {str: fields.text, int: fields.integer, dict: fields.mapping}
    for name, kind in _KNOWN.items():
        if name in _NEEDED or name in fields.content:
            readers[kind](name)
    digest = fields.mapping("matrix").get("digest")
    if not isinstance(digest, str):
        raise fields.wrong("matrix.digest", shown(digest), "text")
    return dict(fields.content)


class RunFolder(NamedTuple):
    """The folder of a run set, and the settings of all its records."""

    path: Path
    settings: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """Digest of all settings that a number depends on."""
        return digest_of(relevant(self.settings))


def open_run_set(
    folder: Path, settings: Mapping[str, Any], preferences: Preferences, *, repair: bool = False
) -> RunFolder:
    """Make the folder of a run set, or check that an existing one has the same settings.

    Parameters
    ----------
    folder : Path
        Folder of the run set.
    settings : Mapping
        Settings of all runs, as plain values.
    preferences : Preferences
        Preferences that measure regret; written to the folder.
    repair : bool, default False
        Write files again that are damaged. Intact settings of other runs are an error in any case.

    Returns
    -------
    RunFolder
        The folder with the settings.

    Raises
    ------
    RecordsError
        If the folder has other settings, is damaged, or cannot be written.
    """
    here = json.loads(json.dumps(dict(settings)))
    has_settings = (folder / SETTINGS).exists() and _settings_fit(folder, here, repair)
    with convert_write_errors(folder, RecordsError):
        folder.mkdir(parents=True, exist_ok=True)
    _store_matrix(folder / MATRIX, preferences, repair)
    if not has_settings:
        write_settings(folder, here)
    return RunFolder(folder, here)


def _settings_fit(folder: Path, here: dict[str, Any], repair: bool) -> bool:
    """Return whether _settings.json has the settings `here`; False if it must be written again."""
    try:
        there = read_settings(folder)
    except RecordsError:
        if not repair:
            raise
        return False
    check_same(folder, relevant(there), relevant(here))
    return True


def _store_matrix(path: Path, preferences: Preferences, repair: bool) -> None:
    if path.exists() and not repair:
        check_matrix(path, preferences.digest)
    elif not path.exists() or not _has_matrix(path, preferences.digest):
        write_preferences(preferences, path)


def _has_matrix(path: Path, digest: str) -> bool:
    try:
        check_matrix(path, digest)
    except RecordsError:
        return False
    return True


def check_matrix(path: Path, digest: str) -> Preferences:
    """Return the matrix of a run set; raise RecordsError if it is damaged or has another digest."""
    try:
        preferences = read_preferences(path)
    except MatrixError as problem:
        raise RecordsError(f"{problem}; {REPAIR} writes it again") from None
    if preferences.digest != digest:
        raise RecordsError(
            f"{path}: not the matrix that measured these runs: its digest is {preferences.digest}, "
            f"expected {digest}; {REPAIR} writes it again"
        )
    return preferences
