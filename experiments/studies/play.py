"""Play a study: run its parts in order, save each result when it is complete, and resume after a stop.

    OUT/<study>-<tier>/<part>/              records of runs, as 'rankduel run' writes them
    OUT/<study>-<tier>/<part>.values.json   computed values, with the version of the part
    OUT/<study>-<tier>/_<part>.seconds      duration of computing them
    OUT/<study>-<tier>/made/                matrices computed from judged data
    OUT/<study>-<tier>/checks.json          verdicts

Results on stand-in data have a suffix, so that they are not mixed with results on the original data.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from rankduel.base.errors import RecordsError, StudyError
from rankduel.base.files import path_inside, write_text
from rankduel.base.settings import find
from rankduel.base.stored import Kind, read_json, write_json
from rankduel.base.watch import SILENT, Watch
from rankduel.experiments.cluster import Workers, workers_of
from rankduel.experiments.runs.folder import versions
from rankduel.experiments.runs.play import play_runs
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.studies import all_studies
from rankduel.experiments.studies.checks import Results, run_checks
from rankduel.experiments.studies.data.folder import data_folder
from rankduel.experiments.studies.data.judged import DataSource
from rankduel.experiments.studies.data.problems import open_problem, stand_in_for
from rankduel.experiments.studies.study import (
    STAND_IN,
    WRONG,
    Computed,
    Curves,
    Inputs,
    Part,
    Runs,
    Size,
    Study,
)
from rankduel.experiments.studies.toml import read_study
from rankduel.experiments.studies.verdicts import Record, write_records

CHECKS = "checks.json"
_VALUES = Kind("values of a part of a study", "they are computed again")

Tier = Literal["quick", "paper", "long"]


class Played(NamedTuple):
    """A study that was played: its results, the records of its checks, and the folder of its figures."""

    study: Study
    tier: str
    results: Results
    records: Sequence[Record]
    figures: Path


def folder_of(study: Study, tier: str, out: Path) -> Path:
    return path_inside(out, f"{study.id}-{tier}", StudyError)


def parts_to_play(study: Study, tier: str, data: Path | None, real: bool) -> list[tuple[Part, Size]]:
    """Return the parts of a tier with their sizes; with `real`, leave out parts that need stand-in data."""
    chosen: list[tuple[Part, Size]] = []
    left_out: set[str] = set()
    for part, size in study.parts_in(tier):
        after = part.after if isinstance(part, Computed) else ()
        if real and (left_out.intersection(after) or (part.problem and stand_in_for(part.problem, data))):
            left_out.add(part.name)
        else:
            chosen.append((part, size))
    return chosen


def count_runs(parts: Iterable[tuple[Part, Size]]) -> int:
    """Return the number of runs of all parts; a computed part counts as one run."""
    return sum(size.runs * len(part.policies) if isinstance(part, Runs) else 1 for part, size in parts)


def play_study(
    study: Study,
    tier: str,
    out: Path,
    *,
    data: Path | None = None,
    real: bool = False,
    repair: bool = False,
    jobs: Workers = 1,
    watch: Watch = SILENT,
) -> Results:
    """Play all parts of a tier and return their results; saved results are read instead.

    With `real`, parts that need stand-in data are left out. With `repair`, runs with a damaged record, or
    with the record of another run set, are played again. `watch` receives the number of runs as they end. The
    tables of runs have the columns that `columns_used` names.
    """
    folder = folder_of(study, tier, out)
    source = DataSource(data, folder / "made", jobs)
    tables: dict[str, pd.DataFrame] = {}
    values: dict[str, dict[str, Any]] = {}
    stand_ins: dict[str, str] = {}
    for part, size in parts_to_play(study, tier, data, real):
        problem, stand_in = _open_part_problem(part, source)
        stand_ins[part.name] = stand_in
        path = path_inside(folder, part.name + (STAND_IN if stand_in else ""), StudyError)
        if isinstance(part, Runs):
            assert problem is not None
            tables[part.name] = play_runs(
                problem,
                [study.policy(policy) for policy in part.policies],
                size.horizon,
                size.runs,
                seed=study.seed,
                jobs=jobs,
                folder=path,
                repair=repair,
                watch=watch,
                columns=columns_used(study, part.name),
            )
        else:
            seen = {name: tables[name] for name in part.after}
            preferences, arena = (problem.preferences, problem.arena) if problem else (None, None)
            inputs = Inputs(preferences, size, seen, jobs, data, path, arena)
            values[part.name] = _computed_values(part, inputs, path)
            watch.runs(1)
            # Values computed from runs use the data of these runs.
            used = [stand_in, *(stand_ins[name] for name in part.after)]
            stand_ins[part.name] = "; ".join(dict.fromkeys(filter(None, used)))
    return Results(tables, values, stand_ins)


def columns_used(study: Study, part: str) -> frozenset[str] | None:
    """Return the columns of the runs of `part` that checks and figures use, besides policy, run and step.

    None means all columns: the runs are an input of a computed part, whose function may use any of them.
    """
    if any(part in one.after for one in study.parts if isinstance(one, Computed)):
        return None
    lines = [line for one in study.figures if not isinstance(one, Curves) for line in one.lines.values()]
    measures = [measure for check in study.checks for measure in check.measures]
    measures += [measure for line in lines for measure in line.values()]
    curves = [one for one in study.figures if isinstance(one, Curves)]
    used = {measure.column for measure in measures if measure.part == part}
    used |= {curve.column for curve in curves if part in (curve.part, *curve.beside)}
    return frozenset({"correct"} | used - {WRONG})  # measures of wrong runs and of right runs need "correct"


def check(study: Study, tier: str, out: Path, results: Results) -> list[Record]:
    """Run all checks, write their records to checks.json, and return them."""
    records = run_checks(study, results)
    folder_of(study, tier, out).mkdir(parents=True, exist_ok=True)  # missing if no part wrote a file
    about = {"study": study.id, "title": study.title, "source": study.source, "tier": tier}
    write_records(records, folder_of(study, tier, out) / CHECKS, about | {"versions": versions()})
    return records


def _open_part_problem(part: Part, source: DataSource) -> tuple[Problem | None, str]:
    if not part.problem:
        return None, ""
    opened = open_problem(part.problem, source, part.regret if isinstance(part, Runs) else "")
    return opened.problem, opened.stand_in


def _computed_values(part: Computed, inputs: Inputs, path: Path) -> dict[str, Any]:
    """Return the values of a computed part; stored values of the same matrix, size and version are read."""
    if not part.cached:
        return _as_floats(part.make(inputs))
    file = _values_file(path)
    key = _key(part, inputs.size) | {"matrix": inputs.preferences.digest if inputs.preferences else ""}
    saved = _read_cache(file)
    if saved.get("of") == key:
        return dict(saved["values"])
    started = time.perf_counter()
    values = _as_floats(part.make(inputs))
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(seconds_file(path), f"{time.perf_counter() - started:.6g}\n")
    write_json(file, _VALUES, {"of": key, "values": values})
    return values


def has_values(part: Computed, size: Size, path: Path) -> bool:
    """Return whether values of a computed part are stored for its version and this size; for any matrix."""
    saved = _read_cache(_values_file(path)).get("of", {})
    return {name: saved.get(name) for name in ("size", "version")} == _key(part, size)


def _values_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.values.json")


def seconds_file(path: Path) -> Path:
    """Return the file with the duration of a computed part, whose other files begin with `path`."""
    return path.with_name(f"_{path.name}.seconds")


def _key(part: Computed, size: Size) -> dict[str, Any]:
    """Return what identifies stored values besides the digest of their matrix."""
    return {"size": list(size), "version": part.version}


def _as_floats(values: Any) -> dict[str, Any]:
    """Return the values as floats and lists of floats, which JSON can represent."""
    return {str(name): np.asarray(value, float).tolist() for name, value in values.items()}


def _read_cache(file: Path) -> Mapping[str, Any]:
    """Return the content of a cache file; {} if it is missing or damaged."""
    try:
        return read_json(file, _VALUES).content
    except (FileNotFoundError, RecordsError):
        return {}


def study(
    name: str,
    *,
    tier: Tier = "quick",
    data: str | Path | None = None,
    real: bool = False,
    out: str | Path = "results/studies",
    repair: bool = False,
    jobs: int = -1,
    scheduler: str | None = None,
    watch: Watch = SILENT,
    trust: bool = False,
) -> Played:
    """Run a published experiment, or one of your own, and check its claims.

    Parameters
    ----------
    name : str
        A study by name, or a TOML file; ``rankduel study list`` shows the names.
    tier : {"quick", "paper", "long"}, default "quick"
        Length of the runs: minutes, or the published scale.
    data : str or Path, optional
        Folder of public data that are not part of rankduel. By default ``$RANKDUEL_DATA``.
    real : bool, default False
        Whether to omit parts whose data are missing and would be replaced by a substitute.
    out : str or Path, default "results/studies"
        Folder of the results; finished runs are not repeated.
    repair : bool, default False
        Whether to repeat runs whose records are damaged or of another run set, instead of raising an error.
    jobs : int, default -1
        Number of parallel runs; -1 uses all cores.
    scheduler : str, optional
        Address of a Dask scheduler whose workers share the work, or ``"local:N"`` for N worker processes on
        this machine.
    watch : Watch, optional
        Receives the progress.
    trust : bool, default False
        Whether to run the Python files that a TOML file names as policies. Such a file is code; its path is
        relative to the current folder.

    Returns
    -------
    Played
        ``records`` has a verdict for every claim, ``results`` the tables and values behind them. The tables
        have the columns that claims and figures use; `load_records` returns all.

    Examples
    --------
    >>> played = rankduel.study("facts", out="studies")
    >>> {record.verdict for record in played.records} <= {"holds", "skipped", "report", "warns"}
    True
    """
    chosen = find_study(name, trust=trust)
    where = Path(out)
    found = data_folder(None if data is None else Path(data))
    with workers_of(jobs, scheduler) as workers:
        results = play_study(
            chosen,
            tier,
            where,
            data=found,
            real=real,
            repair=repair,
            jobs=workers,
            watch=watch,
        )
    records = check(chosen, tier, where, results)
    return Played(chosen, tier, results, records, folder_of(chosen, tier, where) / "figures")


def find_study(name: str, *, trust: bool = False) -> Study:
    """Return a study by name, or from a TOML file; `trust` allows its policies to be Python files."""
    if name.endswith(".toml"):
        return read_study(name, trust=trust)
    return find(name, all_studies(), "study", StudyError)
