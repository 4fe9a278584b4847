"""Playing a study: its parts one after the other, kept as they end, resumed where they stopped.

    OUT/<study>-<tier>/<part>/              records of runs, as 'rankduel run' keeps them
    OUT/<study>-<tier>/<part>.values.json   what was computed
    OUT/<study>-<tier>/made/                matrices made from judged data
    OUT/<study>-<tier>/checks.json          the verdicts

A part that was played on a stand-in says so in its name, so that nothing is mixed once the data are there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from experiments.cluster import Workers
from experiments.matrix.preferences import Preferences
from experiments.runs.problem import Problem
from experiments.runs.records import versions
from experiments.runs.run import run
from experiments.studies.checks import Record, Results, run_checks, write_records
from experiments.studies.data import Shelf, open_problem, stand_in_for
from experiments.studies.study import STAND_IN, Bench, Computed, Part, Runs, Size, Study
from rankduel.base.errors import StudyError
from rankduel.base.files import path_inside, write_text

CHECKS = "checks.json"


class Played(NamedTuple):
    """A study, what it found, and where its figures are."""

    study: Study
    tier: str
    results: Results
    records: Sequence[Record]
    figures: Path


def folder_of(study: Study, tier: str, out: Path) -> Path:
    return path_inside(out, f"{study.id}-{tier}", StudyError)


def parts_to_play(study: Study, tier: str, data: Path | None, real: bool) -> list[tuple[Part, Size]]:
    """Those of the tier; if `real`, without those whose data only stand in for others."""
    chosen: list[tuple[Part, Size]] = []
    left_out: set[str] = set()
    for part, size in study.sized(tier):
        after = part.after if isinstance(part, Computed) else ()
        if real and (left_out.intersection(after) or (part.problem and stand_in_for(part.problem, data))):
            left_out.add(part.name)
        else:
            chosen.append((part, size))
    return chosen


def count_runs(parts: Iterable[tuple[Part, Size]]) -> int:
    """Runs of policies; a computed part counts as one."""
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
    command: str = "",
    done: Callable[[int], None] = lambda n: None,
) -> Results:
    """All parts of a tier, or those with real data; those that are there already are read.

    With `repair`, runs whose record is damaged or of another study are played again.
    """
    folder = folder_of(study, tier, out)
    shelf = Shelf(data, folder / "made", jobs)
    tables: dict[str, pd.DataFrame] = {}
    values: dict[str, dict[str, Any]] = {}
    stand_ins: dict[str, str] = {}
    for part, size in parts_to_play(study, tier, data, real):
        problem, stand_in = _opened(part, shelf)
        stand_ins[part.name] = stand_in
        path = path_inside(folder, part.name + (STAND_IN if stand_in else ""), StudyError)
        if isinstance(part, Runs):
            assert problem is not None
            tables[part.name] = run(
                problem,
                [study.policy(policy) for policy in part.policies],
                size.horizon,
                size.runs,
                seed=study.seed,
                jobs=jobs,
                folder=path,
                repair=repair,
                command=command,
                done=done,
            )
        else:
            seen = {name: tables[name] for name in part.after}
            preferences, arena = (problem.preferences, problem.arena) if problem else (None, None)
            bench = Bench(preferences, size, seen, jobs, data, path, arena)
            values[part.name] = _computed(part, bench, path)
            done(1)
            # What is computed from runs stands on the same data.
            under = [stand_in, *(stand_ins[name] for name in part.after)]
            stand_ins[part.name] = "; ".join(dict.fromkeys(filter(None, under)))
    return Results(tables, values, stand_ins)


def check(study: Study, tier: str, out: Path, results: Results) -> list[Record]:
    """The verdicts, which are also written."""
    records = run_checks(study, results)
    folder_of(study, tier, out).mkdir(parents=True, exist_ok=True)  # no part may have left a file
    about = {"study": study.id, "title": study.title, "source": study.source, "tier": tier}
    write_records(records, folder_of(study, tier, out) / CHECKS, about | {"versions": versions()})
    return records


def _opened(part: Part, shelf: Shelf) -> tuple[Problem | None, str]:
    if not part.problem:
        return None, ""
    opened = open_problem(part.problem, shelf, part.regret if isinstance(part, Runs) else "")
    return opened.problem, opened.stand_in


def _computed(part: Computed, bench: Bench, path: Path) -> dict[str, Any]:
    if not part.kept:
        return _plain(part.make(bench))
    file = path.with_name(f"{path.name}.values.json")
    key = _key(bench.preferences, bench.size)
    kept = _read(file)
    if kept.get("of") == key:
        return dict(kept["values"])
    values = _plain(part.make(bench))
    file.parent.mkdir(parents=True, exist_ok=True)
    found = {"of": key, "values": values}
    text = json.dumps(found | {"digest": _digest(found)}, indent=1, sort_keys=True)
    write_text(file, text + "\n")
    return values


def _key(preferences: Preferences | None, size: Size) -> dict[str, Any]:
    """What the numbers depend on."""
    return {"matrix": preferences.digest if preferences else "", "size": list(size)}


def _plain(values: Any) -> dict[str, Any]:
    """As numbers that a file keeps."""
    return {str(name): np.asarray(value, float).tolist() for name, value in values.items()}


def _digest(found: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def _read(file: Path) -> dict[str, Any]:
    """Return what was kept; nothing if it is damaged or not there, so that it is computed anew."""
    try:
        kept = json.loads(file.read_text("utf-8"))
        digest = kept.pop("digest")
        return kept if digest == _digest(kept) else {}
    except (FileNotFoundError, ValueError, RecursionError, AttributeError, TypeError, KeyError):
        return {}
