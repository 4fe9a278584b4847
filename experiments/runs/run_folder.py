"""The folder of a run set: it has one file of settings and one matrix, which all its records share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rankduel.base.errors import MatrixError, RecordsError
from rankduel.base.files import convert_write_errors
from rankduel.experiments.digests import digest_of
from rankduel.experiments.matrix.preferences import Preferences, read_preferences, write_preferences
from rankduel.experiments.runs.study_file import (
    REPAIR,
    STUDY_FILE,
    check_same,
    read_settings,
    refuse_old_layout,
    relevant,
    settings_of_another_release,
    write_settings,
)

MATRIX = "_matrix.prefs.parquet"


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
        Write files again that are damaged or were written by another release. Intact settings of another
        study are an error in any case.

    Returns
    -------
    RunFolder
        The folder with the settings.

    Raises
    ------
    RecordsError
        If the folder has other settings, is damaged, was written by another release, or cannot be written.
    """
    refuse_old_layout(folder)
    here = json.loads(json.dumps(dict(settings)))
    has_settings = (folder / STUDY_FILE).exists() and _settings_fit(folder, here, repair)
    with convert_write_errors(folder, RecordsError):
        folder.mkdir(parents=True, exist_ok=True)
    _store_matrix(folder / MATRIX, preferences, repair)
    if not has_settings:
        write_settings(folder, here)
    return RunFolder(folder, here)


def _settings_fit(folder: Path, here: dict[str, Any], repair: bool) -> bool:
    """Return whether _study.json has the settings `here`; False if it must be written again."""
    try:
        there = read_settings(folder)
    except RecordsError:
        if not repair:
            raise
        older = settings_of_another_release(folder)
        if older is not None:
            check_same(folder, relevant(older), relevant(here))
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
