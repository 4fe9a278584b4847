"""Records of runs, written as runs end, so that an interrupted run set resumes.

    DIR/<set>/_settings.json                settings of all runs: problem, horizon, seed, versions
    DIR/<set>/_matrix.prefs.parquet       the preferences that measure regret
    DIR/<set>/<policy>/<run>.parquet      one run, a row per checkpoint
    DIR/<set>/<policy>/0-99.parquet       a block: runs 0 to 99, which replaces their files
    DIR/<set>/<policy>/_<name>.seconds    durations of the runs of <name>.parquet, one per line

The bytes of a record depend on id and seed only. A run with a file is done. When all runs of a block are
done, the block is written and the files of its runs are removed: a block takes half the space of its runs and
is read several times faster. Files are renamed into place, so a file is either complete or absent. The file
of a run that is also in a block was left by an interrupted process; it is ignored.

A run is written at most a second after it ends (recorder.py). So `kill -9` or a power cut loses, besides the
runs in play, at most the runs that ended within the last second. After an exception or Ctrl-C, `play_cells`
writes these.

Every record holds the digest of the settings of its run set, its policy, runs and seed, and a digest of its
values. A file that is damaged, or copied from another run set, is an error that names the file.

Readers of Parquet folders skip names that begin with '_' or '.', and interpret a folder name 'a=b' as the
value of a column. Therefore all other files begin with '_', folders of policies contain no '=', and every
record has columns for its policy and run: `pandas.read_parquet(DIR)` returns all records as one table.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd

from rankduel.base.errors import RecordsError, encodable
from rankduel.base.files import convert_write_errors, remove_leftovers, replacing, temporary_beside
from rankduel.base.stored import Kind
from rankduel.base.stored_tables import DamagedTable, StoredTable, read_table, table_content
from rankduel.experiments.limits import MOST_RUNS
from rankduel.experiments.runs.columns import texts
from rankduel.experiments.runs.folder import MULTILEAVE, REPAIR, SETTINGS, RunFolder

RECORD = Kind("a record of runs", f"{REPAIR} plays its runs again")
BLOCK = 100  # runs per block
_NAME = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)


def block_of(run: int) -> range:
    """Return the numbers of the runs of the block that contains `run`."""
    first = run - run % BLOCK
    return range(first, first + BLOCK)


def record_path(folder: Path, policy: str, run: int) -> Path:
    return _path(folder, policy, range(run, run + 1))


def block_path(folder: Path, policy: str, run: int) -> Path:
    """Return the file of the block that contains `run`."""
    return _path(folder, policy, block_of(run))


def _path(folder: Path, policy: str, runs: range) -> Path:
    return folder / folder_name(policy) / f"{file_stem(runs)}.parquet"


def folder_name(policy: str) -> str:
    """Return the name of a policy's folder; no '=', and no '_' or '.' at the beginning (see the module)."""
    name = quote(policy, safe="(),+-._ ", errors="surrogatepass")
    return f"%{ord(name[0]):X}{name[1:]}" if name[:1] in ("_", ".") else name


def file_stem(runs: range) -> str:
    return str(runs[0]) if len(runs) == 1 else f"{runs[0]}-{runs[-1]}"


def runs_in(path: Path) -> range:
    """Return the numbers of the runs that the name of a file states; an empty range for any other name."""
    found = _NAME.fullmatch(path.stem)
    return range(int(found[1]), int(found[2] or found[1]) + 1) if found else range(0)


def list_records(folder: Path) -> list[Path]:
    """Return the files of all finished runs of a run set, by policy and number."""
    paths = set(folder.glob("*/*.parquet"))
    return sorted((path for path in paths if not _is_in_block(path, paths)), key=_place)


def _is_in_block(path: Path, paths: set[Path]) -> bool:
    """Return whether `paths` contain the block of this single run."""
    runs = runs_in(path)
    return len(runs) == 1 and path.with_stem(file_stem(block_of(runs[0]))) in paths


def _place(path: Path) -> tuple[str, int, str]:
    """Return what a list of records is sorted by; files with other names are first."""
    runs = runs_in(path)
    return path.parent.name, runs[0] if runs else -1, path.name


def write_record(run_folder: RunFolder, policy: str, run: int, table: pd.DataFrame, seconds: float) -> None:
    """Write the table of a run, completely or not at all."""
    path = record_path(run_folder.path, policy, run)
    about = {**_about(run_folder, policy), "run": run}
    _write(path, _joined([table], policy, range(run, run + 1)), about, [seconds])


def write_block(
    run_folder: RunFolder, policy: str, first: int, tables: Sequence[pd.DataFrame], seconds: Sequence[float]
) -> None:
    """Write the tables of the runs of a block, in order, to one file; remove the files of these runs."""
    runs = block_of(first)
    about = {**_about(run_folder, policy), "runs": [runs[0], runs[-1]]}
    path = block_path(run_folder.path, policy, first)
    _write(path, _joined(tables, policy, runs), about, seconds)
    remove_records(run_folder.path, policy, runs)


def remove_records(folder: Path, policy: str, runs: range) -> None:
    """Remove the files of single runs, and what killed writers left; their block holds the same rows."""
    inside = folder / folder_name(policy)
    with convert_write_errors(inside, RecordsError):
        for name in os.listdir(inside):
            path = inside / name
            found = runs_in(path) if path.suffix == ".parquet" else range(0)
            if len(found) == 1 and found[0] in runs:
                time_file(path).unlink(missing_ok=True)
                path.unlink(missing_ok=True)  # another process may have removed it
    for run in runs:
        path = record_path(folder, policy, run)
        remove_leftovers(path)
        remove_leftovers(time_file(path))


def time_file(path: Path) -> Path:
    return path.with_name(f"_{path.stem}.seconds")


def _about(run_folder: RunFolder, policy: str) -> dict[str, Any]:
    seed = run_folder.settings["seed"]
    return {"settings": run_folder.digest, "policy": policy, "seed": seed}


def _write(path: Path, table: pd.DataFrame, about: Mapping[str, Any], seconds: Sequence[float]) -> None:
    with convert_write_errors(path, RecordsError):
        path.parent.mkdir(parents=True, exist_ok=True)
        times = time_file(path)
        with temporary_beside(times) as temporary:
            temporary.write_text("".join(f"{one:.6g}\n" for one in seconds))
            os.replace(temporary, times)  # without waiting for the disk: a run is valid without its duration
        with replacing(path) as temporary:
            temporary.write_bytes(table_content(RECORD, table, about))


def _joined(tables: Sequence[pd.DataFrame], policy: str, runs: range) -> pd.DataFrame:
    """Return one table of runs, with columns for policy and run, and with text columns of type string."""
    joined = pd.concat(tables, ignore_index=True)
    named = joined.assign(**{name: joined[name].astype("string") for name in texts() if name in joined})
    named.insert(0, "policy", pd.Series([encodable(policy)] * len(named), dtype="string"))
    named.insert(1, "run", np.repeat(runs, [len(table) for table in tables]))
    return named


def read_record(path: Path, run_folder: RunFolder) -> pd.DataFrame:
    """Return the table of a run or of all runs of a block, with columns for policy, run and seconds.

    Raises
    ------
    RecordsError
        If the file is damaged, or belongs to another run or run set.
    FileNotFoundError
        If there is no such file.
    """
    try:
        record = read_table(path, RECORD)
        runs = _checked_runs(path, record, run_folder)
        _check_names(record, runs)
        _check_values(record.values, runs, run_folder)
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise RecordsError(f"{path}: cannot be read: {problem.strerror or problem}") from None
    except DamagedTable as problem:
        raise RECORD._replace(advice=_advice(path)).unusable(path, f"a damaged record: {problem}") from None
    seconds = read_seconds(time_file(path), len(runs))
    return record.values.assign(seconds=np.repeat(seconds, len(record.values) // len(runs)))


def _advice(path: Path) -> str:
    return f"{REPAIR} plays {'this run' if len(runs_in(path)) == 1 else 'these runs'} again"


def _capitalised(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _checked_runs(path: Path, record: StoredTable, run_folder: RunFolder) -> range:
    """Return the runs of a record; raise an error unless it belongs to this path and run set."""
    about = record.about
    if not record.verified:
        raise DamagedTable("the digest of its values is missing")
    policy = about.get("policy")
    runs = _stated_runs(about)
    if not isinstance(policy, str) or not runs:
        raise DamagedTable("its metadata lack the policy or the run")
    if (path.parent.name, path.stem) != (folder_name(policy), file_stem(runs)):
        held = f"run {runs[0]}" if len(runs) == 1 else f"runs {runs[0]} to {runs[-1]}"
        advice = _capitalised(_advice(path))
        raise RecordsError(f"{path}: holds {held} of {policy}, which was moved here. {advice}")
    if about.get("settings") != run_folder.digest:
        raise RecordsError(
            f"{path}: a record of other runs: {_difference(record, run_folder)}. Move it to its own "
            f"folder, or {_advice(path)}"
        )
    return runs


def _stated_runs(about: Mapping[str, Any]) -> range:
    """Return the runs that the metadata of a record state; an empty range if they state none."""
    numbers = about.get("runs", [about.get("run")] * 2)
    if not isinstance(numbers, list) or len(numbers) != 2 or not all(map(_is_run_number, numbers)):
        return range(0)
    return range(numbers[0], numbers[1] + 1)


def _is_run_number(value: Any) -> bool:
    return type(value) is int and 0 <= value < MOST_RUNS


def _difference(record: StoredTable, run_folder: RunFolder) -> str:
    """Return text on the first difference between a record and its run set."""
    seed = record.about.get("seed")
    expected = run_folder.settings
    if seed != expected["seed"]:
        return f"its seed is {seed}, and that of {SETTINGS} is {expected['seed']}"
    steps = record.values.get("step", pd.Series([0]))
    if len(steps) and steps.iloc[-1] != expected["horizon"]:
        return f"it ends at step {steps.iloc[-1]}, and the horizon of {SETTINGS} is {expected['horizon']}"
    return f"it was played with other settings than those of {SETTINGS}"


def _check_names(record: StoredTable, runs: range) -> None:
    """Raise DamagedTable unless the columns for policy and run agree with the metadata."""
    values = record.values
    if list(values.columns)[:2] != ["policy", "run"]:
        raise DamagedTable(f"its columns are {', '.join(values.columns)}")
    if not len(values):
        return  # `_check_values` names the missing steps
    n_steps, odd = divmod(len(values), len(runs))
    has_policy = values["policy"].unique().tolist() == [encodable(record.about["policy"])]
    if odd or not has_policy or not _is_repeated(values["run"], runs, n_steps):
        raise DamagedTable("its rows are of another policy or run")


def _is_repeated(column: pd.Series, runs: range, n_steps: int) -> bool:
    return np.array_equal(column.to_numpy(), np.repeat(np.arange(runs[0], runs[-1] + 1), n_steps))


def _check_values(values: pd.DataFrame, runs: range, run_folder: RunFolder) -> None:
    """Raise DamagedTable unless the columns and steps are those of runs; the digest may be forged."""
    names = list(values.columns)
    needed = {"step", "e_bin" if run_folder.settings["mode"] == MULTILEAVE else "regret"}
    if len(set(names)) < len(names) or not needed <= set(names) or "seconds" in names:
        raise DamagedTable(f"its columns are {', '.join(names)}")
    if not all(kind.kind in "biuf" for name, kind in values.dtypes.items() if name not in texts()):
        raise DamagedTable("a column holds values that are not numbers")
    if "recommended" in values and not all(map(_is_name, values["recommended"].unique())):
        raise DamagedTable("the column 'recommended' holds values that are not names")
    _check_steps(values["step"].to_numpy(), len(runs), run_folder.settings["horizon"])


def _check_steps(steps: np.ndarray, n_runs: int, horizon: int) -> None:
    """Raise DamagedTable unless the steps of every run increase to the horizon, and are the same in all."""
    first = steps[: len(steps) // n_runs]
    if steps.dtype != np.int64 or not len(first) or first[0] < 1 or (np.diff(first) <= 0).any():
        raise DamagedTable("its steps do not increase from 1")
    if first[-1] != horizon:
        raise DamagedTable(f"it ends at step {first[-1]}; expected {horizon}")
    if (steps.reshape(n_runs, -1) != first).any():
        raise DamagedTable("its runs have different steps")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) or bool(pd.isna(value))


def run_seconds(folder: Path, policy: str) -> np.ndarray:
    """Return the durations of all recorded runs of a policy in a run set; NaN for unknown ones."""
    paths = [path for path in list_records(folder) if path.parent.name == folder_name(policy)]
    return np.concatenate([[], *(read_seconds(time_file(path), len(runs_in(path))) for path in paths)])


def read_seconds(path: Path, n_runs: int) -> np.ndarray:
    """Return the duration of each run from a file of them; NaN if unknown, as a run is valid without it."""
    try:
        found = [float(line) for line in path.read_text().split()]
    except (OSError, ValueError):
        found = []
    return np.array(found if len(found) == n_runs else [np.nan] * n_runs)
