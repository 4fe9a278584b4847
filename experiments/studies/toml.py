"""Studies of one's own, in TOML, with the fields of study.py (what is computed by a function is for Python):

    id = "mine"
    title = "RCS below RUCB"
    source = "my notes"
    question = "Does sampling help?"
    data = "built in"

    [[runs]]
    name = "easy"
    problem = "arithmetic"
    policies = ["rucb", "rcs"]
    sizes = { quick = { horizon = 1e4, runs = 10 }, paper = { horizon = 1e5, runs = 100 } }

    [[checks]]
    id = "rcs_below"
    claim = "RCS has less regret"
    order = { less = { part = "easy", policy = "rcs" }, more = { part = "easy", policy = "rucb" }, z = 3 }

    [[curves]]
    name = "regret"
    title = "Regret"
    part = "easy"

Tests are order, ratio, between, exact and report; a measure may say column, at, since, statistic, only.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from experiments.matrix.builtin import MATRICES
from experiments.specs import parse_policy
from experiments.studies.data import PUBLIC, is_file
from experiments.studies.problems import LETOR, parse_problem
from experiments.studies.study import (
    STATISTICS,
    TIERS,
    Between,
    Check,
    Curves,
    Exact,
    Measure,
    Order,
    Ratio,
    Report,
    Runs,
    Size,
    Study,
    full_name,
)
from rankduel.base.errors import StudyError
from rankduel.base.settings import find

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")  # of files and folders
TESTS = {"order": Order, "ratio": Ratio, "between": Between, "exact": Exact, "report": Report}


def read_study(path: str | Path) -> Study:
    path = Path(path)
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise StudyError(f"{path}: there is no such file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise StudyError(f"{path}: not TOML: {problem}") from None
    study = _study(table, str(path))
    check_study(study, str(path))
    return study


def _study(table: dict[str, Any], where: str) -> Study:
    table = dict(table)
    lists = {name: table.pop(name, []) for name in ("runs", "checks", "curves")}
    for name, entries in lists.items():
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise StudyError(f"{where}: '{name}' must be a list of tables, each under [[{name}]]")
    table |= {"parts": [_runs(entry, f"{where}, runs") for entry in lists["runs"]]}
    table |= {"checks": [_check(entry, f"{where}, checks") for entry in lists["checks"]]}
    table |= {"figures": [_made(Curves, entry, f"{where}, curves") for entry in lists["curves"]]}
    return _made(Study, table, where)


def _runs(table: dict[str, Any], where: str) -> Runs:
    sizes = table.get("sizes")
    if not isinstance(sizes, dict) or not sizes or not all(isinstance(size, dict) for size in sizes.values()):
        raise StudyError(f"{where}: expected sizes = {{ quick = {{ horizon = 1e5, runs = 10 }} }}")
    for tier in sizes:
        find(tier, dict.fromkeys(TIERS), "tier", StudyError)
    made = {tier: _made(Size, size, f"{where}, sizes.{tier}") for tier, size in sizes.items()}
    return _made(Runs, table | {"sizes": made}, where)


def _check(table: dict[str, Any], where: str) -> Check:
    table = dict(table)
    where = f"{where}, {table.get('id', '?')}"
    found = [name for name in TESTS if name in table]
    if len(found) != 1 or not isinstance(table[found[0]], dict):
        raise StudyError(f"{where}: expected one test, as a table: {', '.join(TESTS)}")
    test = {
        key: _made(Measure, value, f"{where}, {key}") if isinstance(value, dict) else value
        for key, value in table.pop(found[0]).items()
    }
    return _made(Check, table | {"test": _made(TESTS[found[0]], test, f"{where}, {found[0]}")}, where)


def _made(kind: Callable[..., Any], table: Mapping[str, Any], where: str) -> Any:
    """The value with these fields, or an error that names the field that is missing or unknown."""
    fields = _fields(kind)
    unknown = [key for key in table if key not in fields]
    if unknown:
        raise StudyError(f"{where}: no field '{unknown[0]}'; expected {', '.join(fields)}")
    missing = [key for key, is_needed in fields.items() if is_needed and key not in table]
    if missing:
        raise StudyError(
            f"{where}: '{missing[0]}' is missing; needed are {', '.join(k for k in fields if fields[k])}"
        )
    return kind(**table)


def _fields(kind: Any) -> dict[str, bool]:
    """Field -> must it be given?"""
    if dataclasses.is_dataclass(kind):
        no_default = dataclasses.MISSING
        return {
            field.name: field.default is no_default and field.default_factory is no_default
            for field in dataclasses.fields(kind)
        }
    return {name: name not in kind._field_defaults for name in kind._fields}


def check_study(study: Study, where: str) -> None:
    """Raise an error if something in a study cannot be: names, problems, tiers, what checks measure."""
    _check_name(study.id, f"{where}: the id")
    for named in (*study.parts, *study.figures, *study.tables):
        _check_name(named.name, f"{where}: the name of a part, a figure or a table")
    names = [part.name for part in study.parts]
    _refuse_twice(names, where, "parts")
    _refuse_twice([check.id for check in study.checks], where, "checks")
    runs = {part.name: part for part in study.parts if isinstance(part, Runs)}
    for part in study.parts:
        if part.problem:
            _check_problem(part.problem)
        for tier in part.sizes:
            find(tier, dict.fromkeys(TIERS), "tier", StudyError)
    played = {name: {full_name(policy) for policy in part.policies} for name, part in runs.items()}
    for check in study.checks:
        if not check.measures:
            raise StudyError(f"{where}: the test of '{check.id}' has nothing to measure")
        for measure in check.measures:
            _check_measure(measure, names, played, f"{where}: check '{check.id}'")


def _check_name(name: Any, what: str) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise StudyError(
            f"{what} is '{name}'; files are named by it, so expected letters, digits, '-', '_' and '.', and "
            "no '.' at the beginning"
        )


def _refuse_twice(names: list[str], where: str, what: str) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise StudyError(f"{where}: two {what} are named '{twice[0]}'")


def _check_problem(text: str) -> None:
    name = parse_problem(text).name
    if not is_file(name):
        find(name, {**MATRICES, **PUBLIC, LETOR: None}, "problem", StudyError)


def _check_measure(measure: Measure, names: list[str], played: Mapping[str, set[str]], where: str) -> None:
    if measure.part not in names:
        raise StudyError(f"{where}: there is no part '{measure.part}'; there are {', '.join(names)}")
    if measure.statistic not in STATISTICS:
        raise StudyError(f"{where}: no statistic '{measure.statistic}'; expected {', '.join(STATISTICS)}")
    if measure.only not in ("all", "right"):
        raise StudyError(f"{where}: only = '{measure.only}'; expected all or right")
    if measure.part in played and str(parse_policy(measure.policy)) not in played[measure.part]:
        raise StudyError(f"{where}: '{measure.policy}' is not played in '{measure.part}'")
