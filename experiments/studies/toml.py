"""Read a user's own study from TOML, with the fields of study.py except computed parts:

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

Tests are order, ratio, between, exact and report. A measure may have column, at, since, statistic and only.
Ids and names become names of files and folders, and consist of letters, digits, '-', '_' and '.'. A policy
may be a Python file, relative to the current folder; its code runs only if the study is read with `trust`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from rankduel.bandits.catalogue import POLICIES
from rankduel.base.errors import RankduelError, StudyError
from rankduel.base.settings import Configured, Setting, find
from rankduel.base.text import shortened
from rankduel.base.toml import load_toml, read_table
from rankduel.experiments.matrix.builtin import FAMILIES, MATRICES, make_matrix
from rankduel.experiments.specs import parse_policy
from rankduel.experiments.studies.data.problems import LETOR, is_file, parse_problem, stand_in_for
from rankduel.experiments.studies.data.public import PUBLIC
from rankduel.experiments.studies.study import (
    COLUMNS,
    LARGEST_SEED,
    MOST_RUNS,
    STAND_IN,
    STATISTICS,
    TIERS,
    WRONG,
    Between,
    Check,
    Curves,
    Exact,
    Measure,
    Order,
    Ratio,
    Report,
    Runs,
    Study,
    Test,
    Tier,
)

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")  # valid names of files and folders
_LONGEST_FILE = 200  # characters in the file name of a matrix
# Files and folders of every study, which no part may replace (experiments/studies/play.py).
_RESERVED = ("made", "figures", "checks.json")


@dataclass(frozen=True)
class _Claim:
    """An entry of [[checks]]: the fields of a check, with one field per kind of test."""

    id: str
    claim: str
    order: Order | None = None
    ratio: Ratio | None = None
    between: Between | None = None
    exact: Exact | None = None
    report: Report | None = None
    reference: str = ""
    runs: Annotated[int, Setting("fewest runs for the test", at_least=0, at_most=MOST_RUNS)] = 0
    real: bool = False
    explanation: str = ""


TESTS = ("order", "ratio", "between", "exact", "report")


@dataclass(frozen=True)
class _File:
    """The top level of a TOML file."""

    id: str
    title: str
    source: str
    question: str
    data: str
    runs: Sequence[Runs] = ()
    checks: Sequence[_Claim] = ()
    curves: Sequence[Curves] = ()
    minutes: Mapping[Tier, Annotated[float, Setting("minutes of one core", at_least=0, at_most=1e9)]] = field(
        default_factory=dict
    )
    seed: Annotated[int, Setting("seed of the runs", at_least=0, at_most=LARGEST_SEED)] = 0


def read_study(path: str | Path, *, trust: bool = False) -> Study:
    """Return the study that a TOML file describes.

    Parameters
    ----------
    path : str or Path
        The TOML file.
    trust : bool, default False
        Allow policies that are Python files. Their code runs; paths are relative to the current folder.

    Returns
    -------
    Study
        The validated study.

    Raises
    ------
    RankduelError
        If the file cannot be read, is not TOML, or does not describe a valid study.
    """
    where = str(path)
    written = read_table(_File, load_toml(path, StudyError), where, StudyError)
    study = Study(
        id=written.id,
        title=written.title,
        source=written.source,
        question=written.question,
        data=written.data,
        parts=written.runs,
        checks=[_check(claim, where) for claim in written.checks],
        figures=written.curves,
        minutes=written.minutes,
        seed=written.seed,
    )
    with _prefix_errors(where):
        study = _with_policy_files(study, trust)
    check_study(study, where)
    return study


def _check(claim: _Claim, where: str) -> Check:
    found = [test for test in (getattr(claim, name) for name in TESTS) if test is not None]
    if len(found) != 1:
        raise StudyError(
            f"{where}: check '{shortened(claim.id)}' has {len(found)} tests; expected exactly one table of: "
            f"{', '.join(TESTS)}"
        )
    return Check(claim.id, claim.claim, found[0], claim.reference, claim.runs, claim.real, claim.explanation)


@contextmanager
def _prefix_errors(where: str) -> Iterator[None]:
    """Prefix the message of an error with `where`."""
    try:
        yield
    except RankduelError as problem:
        raise type(problem)(f"{where}: {problem}") from None


def _with_policy_files(study: Study, trust: bool) -> Study:
    """Return the study with policies from Python files loaded, and named as in records."""
    texts = [policy for part in study.parts if isinstance(part, Runs) for policy in part.policies]
    texts += [measure.policy for check in study.checks for measure in check.measures]
    parsed = {text: parse_policy(text, trust=trust) for text in dict.fromkeys(texts)}
    files = {text: policy for text, policy in parsed.items() if policy.name not in POLICIES}
    if not files:
        return study
    parts = [
        replace(part, policies=[_name_in(files, policy) for policy in part.policies])
        for part in study.parts
        if isinstance(part, Runs)
    ]
    checks = [replace(check, test=_rename_policies(check.test, files)) for check in study.checks]
    return replace(study, parts=parts, checks=checks, files={str(one): one for one in files.values()})


def _name_in(files: Mapping[str, Configured], text: str) -> str:
    return str(files[text]) if text in files else text


def _rename_policies(test: Test, files: Mapping[str, Configured]) -> Test:
    """Return the test with policies from Python files named as in records."""
    changed: Any = {
        name: value._replace(policy=_name_in(files, value.policy))
        for name, value in test._asdict().items()
        if isinstance(value, Measure)
    }
    return test._replace(**changed)


def check_study(study: Study, where: str) -> None:
    """Raise an error if names, sizes, problems, policies, measures or figures of a study are invalid."""
    _check_names(study, where)
    runs = {part.name: part for part in study.parts if isinstance(part, Runs)}
    for part in study.parts:
        _check_sizes(part.sizes, f"{where}: part '{part.name}'")
        with _prefix_errors(f"{where}: part '{part.name}'"):
            if part.problem or isinstance(part, Runs):  # a computed part may have no problem
                _check_problem(part.problem)
    played = {name: _policies(part, study, f"{where}: part '{name}'") for name, part in runs.items()}
    names = [part.name for part in study.parts]
    for check in study.checks:
        if not check.measures:
            raise StudyError(f"{where}: the test of '{check.id}' has no measure")
        with _prefix_errors(f"{where}: check '{check.id}'"):
            for measure in check.measures:
                _check_measure(measure, study, names, played)
    for figure in study.figures:
        if isinstance(figure, Curves):
            with _prefix_errors(f"{where}: curves '{figure.name}'"):
                for name in (figure.part, *figure.beside):
                    find(name, runs, "part with runs", StudyError)
                if figure.bounds:
                    find(figure.bounds, dict.fromkeys(names), "part", StudyError)


def _check_names(study: Study, where: str) -> None:
    _check_name(study.id, f"{where}: the id")
    parts = [part.name for part in study.parts]
    figures = [one.name for one in (*study.figures, *study.tables)]
    for name in (*parts, *figures):
        _check_name(name, f"{where}: the name of a part, a figure or a table")
        if name.lower().endswith(STAND_IN):
            raise StudyError(
                f"{where}: '{name}' ends in '{STAND_IN}', which is reserved for stand-in data; choose "
                "another name"
            )
    _refuse_duplicates((*_RESERVED, *parts), where, "parts, or a part and a file of every study,")
    _refuse_duplicates(figures, where, "figures or tables")
    _refuse_duplicates([check.id for check in study.checks], where, "checks")


def _check_name(name: str, what: str) -> None:
    if not _NAME.fullmatch(name):
        raise StudyError(
            f"{what} is '{shortened(name)}'; it is the name of a file, so expected at most 100 letters, "
            "digits, '-', '_' and '.', and no '.' at the beginning"
        )


def _refuse_duplicates(names: Iterable[str], where: str, what: str) -> None:
    """Raise an error if two names differ in case only, as some file systems ignore case."""
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise StudyError(f"{where}: two {what} are named '{name}', ignoring case; rename one of them")
        seen.add(name.lower())


def _check_sizes(sizes: Mapping[str, object], where: str) -> None:
    if not sizes:
        raise StudyError(f"{where}: expected sizes = {{ quick = {{ horizon = 1e5, runs = 10 }} }}")
    for tier in sizes:
        find(tier, dict.fromkeys(TIERS), "tier", StudyError)


def _check_problem(text: str) -> None:
    """Raise an error if a problem is invalid or names an unknown matrix; files are not opened."""
    problem = parse_problem(text)
    name = problem.name
    if len(name) > _LONGEST_FILE:
        raise StudyError(
            f"the name of the problem is '{shortened(name)}'; expected at most {_LONGEST_FILE} characters"
        )
    if not is_file(name):
        find(name, {**MATRICES, **FAMILIES, **PUBLIC, LETOR: None}, "problem", StudyError)
    if name in FAMILIES:
        make_matrix(problem)  # its settings may contradict each other
    stand_in_for(text, None)


def _policies(part: Runs, study: Study, where: str) -> set[str]:
    """Return the policies of a part, named as in records."""
    with _prefix_errors(where):
        names = [str(study.policy(policy)) for policy in part.policies]
    if not names:
        raise StudyError(f'{where}: no policies; expected at least one, as in policies = ["rucb"]')
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise StudyError(f"{where}: '{repeated}' is listed twice; remove one")
    return set(names)


def _check_measure(
    measure: Measure, study: Study, names: Sequence[str], played: Mapping[str, set[str]]
) -> None:
    find(measure.part, dict.fromkeys(names), "part", StudyError)
    find(measure.statistic, dict.fromkeys(STATISTICS), "statistic", StudyError)
    find(measure.only, dict.fromkeys(("all", "right")), "choice of runs", StudyError)
    if measure.part not in played:
        return
    find(measure.column, dict.fromkeys((*COLUMNS, WRONG)), "column", StudyError)
    if str(study.policy(measure.policy)) not in played[measure.part]:
        raise StudyError(f"'{measure.policy}' is not a policy of part '{measure.part}'")
