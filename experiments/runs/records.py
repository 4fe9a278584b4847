"""Records of runs: one small file per run, so that nothing is lost and nothing is done twice.

    DIR/<study>/_study.json              what all runs of the study share: problem, horizon, seed, versions
    DIR/<study>/_matrix.prefs.parquet    the preferences that regret is measured by
    DIR/<study>/<policy>/<run>.parquet   one run: a row per checkpoint; its bytes depend on no clock or worker
    DIR/<study>/<policy>/_<run>.seconds  how long it took

A run with a file is done. Files appear whole or not at all, so killing and starting again is normal. Every
record holds the digest of its study's settings, its policy, run and seed, and a digest of its values: a file
that was damaged, or copied from another study, is named and refused.

Readers of Parquet folders leave out names that begin with '_' or '.', and take 'a=b' for the value of a
column. So all but records begins with '_', folders of policies have neither, and every record has columns for
its policy and run: `pandas.read_parquet(DIR)` gives the records as one table.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
import pandas as pd

from experiments.digests import digest_of, json_object
from experiments.matrix.preferences import Preferences, read_preferences, write_preferences
from experiments.tables import DamagedTable, KeptTable, read_table, table_content
from rankduel.base.arguments import check_type
from rankduel.base.errors import MatrixError, RecordsError, encodable
from rankduel.base.files import replacing, saying_where, write_text
from rankduel.base.notebook import few, html_repr, short_repr

_ABOUT, MATRIX = "_study.json", "_matrix.prefs.parquet"
_OLD_ABOUT = "study.json"  # up to format 2, whose records have numbers of rankers instead of names
MULTILEAVE = "multileave"  # mode of run sets of multileaving, which measure no regret
_FORMAT = 3  # of study.json and of records
_NUMBERS = 1  # to be increased with every change after which a run of the same seed has other numbers
_VERSIONS = {"format": _FORMAT, "numbers": _NUMBERS}
# May differ from one call to the next: none of these changes a number.
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
_MOST_NAMED, _LONGEST_NAME = 4, 60  # files by which a run set is named, and characters of their names
_TEXTS = ("policy", "recommended")  # columns of a record that hold no numbers
_KINDS = {str: "text", int: "a whole number", dict: "an object"}


class RunSet(NamedTuple):
    name: str
    settings: Mapping[str, Any]
    preferences: Preferences
    table: pd.DataFrame  # one row per policy, run and checkpoint

    def _facts(self) -> dict[str, object]:
        """What a prompt shows."""
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
    """The folder of a run set, and what all its records share."""

    path: Path
    settings: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """Of all settings that a number depends on."""
        return digest_of(_relevant(self.settings))


def versions() -> dict[str, str]:
    return {"python": platform.python_version()} | {name: version(name) for name in _PACKAGES}


def run_set_name(files: Sequence[str], mode: str, duels: float, seed: int) -> str:
    """Return a name such as 'arxiv6-1e6' or 'bm25-neural-live-1e7-seed3': what must differ to keep runs
    apart."""
    parts = [problem_name(files), mode, f"{duels:g}".replace("e+0", "e"), f"seed{seed}" if seed else ""]
    return "-".join(part for part in parts if part)


def problem_name(files: Sequence[str]) -> str:
    """Return the names of some files without endings; of more, that of the folder that they are in."""
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
    """Make the folder of a study, or check that the one there is for the same settings.

    Parameters
    ----------
    folder : Path
        Folder of the run set.
    settings : Mapping
        What all runs share, as plain values.
    preferences : Preferences
        What regret is measured by; kept in the folder.
    repair : bool, default False
        Write damaged files of the folder again, and those of another release. A whole one of another study is
        refused in any case.

    Raises
    ------
    RecordsError
        If the folder is for other settings, damaged, of another release, or cannot be written.
    """
    refuse_old_layout(folder)
    here = json.loads(json.dumps(dict(settings)))
    is_kept = (folder / _ABOUT).exists() and _settings_fit(folder, here, repair)
    with saying_where(folder, RecordsError):
        folder.mkdir(parents=True, exist_ok=True)
    _keep_matrix(folder / MATRIX, preferences, repair)
    if not is_kept:
        write_settings(folder, here)
    return RunFolder(folder, here)


def refuse_old_layout(folder: Path) -> None:
    """Raise an error for a run set of a release that kept its files otherwise."""
    path = folder / _OLD_ABOUT
    if path.exists() and not (folder / _ABOUT).exists():
        raise RecordsError(
            f"{path}: written by an older release of rankduel, which kept rankers by number; expected format "
            f"{_FORMAT} in {_ABOUT}. Choose another folder or name, or remove {folder}, and run it again"
        )


def _settings_fit(folder: Path, here: dict[str, Any], repair: bool) -> bool:
    """Return true if _study.json is for these settings, and false if it is to be written again."""
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


def _keep_matrix(path: Path, preferences: Preferences, repair: bool) -> None:
    if path.exists() and not repair:
        _check_matrix(path, preferences.digest)
    elif not path.exists() or not _is_kept(path, preferences.digest):
        write_preferences(preferences, path)


def _is_kept(path: Path, digest: str) -> bool:
    try:
        _check_matrix(path, digest)
    except RecordsError:
        return False
    return True


def _check_matrix(path: Path, digest: str) -> Preferences:
    """Return the matrix of a run set; or an error if it is damaged, or not the one of the settings."""
    try:
        preferences = read_preferences(path)
    except MatrixError as problem:
        raise RecordsError(f"{problem}; {_REPAIR} writes it again") from None
    if preferences.digest != digest:
        raise RecordsError(
            f"{path}: not the matrix that these runs were measured by: its digest is {preferences.digest}, "
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
    """'matrix.digest' -> value, without what may differ."""
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in INCIDENTAL:
            name = prefix + key
            flat |= _relevant(value, f"{name}.") if isinstance(value, dict) else {name: value}
    return flat


def write_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write _study.json: the settings, the versions of its format and numbers, and a digest of all this."""
    content = {**settings, **_VERSIONS}
    text = json.dumps({**content, "digest": digest_of(content)}, indent=2, sort_keys=True)
    path = folder / _ABOUT
    with saying_where(path, RecordsError):
        write_text(path, text + "\n")


def read_settings(folder: Path) -> dict[str, Any]:
    """Return what all runs of a run set share.

    Raises
    ------
    RecordsError
        If the file of settings is damaged, lacks one or has one of the wrong type, or is of another release.
    """
    refuse_old_layout(folder)
    path = folder / _ABOUT
    content = _read_json(path)
    stated = content.pop("digest", None)
    found = {key: content.get(key) for key in _VERSIONS}
    if stated is None and found != _VERSIONS:
        raise _of_another_release(path, found)
    if stated != digest_of(content):
        raise _damaged_settings(path, "its settings do not have the digest that it states")
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
    """Return the settings in a _study.json without a digest, as older releases wrote it; None if damaged."""
    try:
        content = _read_json(folder / _ABOUT)
    except RecordsError:
        return None
    return None if "digest" in content else content


def _damaged_settings(path: Path, reason: str) -> RecordsError:
    return RecordsError(
        f"{path}: damaged: {reason}. {_REPAIR[0].upper()}{_REPAIR[1:]} writes it again, and plays what does "
        "not fit to it again"
    )


def _of_another_release(path: Path, found: Mapping[str, Any]) -> RecordsError:
    """Return the error about versions of the format and the numbers that are not those of this release."""
    there = ", ".join(f"{key} {_shown(found.get(key))}" for key in _VERSIONS).replace("null", "not said")
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
    """Return the name of a policy's folder, which readers of Parquet folders take for nothing else."""
    name = quote(policy, safe="(),+-._ ", errors="surrogatepass")
    return f"%{ord(name[0]):X}{name[1:]}" if name[:1] in ("_", ".") else name


def write_record(kept: RunFolder, policy: str, run: int, table: pd.DataFrame, seconds: float) -> None:
    """Write the table of a run, completely or not at all."""
    path = record_path(kept.path, policy, run)
    about = {**_VERSIONS, "study": kept.digest, "policy": policy, "run": run, "seed": kept.settings["seed"]}
    with saying_where(path, RecordsError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(_time_file(path)) as temporary:
            temporary.write_text(f"{seconds:.6g}\n")
        with replacing(path) as temporary:
            temporary.write_bytes(table_content(_named(table, policy, run), about))


def _named(table: pd.DataFrame, policy: str, run: int) -> pd.DataFrame:
    """Return the table of a run with its policy and number, and with text columns of one type."""
    texts = {name: table[name].astype("string") for name in _TEXTS if name in table}
    named = table.assign(**texts)
    named.insert(0, "policy", pd.Series([encodable(policy)] * len(table), named.index, "string"))
    named.insert(1, "run", run)
    return named


def _time_file(path: Path) -> Path:
    return path.with_name(f"_{path.stem}.seconds")


def read_record(path: Path, kept: RunFolder) -> pd.DataFrame:
    """Return one run of a run set, with its policy, number and time.

    Raises
    ------
    RecordsError
        If the file is damaged, of another run, another study or another release.
    FileNotFoundError
        If there is no such file.
    """
    try:
        record = read_table(path)
        _check_about(path, record, kept)
        _check_names(record)
        _check_values(record.values, kept)
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise RecordsError(f"{path}: cannot be read: {problem.strerror or problem}") from None
    except DamagedTable as problem:
        raise RecordsError(f"{path}: a damaged record: {problem}. {_plays_again()}") from None
    return record.values.assign(seconds=_seconds(path))


def _plays_again() -> str:
    return f"{_REPAIR[0].upper()}{_REPAIR[1:]} plays this run again"


def _check_about(path: Path, record: KeptTable, kept: RunFolder) -> None:
    """Raise an error if a record is not this run of this run set."""
    about = record.about
    if not record.verified and about.keys() != {"policy", "run"}:  # all that older releases wrote
        raise DamagedTable("the digest of its values is missing")
    if any(about.get(key) != value for key, value in _VERSIONS.items()):
        raise _of_another_release(path, about)
    policy = about.get("policy")
    run = about.get("run")
    if not isinstance(policy, str) or type(run) is not int:
        raise DamagedTable("it does not say which run it is")
    if (path.parent.name, path.stem) != (_folder_name(policy), str(run)):
        raise RecordsError(f"{path}: this is run {run} of {policy}; it was moved here. {_plays_again()}")
    if about.get("study") != kept.digest:
        raise RecordsError(
            f"{path}: a record of another study: {_difference(record, kept)}. Move it to its own folder, or "
            f"{_REPAIR} plays this run again"
        )


def _difference(record: KeptTable, kept: RunFolder) -> str:
    """Return what tells a record from those of a run set."""
    seeds = (record.about.get("seed"), kept.settings["seed"])
    if seeds[0] != seeds[1]:
        return f"its seed is {seeds[0]}, and that of {_ABOUT} is {seeds[1]}"
    steps = record.values.get("step", pd.Series([0]))
    if len(steps) and steps.iloc[-1] != kept.settings["horizon"]:
        return f"it ends at step {steps.iloc[-1]}, and the horizon of {_ABOUT} is {kept.settings['horizon']}"
    return f"it was played with other settings than those of {_ABOUT}"


def _check_names(record: KeptTable) -> None:
    """Raise an error if the columns for policy and run are not what the record says about itself."""
    values, about = record.values, record.about
    if list(values.columns)[:2] != ["policy", "run"]:
        raise DamagedTable(f"its columns are {', '.join(values.columns)}")
    named = values["policy"].eq(encodable(about["policy"])) & values["run"].eq(about["run"])
    if not named.all():
        raise DamagedTable("its rows are of another policy or run")


def _check_values(values: pd.DataFrame, kept: RunFolder) -> None:
    """Raise an error if a table is none of a run, for whatever reason it has the right digest."""
    names = list(values.columns)
    needed = {"step", "e_bin" if kept.settings["mode"] == MULTILEAVE else "regret"}
    if len(set(names)) < len(names) or not needed <= set(names) or "seconds" in names:
        raise DamagedTable(f"its columns are {', '.join(names)}")
    if not all(kind.kind in "biuf" for name, kind in values.dtypes.items() if name not in _TEXTS):
        raise DamagedTable("a column holds something else than numbers")
    if "recommended" in values and not values["recommended"].map(_is_name).all():
        raise DamagedTable("the column 'recommended' holds something else than names")
    steps = values["step"].to_numpy()
    if steps.dtype != np.int64 or not len(steps) or steps[0] < 1 or (np.diff(steps) <= 0).any():
        raise DamagedTable("its steps do not increase from 1")
    if steps[-1] != kept.settings["horizon"]:
        raise DamagedTable(f"it ends at step {steps[-1]}; expected {kept.settings['horizon']}")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) or bool(pd.isna(value))


def _seconds(path: Path) -> float:
    try:
        return float(_time_file(path).read_text())
    except (OSError, ValueError):  # a time is not worth a run
        return float("nan")


def read_run_set(folder: Path) -> RunSet:
    """Read all records of a run set; raise an error for the first that does not belong to it."""
    kept = RunFolder(folder, read_settings(folder))
    preferences = _check_matrix(folder / MATRIX, kept.settings["matrix"]["digest"])
    paths = sorted(folder.glob("*/*.parquet"), key=lambda path: (path.parent.name, _run_number(path)))
    if not paths:
        raise RecordsError(f"{folder}: no finished runs yet; 'rankduel run' makes them")
    table = pd.concat([read_record(path, kept) for path in paths], ignore_index=True)
    return RunSet(folder.name, kept.settings, preferences, table)


def read_run_sets(folder: str | Path) -> list[RunSet]:
    """Read every run set under a folder, or the one that it is."""
    return [read_run_set(path) for path in list_run_sets(folder)]


def list_run_sets(folder: str | Path) -> list[Path]:
    """Return the folders of all run sets under a folder, or itself if it is one."""
    check_type("folder", folder, (str, Path), "the folder of a run set, or of several")
    folder = Path(folder)
    if not folder.is_dir():
        raise RecordsError(f"{folder}: there is no such folder; 'rankduel run ... --out DIR' makes records")
    found = sorted({path.parent for name in (_ABOUT, _OLD_ABOUT) for path in _files(folder, name)})
    if not found:
        raise RecordsError(f"{folder}: no records in it; 'rankduel run ... --out {folder}' makes them")
    return found


def _files(folder: Path, name: str) -> list[Path]:
    return [*folder.glob(name), *folder.glob(f"*/{name}")]


def _run_number(path: Path) -> int:
    return int(path.stem) if path.stem.isdecimal() else -1
