"""Records of runs: one small file per run, so that nothing is lost and nothing is done twice.

    DIR/<study>/study.json              what all runs of the study share: problem, horizon, seed, versions
    DIR/<study>/matrix.prefs.parquet    the preferences that regret is measured by
    DIR/<study>/<policy>/<run>.parquet  one run: a row per checkpoint; its bytes depend on no clock or worker
    DIR/<study>/<policy>/<run>.seconds  how long it took

A run with a file is done. Files appear whole or not at all, so killing and starting again is normal.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from experiments.matrix.preferences import Preferences, read_preferences, write_preferences
from rankduel.base.errors import RecordsError
from rankduel.base.files import replacing

_ABOUT, MATRIX = "study.json", "matrix.prefs.parquet"
_KEY = b"rankduel"
# May differ from one call to the next: none of these changes a number.
_INCIDENTAL = ("command", "versions", "data", "problem", "source")
_PACKAGES = ("rankduel", "numpy", "numba", "scipy", "pandas", "pyarrow")


class RunSet(NamedTuple):
    name: str
    settings: Mapping[str, Any]
    preferences: Preferences
    table: pd.DataFrame  # one row per policy, run and checkpoint


def versions() -> dict[str, str]:
    return {"python": platform.python_version()} | {name: version(name) for name in _PACKAGES}


def run_set_name(problem: str, mode: str, duels: float, seed: int) -> str:
    """Return a name such as 'arxiv6-1e+06' or 'mslr-live-1e+07-seed3': what must differ to keep runs
    apart."""
    stem = Path(problem.rstrip("/")).name.split(".")[0] or "study"
    parts = [stem, mode, f"{duels:g}".replace("e+0", "e"), f"seed{seed}" if seed else ""]
    return "-".join(part for part in parts if part)


def open_run_set(folder: Path, settings: Mapping[str, Any], preferences: Preferences) -> None:
    """Make the folder of a study, or check that the one there is for the same settings."""
    about = folder / _ABOUT
    if about.exists():
        _check_same(folder, _relevant(_read_json(about)), _relevant(json.loads(json.dumps(dict(settings)))))
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / MATRIX).exists():
        write_preferences(preferences, folder / MATRIX)
    if not about.exists():
        with replacing(about) as temporary:
            temporary.write_text(json.dumps(dict(settings), indent=2, sort_keys=True) + "\n")


def _check_same(folder: Path, there: dict[str, Any], here: dict[str, Any]) -> None:
    different = [key for key in here.keys() | there.keys() if here.get(key) != there.get(key)]
    if different:
        key = min(different)
        raise RecordsError(
            f"{folder} holds runs of another study: {key} is {there.get(key, 'not set')} there and "
            f"{here.get(key, 'not set')} now. Choose another folder or name, or remove it"
        )


def _relevant(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """'matrix.digest' -> value, without what may differ."""
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in _INCIDENTAL:
            name = prefix + key
            flat |= _relevant(value, f"{name}.") if isinstance(value, dict) else {name: value}
    return flat


def record_path(folder: Path, policy: str, run: int) -> Path:
    return folder / quote(policy, safe="()=,+-._ ") / f"{run}.parquet"


def write_record(folder: Path, policy: str, run: int, table: pd.DataFrame, seconds: float) -> None:
    path = record_path(folder, policy, run)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path.with_suffix(".seconds")) as temporary:
        temporary.write_text(f"{seconds:.6g}\n")
    about = {_KEY: json.dumps({"policy": policy, "run": run}).encode()}
    content = pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(about)
    with replacing(path) as temporary:
        pq.write_table(content, temporary, compression="zstd", write_page_checksum=True)


def read_record(path: Path) -> pd.DataFrame:
    """One run, with its policy, number and time; or an error if the file is damaged."""
    try:
        content = pq.read_table(path, page_checksum_verification=True)
        about = json.loads((content.schema.metadata or {})[_KEY])
        policy, run = about["policy"], about["run"]
        if path.stem != str(run) or unquote(path.parent.name) != policy:
            raise RecordsError(f"{path}: this is run {run} of {policy}; it was moved here. Remove it")
        table = content.to_pandas()
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as problem:
        if isinstance(problem, (FileNotFoundError, PermissionError, RecordsError)):
            raise
        reason = str(problem).partition("\n")[0]
        raise RecordsError(
            f"{path}: a damaged record ({reason}). Remove it and run again: this run alone is done anew"
        ) from None
    table.insert(0, "policy", policy)
    table.insert(1, "run", run)
    return table.assign(seconds=_seconds(path))


def _seconds(path: Path) -> float:
    try:
        return float(path.with_suffix(".seconds").read_text())
    except (OSError, ValueError):  # a time is not worth a run
        return float("nan")


def read_settings(folder: Path) -> dict[str, Any]:
    """Return what all runs of a run set share."""
    return _read_json(folder / _ABOUT)


def read_run_set(folder: Path) -> RunSet:
    settings = read_settings(folder)
    paths = sorted(folder.glob("*/*.parquet"), key=lambda path: (path.parent.name, _run_number(path)))
    if not paths:
        raise RecordsError(f"{folder}: no finished runs yet; 'rankduel run' makes them")
    table = pd.concat([read_record(path) for path in paths], ignore_index=True)
    return RunSet(folder.name, settings, read_preferences(folder / MATRIX), table)


def read_run_sets(folder: str | Path) -> list[RunSet]:
    """Read every run set under a folder, or the one that it is."""
    return [read_run_set(path) for path in list_run_sets(folder)]


def list_run_sets(folder: str | Path) -> list[Path]:
    """Return the folders of all run sets under a folder, or itself if it is one."""
    folder = Path(folder)
    if not folder.is_dir():
        raise RecordsError(f"{folder}: there is no such folder; 'rankduel run ... --out DIR' makes records")
    found = sorted(path.parent for path in [*folder.glob(_ABOUT), *folder.glob(f"*/{_ABOUT}")])
    if not found:
        raise RecordsError(f"{folder}: no records in it; 'rankduel run ... --out {folder}' makes them")
    return found


def _run_number(path: Path) -> int:
    return int(path.stem) if path.stem.isdigit() else -1


def _read_json(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads(path.read_text())
    except (ValueError, UnicodeDecodeError):
        settings = None
    if not isinstance(settings, dict):
        raise RecordsError(f"{path}: damaged; remove the folder {path.parent} and run again")
    return settings
