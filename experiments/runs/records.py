"""Records of runs, written as runs end, so that an interrupted run set resumes.

    DIR/<study>/_study.json                 settings of all runs: problem, horizon, seed, versions
    DIR/<study>/_matrix.prefs.parquet       the preferences that measure regret
    DIR/<study>/<policy>/<run>.parquet      one run, a row per checkpoint
    DIR/<study>/<policy>/0-99.parquet       a block: runs 0 to 99, which replaces their files
    DIR/<study>/<policy>/_<name>.seconds    durations of the runs of <name>.parquet, one per line

The bytes of a record depend on id and seed only. A run with a file is done. When all runs of a block are
done, the block is written and the files of its runs are removed: a block takes half the space of its runs and
is read several times faster. Files are renamed into place, so a file is either complete or absent. The file
of a run that is also in a block was left by an interrupted process; it is ignored.

A run is written at most a second after it ends (recorder.py). So `kill -9` or a power cut loses, besides the
runs in play, at most the runs that ended within the last second. After an exception or Ctrl-C, `play_cells`
writes these.

Every record holds the digest of its study's settings, its policy, runs and seed, and a digest of its values.
A file that is damaged, or copied from another study, is an error that names the file.

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
from rankduel.experiments.runs.run_folder import RunFolder
from rankduel.experiments.runs.study_file import VERSIONS
from rankduel.experiments.tables import table_content

BLOCK = 100  # runs per block
TEXTS = ("policy", "recommended")  # columns of a record that hold no numbers
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
    return {**VERSIONS, "study": run_folder.digest, "policy": policy, "seed": seed}


def _write(path: Path, table: pd.DataFrame, about: Mapping[str, Any], seconds: Sequence[float]) -> None:
    with convert_write_errors(path, RecordsError):
        path.parent.mkdir(parents=True, exist_ok=True)
        times = time_file(path)
        with temporary_beside(times) as temporary:
            temporary.write_text("".join(f"{one:.6g}\n" for one in seconds))
            os.replace(temporary, times)  # without waiting for the disk: a run is valid without its duration
        with replacing(path) as temporary:
            temporary.write_bytes(table_content(table, about))


def _joined(tables: Sequence[pd.DataFrame], policy: str, runs: range) -> pd.DataFrame:
    """Return one table of runs, with columns for policy and run, and with text columns of type string."""
    joined = pd.concat(tables, ignore_index=True)
    named = joined.assign(**{name: joined[name].astype("string") for name in TEXTS if name in joined})
    named.insert(0, "policy", pd.Series([encodable(policy)] * len(named), dtype="string"))
    named.insert(1, "run", np.repeat(runs, [len(table) for table in tables]))
    return named
