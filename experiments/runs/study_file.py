"""The file _study.json of a run set: settings of all runs, checked by a digest and by versions."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rankduel.base.errors import RecordsError
from rankduel.base.files import convert_write_errors, write_text
from rankduel.experiments.digests import digest_of, json_object

STUDY_FILE = "_study.json"
OLD_STUDY_FILE = "study.json"  # up to format 2, whose records have numbers of rankers instead of names
MULTILEAVE = "multileave"  # mode of run sets of multileaving, which measure no regret
_FORMAT = 3  # of _study.json and of records
NUMBERS = 1  # increase it with every change that alters the numbers of a run with the same seed
VERSIONS = {"format": _FORMAT, "numbers": NUMBERS}
# Settings that may differ between calls, because no number depends on them.
INCIDENTAL = ("command", "versions", "data", "profile", "problem", "source")
_PACKAGES = ("rankduel", "numpy", "numba", "scipy", "pandas", "pyarrow")
ANOTHER_RUN_SET = "Choose another --name or --out (in Python, another folder), or remove it"
REPAIR = "the same command with --repair (in Python, repair=True)"
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
_KINDS = {str: "text", int: "a whole number", dict: "an object"}


def versions() -> dict[str, str]:
    """Return the versions of Python, rankduel and the packages that its numbers depend on."""
    return {"python": platform.python_version()} | {name: version(name) for name in _PACKAGES}


def refuse_old_layout(folder: Path) -> None:
    """Raise RecordsError if `folder` is a run set with the files of an older release."""
    path = folder / OLD_STUDY_FILE
    if path.exists() and not (folder / STUDY_FILE).exists():
        raise RecordsError(
            f"{path}: written by an older release of rankduel, with numbers of rankers; expected format "
            f"{_FORMAT} in {STUDY_FILE}. Choose another folder or name, or remove {folder}, and run it again"
        )


def check_same(folder: Path, there: dict[str, Any], here: dict[str, Any]) -> None:
    different = [key for key in here.keys() | there.keys() if here.get(key) != there.get(key)]
    if different:
        key = min(different)
        raise RecordsError(
            f"{folder / STUDY_FILE}: the folder holds runs of another study: {key} is "
            f"{there.get(key, 'not set')} there and {here.get(key, 'not set')} now. {ANOTHER_RUN_SET}"
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
    """Write _study.json: the settings, the versions of format and numbers, and a digest of both."""
    content = {**settings, **VERSIONS}
    text = json.dumps({**content, "digest": digest_of(content)}, indent=2, sort_keys=True)
    path = folder / STUDY_FILE
    with convert_write_errors(path, RecordsError):
        write_text(path, text + "\n")


def read_settings(folder: Path) -> dict[str, Any]:
    """Return the settings of all runs of a run set.

    Raises
    ------
    RecordsError
        If the file of settings is damaged, a setting is missing or has the wrong type, or the file was
        written by another release.
    """
    refuse_old_layout(folder)
    path = folder / STUDY_FILE
    content = _read_json(path)
    stated = content.pop("digest", None)
    found = {key: content.get(key) for key in VERSIONS}
    if stated is None and found != VERSIONS:
        raise of_another_release(path, found)
    if stated != digest_of(content):
        raise _damaged_settings(path, "its settings do not have the digest in it")
    if found != VERSIONS:
        raise of_another_release(path, found)
    settings = {key: value for key, value in content.items() if key not in VERSIONS}
    _check_types(path, settings)
    return settings


def _check_types(path: Path, settings: Mapping[str, Any]) -> None:
    missing = [key for key in _NEEDED if key not in settings]
    if missing:
        raise _damaged_settings(path, f"there is no '{missing[0]}' in it")
    for key, kind in _KNOWN.items():
        if key in settings and type(settings[key]) is not kind:
            raise _damaged_settings(path, f"'{key}' is {_shown(settings[key])}; expected {_KINDS[kind]}")
    digest = settings["matrix"].get("digest")
    if not isinstance(digest, str):
        raise _damaged_settings(path, f"'matrix.digest' is {_shown(digest)}; expected text")


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def settings_of_another_release(folder: Path) -> dict[str, Any] | None:
    """Return the settings of a _study.json without a digest, as in older releases; None if it is damaged."""
    try:
        content = _read_json(folder / STUDY_FILE)
    except RecordsError:
        return None
    return None if "digest" in content else content


def _damaged_settings(path: Path, reason: str) -> RecordsError:
    return RecordsError(
        f"{path}: damaged: {reason}. {REPAIR[0].upper()}{REPAIR[1:]} writes it again, and plays the runs "
        "again that do not fit it"
    )


def of_another_release(path: Path, found: Mapping[str, Any]) -> RecordsError:
    """Return the error for versions of format and numbers that are not those of this release."""
    there = ", ".join(f"{key} {_shown(found.get(key))}" for key in VERSIONS).replace("null", "not set")
    here = ", ".join(f"{key} {value}" for key, value in VERSIONS.items())
    return RecordsError(
        f"{path}: written by another release of rankduel ({there}; expected {here}), whose numbers may "
        f"differ. {ANOTHER_RUN_SET}; or {REPAIR} plays it again"
    )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        return json_object(path.read_bytes())
    except OSError as problem:
        raise RecordsError(f"{path}: cannot be read: {problem.strerror}") from None
    except ValueError as problem:
        raise _damaged_settings(path, str(problem)) from None
