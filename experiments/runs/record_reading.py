"""Read the records of runs, and check that each is intact and belongs to its place and its run set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankduel.base.errors import RecordsError, encodable
from rankduel.experiments.limits import MOST_RUNS
from rankduel.experiments.runs.records import TEXTS, file_stem, folder_name, list_records, runs_in, time_file
from rankduel.experiments.runs.run_folder import RunFolder
from rankduel.experiments.runs.study_file import MULTILEAVE, REPAIR, STUDY_FILE, VERSIONS, of_another_release
from rankduel.experiments.tables import DamagedTable, StoredTable, read_table


def read_record(path: Path, run_folder: RunFolder) -> pd.DataFrame:
    """Return the table of a run or of all runs of a block, with columns for policy, run and seconds.

    Raises
    ------
    RecordsError
        If the file is damaged, or belongs to another run, study or release.
    FileNotFoundError
        If there is no such file.
    """
    try:
        record = read_table(path)
        runs = _checked_runs(path, record, run_folder)
        _check_names(record, runs)
        _check_values(record.values, runs, run_folder)
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise RecordsError(f"{path}: cannot be read: {problem.strerror or problem}") from None
    except DamagedTable as problem:
        raise RecordsError(f"{path}: a damaged record: {problem}. {_capitalised(_advice(path))}") from None
    seconds = read_seconds(time_file(path), len(runs))
    return record.values.assign(seconds=np.repeat(seconds, len(record.values) // len(runs)))


def _advice(path: Path) -> str:
    return f"{REPAIR} plays {'this run' if len(runs_in(path)) == 1 else 'these runs'} again"


def _capitalised(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _checked_runs(path: Path, record: StoredTable, run_folder: RunFolder) -> range:
    """Return the runs of a record; raise an error unless it belongs to this path and run set."""
    about = record.about
    if not record.verified and about.keys() != {"policy", "run"}:  # older releases wrote these two
        raise DamagedTable("the digest of its values is missing")
    if any(about.get(key) != value for key, value in VERSIONS.items()):
        raise of_another_release(path, about)
    policy = about.get("policy")
    runs = _stated_runs(about)
    if not isinstance(policy, str) or not runs:
        raise DamagedTable("its metadata lack the policy or the run")
    if (path.parent.name, path.stem) != (folder_name(policy), file_stem(runs)):
        held = f"run {runs[0]}" if len(runs) == 1 else f"runs {runs[0]} to {runs[-1]}"
        advice = _capitalised(_advice(path))
        raise RecordsError(f"{path}: holds {held} of {policy}, which was moved here. {advice}")
    if about.get("study") != run_folder.digest:
        raise RecordsError(
            f"{path}: a record of another study: {_difference(record, run_folder)}. Move it to its own "
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
        return f"its seed is {seed}, and that of {STUDY_FILE} is {expected['seed']}"
    steps = record.values.get("step", pd.Series([0]))
    if len(steps) and steps.iloc[-1] != expected["horizon"]:
        return f"it ends at step {steps.iloc[-1]}, and the horizon of {STUDY_FILE} is {expected['horizon']}"
    return f"it was played with other settings than those of {STUDY_FILE}"


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
    if not all(kind.kind in "biuf" for name, kind in values.dtypes.items() if name not in TEXTS):
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
