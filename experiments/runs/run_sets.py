"""Run sets: all records of a folder, with their settings and preferences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from rankduel.base.arguments import check_type
from rankduel.base.errors import RecordsError
from rankduel.base.notebook import few, html_repr, short_repr
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.runs.record_reading import read_record
from rankduel.experiments.runs.records import list_records
from rankduel.experiments.runs.run_folder import MATRIX, RunFolder, check_matrix
from rankduel.experiments.runs.study_file import OLD_STUDY_FILE, STUDY_FILE, read_settings


class RunSet(NamedTuple):
    """All records of a run set, with their settings and preferences."""

    name: str
    settings: Mapping[str, Any]
    preferences: Preferences
    table: pd.DataFrame  # one row per policy, run and checkpoint

    def _facts(self) -> dict[str, object]:
        """Return the names and values that the representations show."""
        return {
            "name": self.name,
            "mode": self.settings.get("mode"),
            "policies": few(self.table["policy"].unique().tolist()),
            "runs": int(self.table["run"].nunique()),
            "horizon": self.settings.get("horizon"),
            "rankers": few(self.preferences.names),
        }

    def __repr__(self) -> str:
        return short_repr("RunSet", self._facts())

    def _repr_html_(self) -> str:
        return html_repr("RunSet", self._facts())


def read_run_set(
    folder: Path, shortened: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table
) -> RunSet:
    """Read all records of a run set; raise RecordsError for the first that does not belong to it.

    `shortened` is applied to the table of every record.
    """
    run_folder = RunFolder(folder, read_settings(folder))
    preferences = check_matrix(folder / MATRIX, run_folder.settings["matrix"]["digest"])
    paths = list_records(folder)
    if not paths:
        raise RecordsError(f"{folder}: no finished runs yet; 'rankduel run' makes them")
    try:
        table = pd.concat([shortened(read_record(path, run_folder)) for path in paths], ignore_index=True)
    except FileNotFoundError as problem:
        if list_records(folder) == paths:
            raise RecordsError(f"{problem.filename}: cannot be read: {problem.strerror}") from None
        return read_run_set(folder, shortened)  # another process has written a block meanwhile
    return RunSet(folder.name, run_folder.settings, preferences, table)


def read_run_sets(folder: str | Path) -> list[RunSet]:
    """Read every run set in a folder; `folder` may itself be a run set."""
    return [read_run_set(path) for path in list_run_sets(folder)]


def list_run_sets(folder: str | Path) -> list[Path]:
    """Return the folders of all run sets in a folder; `folder` may itself be a run set."""
    check_type("folder", folder, (str, Path), "the folder of a run set, or of several")
    folder = Path(folder)
    if not folder.is_dir():
        raise RecordsError(f"{folder}: there is no such folder; 'rankduel run ... --out DIR' makes records")
    found = sorted({path.parent for name in (STUDY_FILE, OLD_STUDY_FILE) for path in _files(folder, name)})
    if not found:
        raise RecordsError(f"{folder}: no records there; 'rankduel run ... --out {folder}' makes them")
    return found


def _files(folder: Path, name: str) -> list[Path]:
    return [*folder.glob(name), *folder.glob(f"*/{name}")]
