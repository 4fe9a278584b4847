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
Files and folders are named by ids and names: letters, digits, '-', '_' and '.'. A policy may be a Python
file, found from the current folder; it is code, and is run only if the study is read with `trust`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from bandits.catalogue import POLICIES
from experiments.matrix.builtin import MATRICES
from experiments.specs import parse_policy
from experiments.studies.data import PUBLIC, is_file, stand_in_for
from experiments.studies.problems import LETOR, parse_problem
from experiments.studies.study import (
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
from rankduel.base.errors import RankduelError, StudyError
from rankduel.base.settings import Configured, Setting, find
from rankduel.base.text import shortened
from rankduel.base.toml import load_toml, read_table

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")  # of files and folders
_LONGEST_FILE = 200  # characters of the name of a matrix
# Of files and folders that every study has beside those of its parts (experiments/studies/playing.py).
_TAKEN = ("made", "figures", "checks.json")


@dataclass(frozen=True)
class _Claim:
    """An entry of [[checks]]: the fields of a check, its test by name."""

    id: str
    claim: str
    order: Order | None = None
    ratio: Ratio | None = None
    between: Between | None = None
    exact: Exact | None = None
    report: Report | None = None
    reference: str = ""
    runs: Annotated[int, Setting("with fewer the test says nothing", at_least=0, at_most=MOST_RUNS)] = 0
    real: bool = False
    explanation: str = ""


TESTS = ("order", "ratio", "between", "exact", "report")


@dataclass(frozen=True)
class _File:
    """The tables of a study."""

    id: str
    title: str
    source: str
    question: str
    data: str
    runs: Sequence[Runs] = ()
    checks: Sequence[_Claim] = ()
    curves: Sequence[Curves] = ()
    minutes: Mapping[Tier, Annotated[float, Setting("of one core", at_least=0, at_most=1e9)]] = field(
        default_factory=dict
    )
    seed: Annotated[int, Setting("of the runs", at_least=0, at_most=LARGEST_SEED)] = 0


def read_study(path: str | Path, *, trust: bool = False) -> Study:
    """Return the study that a TOML file describes.

    Parameters
    ----------
    path : str or Path
        The file.
    trust : bool, default False
        Allow policies that are Python files. They are run, and found from the current folder.

    Raises
    ------
    RankduelError
        If the file cannot be read, is not TOML, or describes no study that can be played.
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
    with _named(where):
        study = _with_policy_files(study, trust)
    check_study(study, where)
    return study


def _check(claim: _Claim, where: str) -> Check:
    found = [test for test in (getattr(claim, name) for name in TESTS) if test is not None]
    if len(found) != 1:
        raise StudyError(
            f"{where}: check '{shortened(claim.id)}' has {len(found)} tests; expected one test, as a table: "
            f"{', '.join(TESTS)}"
        )
    return Check(claim.id, claim.claim, found[0], claim.reference, claim.runs, claim.real, claim.explanation)


@contextmanager
def _named(where: str) -> Iterator[None]:
    """Put the place in front of an error's message."""
    try:
        yield
    except RankduelError as problem:
        raise type(problem)(f"{where}: {problem}") from None


def _with_policy_files(study: Study, trust: bool) -> Study:
    """Return the study with its policies of Python files loaded, and named as records name them."""
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
    checks = [replace(check, test=_renamed(check.test, files)) for check in study.checks]
    return replace(study, parts=parts, checks=checks, files={str(one): one for one in files.values()})


def _name_in(files: Mapping[str, Configured], text: str) -> str:
    return str(files[text]) if text in files else text


def _renamed(test: Test, files: Mapping[str, Configured]) -> Test:
    """Return the test with the names of its policies as records have them."""
    changed: Any = {
        name: value._replace(policy=_name_in(files, value.policy))
        for name, value in test._asdict().items()
        if isinstance(value, Measure)
    }
    return test._replace(**changed)


def check_study(study: Study, where: str) -> None:
    """Raise an error if a study cannot be played: names, problems, policies, what is measured and shown."""
    _check_names(study, where)
    runs = {part.name: part for part in study.parts if isinstance(part, Runs)}
    for part in study.parts:
        _check_sizes(part.sizes, f"{where}: part '{part.name}'")
        with _named(f"{where}: part '{part.name}'"):
            if part.problem or isinstance(part, Runs):  # a computed part may have none
                _check_problem(part.problem)
    played = {name: _policies(part, study, f"{where}: part '{name}'") for name, part in runs.items()}
    names = [part.name for part in study.parts]
    for check in study.checks:
        if not check.measures:
            raise StudyError(f"{where}: the test of '{check.id}' has nothing to measure")
        with _named(f"{where}: check '{check.id}'"):
            for measure in check.measures:
                _check_measure(measure, study, names, played)
    for figure in study.figures:
        if isinstance(figure, Curves):
            with _named(f"{where}: curves '{figure.name}'"):
                for name in (figure.part, *figure.beside):
                    find(name, runs, "part with runs", StudyError)


def _check_names(study: Study, where: str) -> None:
    _check_name(study.id, f"{where}: the id")
    parts = [part.name for part in study.parts]
    shown = [one.name for one in (*study.figures, *study.tables)]
    for name in (*parts, *shown):
        _check_name(name, f"{where}: the name of a part, a figure or a table")
        if name.lower().endswith(STAND_IN):
            raise StudyError(
                f"{where}: '{name}' ends in '{STAND_IN}', as names on stand-ins do; choose another"
            )
    _refuse_twice((*_TAKEN, *parts), where, "parts, or files of every study,")
    _refuse_twice(shown, where, "figures or tables")
    _refuse_twice([check.id for check in study.checks], where, "checks")


def _check_name(name: str, what: str) -> None:
    if not _NAME.fullmatch(name):
        raise StudyError(
            f"{what} is '{shortened(name)}'; files are named by it, so expected at most 100 letters, digits, "
            "'-', '_' and '.', and no '.' at the beginning"
        )


def _refuse_twice(names: Iterable[str], where: str, what: str) -> None:
    """Names of files must differ on disks that know no lower case."""
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise StudyError(f"{where}: two {what} are named '{name}', if case does not count")
        seen.add(name.lower())


def _check_sizes(sizes: Mapping[str, object], where: str) -> None:
    if not sizes:
        raise StudyError(f"{where}: expected sizes = {{ quick = {{ horizon = 1e5, runs = 10 }} }}")
    for tier in sizes:
        find(tier, dict.fromkeys(TIERS), "tier", StudyError)


def _check_problem(text: str) -> None:
    """Look up the matrices that a problem names, but no file."""
    name = parse_problem(text).name
    if len(name) > _LONGEST_FILE:
        raise StudyError(
            f"the problem is named '{shortened(name)}'; expected at most {_LONGEST_FILE} characters"
        )
    if not is_file(name):
        find(name, {**MATRICES, **PUBLIC, LETOR: None}, "problem", StudyError)
    stand_in_for(text, None)


def _policies(part: Runs, study: Study, where: str) -> set[str]:
    """Return the policies of a part as records name them."""
    with _named(where):
        names = [str(study.policy(policy)) for policy in part.policies]
    if not names:
        raise StudyError(f'{where}: no policies; expected policies = ["rucb"] or more')
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise StudyError(f"{where}: '{twice}' is played twice")
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
        raise StudyError(f"'{measure.policy}' is not played in '{measure.part}'")
