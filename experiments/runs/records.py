"""Records of runs: one file per run, written when the run ends, so that an interrupted run set resumes.

    DIR/<study>/_study.json              settings of all runs: problem, horizon, seed, versions
    DIR/<study>/_matrix.prefs.parquet    the preferences that measure regret
    DIR/<study>/<policy>/<run>.parquet   one run, a row per checkpoint; the bytes depend on id and seed only
    DIR/<study>/<policy>/_<run>.seconds  duration of the run

A run with a file is done. Files are renamed into place, so a file is either complete or absent. Every record
holds the digest of its study's settings, its policy, run and seed, and a digest of its values. A file that is
damaged, or copied from another study, is an error that names the file.

Readers of Parquet folders skip names that begin with '_' or '.', and interpret a folder name 'a=b' as the
value of a column. Therefore all other files begin with '_', folders of policies contain no '=', and every
record has columns for its policy and run: `pandas.read_parquet(DIR)` returns all records as one table.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
import pandas as pd

from experiments.digests import digest_of, json_object
from experiments.matrix.preferences import Preferences, read_preferences, write_preferences
from experiments.tables import DamagedTable, StoredTable, read_table, table_content
from rankduel.base.arguments import check_type
from rankduel.base.errors import MatrixError, RecordsError, encodable
from rankduel.base.files import convert_write_errors, replacing, write_text
from rankduel.base.notebook import few, html_repr, short_repr

_ABOUT, MATRIX = "_study.json", "_matrix.prefs.parquet"
_OLD_ABOUT = "study.json"  # up to format 2, whose records have numbers of rankers instead of names
MULTILEAVE = "multileave"  # mode of run sets of multileaving, which measure no regret
_FORMAT = 3  # of _study.json and of records
_NUMBERS = 1  # increase it with every change that alters the numbers of a run with the same seed
_VERSIONS = {"format": _FORMAT, "numbers": _NUMBERS}
# Settings that may differ between calls, because no number depends on them.
INCIDENTAL = ("command", "versions", "data", "profile", "problem", "source")
_PACKAGES = ("rankduel", "numpy", "numba", "scipy", "pandas", "pyarrow")
ANOTHER_RUN_SET = "Choose another --name or --out (in Python, another folder), or remove it"
_REPAIR = "the same command with --repair (in Python, repair=True)"
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
_MOST_NAMED, _LONGEST_NAME = 4, 60  # most files in the name of a run set, and most characters
_TEXTS = ("policy", "recommended")  # columns of a record that hold no numbers
_KINDS = {str: "text", int: "a whole number", dict: "an object"}


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


class RunFolder(NamedTuple):
    """The folder of a run set, and the settings of all its records."""

    path: Path
    settings: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """Digest of all settings that a number depends on."""
        return digest_of(_relevant(self.settings))


def versions() -> dict[str, str]:
    """Return the versions of Python, rankduel and the packages that its numbers depend on."""
    return {"python": platform.python_version()} | {name: version(name) for name in _PACKAGES}


def run_set_name(files: Sequence[str], mode: str, duels: float, seed: int) -> str:
    """Return a name that keeps run sets apart, such as 'arxiv6-1e6' or 'bm25-neural-live-1e7-seed3'."""
    parts = [problem_name(files), mode, f"{duels:g}".replace("e+0", "e"), f"seed{seed}" if seed else ""]
    return "-".join(part for part in parts if part)


def problem_name(files: Sequence[str]) -> str:
    """Return the names of the files without endings; of many files, the name of their folder."""
    stems = [Path(file.rstrip("/")).name.split(".")[0] or "study" for file in files]
    name = "-".join(stems)
    if len(files) == 1 or (len(files) <= _MOST_NAMED and len(name) <= _LONGEST_NAME):
        return name
    folders = {Path(file).absolute().parent for file in files}
    folder = folders.pop().name if len(folders) == 1 else ""
    return folder or f"{stems[0][:_LONGEST_NAME]}-and-{len(files) - 1}-more"


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
    has_settings = (folder / _ABOUT).exists() and _settings_fit(folder, here, repair)
    with convert_write_errors(folder, RecordsError):
        folder.mkdir(parents=True, exist_ok=True)
    _store_matrix(folder / MATRIX, preferences, repair)
    if not has_settings:
        write_settings(folder, here)
    return RunFolder(folder, here)


def refuse_old_layout(folder: Path) -> None:
    """Raise RecordsError if `folder` is a run set with the files of an older release."""
    path = folder / _OLD_ABOUT
    if path.exists() and not (folder / _ABOUT).exists():
        raise RecordsError(
            f"{path}: written by an older release of rankduel, with numbers of rankers; expected format "
            f"{_FORMAT} in {_ABOUT}. Choose another folder or name, or remove {folder}, and run it again"
        )


def _settings_fit(folder: Path, here: dict[str, Any], repair: bool) -> bool:
    """Return whether _study.json has the settings `here`; False if it must be written again."""
    try:
        there = read_settings(folder)
    except RecordsError:
        if not repair:
            raise
        older = _settings_of_another_release(folder)
        if older is not None:
            _check_same(folder, _relevant(older), _relevant(here))
        return False
    _check_same(folder, _relevant(there), _relevant(here))
    return True


def _store_matrix(path: Path, preferences: Preferences, repair: bool) -> None:
    if path.exists() and not repair:
        _check_matrix(path, preferences.digest)
    elif not path.exists() or not _has_matrix(path, preferences.digest):
        write_preferences(preferences, path)


def _has_matrix(path: Path, digest: str) -> bool:
    try:
        _check_matrix(path, digest)
    except RecordsError:
        return False
    return True


def _check_matrix(path: Path, digest: str) -> Preferences:
    """Return the matrix of a run set; raise RecordsError if it is damaged or has another digest."""
    try:
        preferences = read_preferences(path)
    except MatrixError as problem:
        raise RecordsError(f"{problem}; {_REPAIR} writes it again") from None
    if preferences.digest != digest:
        raise RecordsError(
            f"{path}: not the matrix that measured these runs: its digest is {preferences.digest}, "
            f"expected {digest}; {_REPAIR} writes it again"
        )
    return preferences


def _check_same(folder: Path, there: dict[str, Any], here: dict[str, Any]) -> None:
    different = [key for key in here.keys() | there.keys() if here.get(key) != there.get(key)]
    if different:
        key = min(different)
        raise RecordsError(
            f"{folder / _ABOUT}: the folder holds runs of another study: {key} is "
            f"{there.get(key, 'not set')} there and {here.get(key, 'not set')} now. {ANOTHER_RUN_SET}"
        )


def _relevant(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the settings that numbers depend on, as a flat mapping such as 'matrix.digest' -> value."""
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in INCIDENTAL:
            name = prefix + key
            flat |= _relevant(value, f"{name}.") if isinstance(value, dict) else {name: value}
    return flat


def write_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write _study.json: the settings, the versions of format and numbers, and a digest of both."""
    content = {**settings, **_VERSIONS}
    text = json.dumps({**content, "digest": digest_of(content)}, indent=2, sort_keys=True)
    path = folder / _ABOUT
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
    path = folder / _ABOUT
    content = _read_json(path)
    stated = content.pop("digest", None)
    found = {key: content.get(key) for key in _VERSIONS}
    if stated is None and found != _VERSIONS:
        raise _of_another_release(path, found)
    if stated != digest_of(content):
        raise _damaged_settings(path, "its settings do not have the digest in it")
    if found != _VERSIONS:
        raise _of_another_release(path, found)
    settings = {key: value for key, value in content.items() if key not in _VERSIONS}
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


def _settings_of_another_release(folder: Path) -> dict[str, Any] | None:
    """Return the settings of a _study.json without a digest, as in older releases; None if it is damaged."""
    try:
        content = _read_json(folder / _ABOUT)
    except RecordsError:
        return None
    return None if "digest" in content else content


def _damaged_settings(path: Path, reason: str) -> RecordsError:
    return RecordsError(
        f"{path}: damaged: {reason}. {_REPAIR[0].upper()}{_REPAIR[1:]} writes it again, and plays the runs "
        "again that do not fit it"
    )


def _of_another_release(path: Path, found: Mapping[str, Any]) -> RecordsError:
    """Return the error for versions of format and numbers that are not those of this release."""
    there = ", ".join(f"{key} {_shown(found.get(key))}" for key in _VERSIONS).replace("null", "not set")
    here = ", ".join(f"{key} {value}" for key, value in _VERSIONS.items())
    return RecordsError(
        f"{path}: written by another release of rankduel ({there}; expected {here}), whose numbers may "
        f"differ. {ANOTHER_RUN_SET}; or {_REPAIR} plays it again"
    )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        return json_object(path.read_bytes())
    except OSError as problem:
        raise RecordsError(f"{path}: cannot be read: {problem.strerror}") from None
    except ValueError as problem:
        raise _damaged_settings(path, str(problem)) from None


def record_path(folder: Path, policy: str, run: int) -> Path:
    return folder / _folder_name(policy) / f"{run}.parquet"


def _folder_name(policy: str) -> str:
    """Return the name of a policy's folder; no '=', and no '_' or '.' at the beginning (see the module)."""
    name = quote(policy, safe="(),+-._ ", errors="surrogatepass")
    return f"%{ord(name[0]):X}{name[1:]}" if name[:1] in ("_", ".") else name


def write_record(run_folder: RunFolder, policy: str, run: int, table: pd.DataFrame, seconds: float) -> None:
    """Write the table of a run, completely or not at all."""
    path = record_path(run_folder.path, policy, run)
    about = {
        **_VERSIONS,
        "study": run_folder.digest,
        "policy": policy,
        "run": run,
        "seed": run_folder.settings["seed"],
    }
    with convert_write_errors(path, RecordsError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(_time_file(path)) as temporary:
            temporary.write_text(f"{seconds:.6g}\n")
        with replacing(path) as temporary:
            temporary.write_bytes(table_content(_with_policy_and_run(table, policy, run), about))


def _with_policy_and_run(table: pd.DataFrame, policy: str, run: int) -> pd.DataFrame:
    """Return the table of a run with columns for policy and run, and with text columns of type string."""
    texts = {name: table[name].astype("string") for name in _TEXTS if name in table}
    named = table.assign(**texts)
    named.insert(0, "policy", pd.Series([encodable(policy)] * len(table), named.index, "string"))
    named.insert(1, "run", run)
    return named


def _time_file(path: Path) -> Path:
    return path.with_name(f"_{path.stem}.seconds")


def read_record(path: Path, run_folder: RunFolder) -> pd.DataFrame:
    """Return the table of one run, with columns for policy, run and seconds.

    Raises
    ------
    RecordsError
        If the file is damaged, or belongs to another run, study or release.
    FileNotFoundError
        If there is no such file.
    """
    try:
        record = read_table(path)
        _check_about(path, record, run_folder)
        _check_names(record)
        _check_values(record.values, run_folder)
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise RecordsError(f"{path}: cannot be read: {problem.strerror or problem}") from None
    except DamagedTable as problem:
        raise RecordsError(f"{path}: a damaged record: {problem}. {_repair_advice()}") from None
    return record.values.assign(seconds=_seconds(path))


def _repair_advice() -> str:
    return f"{_REPAIR[0].upper()}{_REPAIR[1:]} plays this run again"


def _check_about(path: Path, record: StoredTable, run_folder: RunFolder) -> None:
    """Raise RecordsError or DamagedTable unless the record belongs to this path and run set."""
    about = record.about
    if not record.verified and about.keys() != {"policy", "run"}:  # older releases wrote these two
        raise DamagedTable("the digest of its values is missing")
    if any(about.get(key) != value for key, value in _VERSIONS.items()):
        raise _of_another_release(path, about)
    policy = about.get("policy")
    run = about.get("run")
    if not isinstance(policy, str) or type(run) is not int:
        raise DamagedTable("its metadata lack the policy or the run")
    if (path.parent.name, path.stem) != (_folder_name(policy), str(run)):
        raise RecordsError(f"{path}: holds run {run} of {policy}, which was moved here. {_repair_advice()}")
    if about.get("study") != run_folder.digest:
        raise RecordsError(
            f"{path}: a record of another study: {_difference(record, run_folder)}. Move it to its own "
            f"folder, or {_REPAIR} plays this run again"
        )


def _difference(record: StoredTable, run_folder: RunFolder) -> str:
    """Return text on the first difference between a record and its run set."""
    seed = record.about.get("seed")
    expected = run_folder.settings
    if seed != expected["seed"]:
        return f"its seed is {seed}, and that of {_ABOUT} is {expected['seed']}"
    steps = record.values.get("step", pd.Series([0]))
    if len(steps) and steps.iloc[-1] != expected["horizon"]:
        return f"it ends at step {steps.iloc[-1]}, and the horizon of {_ABOUT} is {expected['horizon']}"
    return f"it was played with other settings than those of {_ABOUT}"


def _check_names(record: StoredTable) -> None:
    """Raise DamagedTable unless the columns for policy and run agree with the metadata."""
    values, about = record.values, record.about
    if list(values.columns)[:2] != ["policy", "run"]:
        raise DamagedTable(f"its columns are {', '.join(values.columns)}")
    policies, runs = (values[name].unique().tolist() for name in ("policy", "run"))
    if len(values) and (policies, runs) != ([encodable(about["policy"])], [about["run"]]):
        raise DamagedTable("its rows are of another policy or run")


def _check_values(values: pd.DataFrame, run_folder: RunFolder) -> None:
    """Raise DamagedTable unless the columns and steps are those of a run; the digest may be forged."""
    names = list(values.columns)
    needed = {"step", "e_bin" if run_folder.settings["mode"] == MULTILEAVE else "regret"}
    if len(set(names)) < len(names) or not needed <= set(names) or "seconds" in names:
        raise DamagedTable(f"its columns are {', '.join(names)}")
    if not all(kind.kind in "biuf" for name, kind in values.dtypes.items() if name not in _TEXTS):
        raise DamagedTable("a column holds values that are not numbers")
    if "recommended" in values and not all(map(_is_name, values["recommended"].unique())):
        raise DamagedTable("the column 'recommended' holds values that are not names")
    steps = values["step"].to_numpy()
    if steps.dtype != np.int64 or not len(steps) or steps[0] < 1 or (np.diff(steps) <= 0).any():
        raise DamagedTable("its steps do not increase from 1")
    if steps[-1] != run_folder.settings["horizon"]:
        raise DamagedTable(f"it ends at step {steps[-1]}; expected {run_folder.settings['horizon']}")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) or bool(pd.isna(value))


def _seconds(path: Path) -> float:
    try:
        return float(_time_file(path).read_text())
    except (OSError, ValueError):  # a run is valid without its duration
        return float("nan")


def read_run_set(
    folder: Path, shortened: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table
) -> RunSet:
    """Read all records of a run set; raise RecordsError for the first that does not belong to it.

    `shortened` is applied to the table of every run.
    """
    run_folder = RunFolder(folder, read_settings(folder))
    preferences = _check_matrix(folder / MATRIX, run_folder.settings["matrix"]["digest"])
    paths = list_records(folder)
    if not paths:
        raise RecordsError(f"{folder}: no finished runs yet; 'rankduel run' makes them")
    table = pd.concat([shortened(read_record(path, run_folder)) for path in paths], ignore_index=True)
    return RunSet(folder.name, run_folder.settings, preferences, table)


def list_records(folder: Path) -> list[Path]:
    """Return the files of all finished runs of a run set, by policy and number."""
    return sorted(folder.glob("*/*.parquet"), key=lambda path: (path.parent.name, _run_number(path)))


def read_run_sets(folder: str | Path) -> list[RunSet]:
    """Read every run set in a folder; `folder` may itself be a run set."""
    return [read_run_set(path) for path in list_run_sets(folder)]


def list_run_sets(folder: str | Path) -> list[Path]:
    """Return the folders of all run sets in a folder; `folder` may itself be a run set."""
    check_type("folder", folder, (str, Path), "the folder of a run set, or of several")
    folder = Path(folder)
    if not folder.is_dir():
        raise RecordsError(f"{folder}: there is no such folder; 'rankduel run ... --out DIR' makes records")
    found = sorted({path.parent for name in (_ABOUT, _OLD_ABOUT) for path in _files(folder, name)})
    if not found:
        raise RecordsError(f"{folder}: no records there; 'rankduel run ... --out {folder}' makes them")
    return found


def _files(folder: Path, name: str) -> list[Path]:
    return [*folder.glob(name), *folder.glob(f"*/{name}")]


def _run_number(path: Path) -> int:
    return int(path.stem) if path.stem.isdecimal() else -1
