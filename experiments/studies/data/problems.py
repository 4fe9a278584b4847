"""Problems of studies: the data of a part as text, and how they are opened.

cycle                                   a built-in matrix
btl(k=100,spread=0.5)                   a family of matrices with its settings
mslr-navigational                       a public matrix, looked up by file name
mslr-perfect(lex=10,base=1)             its first 10 rankers, with features numbered from 1 and sorted as text
mslr-navigational(random=16,seed=3)     16 random rankers with a Condorcet winner
...(random=40,seed=3,users=all)         40 random rankers with a Condorcet winner under all three users
...(two_winners=32,seed=3)              32 random rankers with two Copeland winners that beat 30 others each
mslr-informational(every=4,first=3,last=127)    every fourth ranker, from ranker 3 to ranker 127
meath12                                 a matrix, read from a file or computed from a file of ranked lists
mine.prefs.parquet                      any other matrix, by file name
letor(data=mslr,rankers=1-20)           judged data; with 'mode=live' duels are pages and clicks
letor(data=np2004,duels=4000)           judged data; the matrix is made of 4,000 simulated duels per pair

The files of public matrices and of judged data are looked up in the folder of --data or $RANKDUEL_DATA and in
its subfolders; a matrix that is given by file name may also be in the current folder.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from rankduel.base.errors import StudyError
from rankduel.base.settings import Configured, Setting, configure, find, parse_spec
from rankduel.experiments.matrix.builtin import FAMILIES, MATRICES, parse_matrix
from rankduel.experiments.matrix.preferences import Preferences, preferences_of, read_preferences
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.studies.data.ballots import (
    SUFFIXES,
    Ballots,
    TopItems,
    preferences_from_ballots,
    read_ballots,
)
from rankduel.experiments.studies.data.folder import find_file
from rankduel.experiments.studies.data.judged import (
    DataSource,
    Documents,
    find_judged,
    judged_stand_in,
    open_judged,
)
from rankduel.experiments.studies.data.npz import read_npz
from rankduel.experiments.studies.data.public import PUBLIC, USERS
from rankduel.experiments.studies.data.subsets import draw_two_winners, every_nth, random_arms

LETOR = "letor"
NOT_GIVEN = -1


class Subset(NamedTuple):
    """The subset of the rankers of a matrix; all rankers by default."""

    lex: Annotated[int, Setting("number of rankers, first in text order", at_least=1)] = NOT_GIVEN
    base: Annotated[int, Setting("number of the first ranker", at_least=0, at_most=1)] = NOT_GIVEN
    random: Annotated[int, Setting("number of random rankers, with a Condorcet winner", at_least=1)] = (
        NOT_GIVEN
    )
    two_winners: Annotated[int, Setting("number of random rankers, with two winners", at_least=1)] = NOT_GIVEN
    seed: Annotated[int, Setting("seed of the random subset", at_least=0)] = NOT_GIVEN
    every: Annotated[int, Setting("distance between the numbers of rankers", at_least=1)] = NOT_GIVEN
    first: Annotated[int, Setting("number of the first ranker, from 0", at_least=0)] = NOT_GIVEN
    last: Annotated[int, Setting("largest number of a ranker", at_least=0)] = NOT_GIVEN
    users: Annotated[str, Setting("require a Condorcet winner for all users", choices=("all",))] = ""


# Settings that are given together.
_SUBSETS = (
    {"lex", "base"},
    {"random", "seed"},
    {"random", "seed", "users"},
    {"two_winners", "seed"},
    {"every", "first", "last"},
)


class _Kind(NamedTuple):
    """The fields of a problem that `configure` reads."""

    name: str
    params: type


def parse_problem(text: str) -> Configured:
    """Return the name and settings of a problem.

    They are `Documents` for letor(...), the settings of a family of matrices, and otherwise a `Subset`.
    """
    name, given = parse_spec(text)
    if name in FAMILIES:
        return parse_matrix(text)
    problem = configure(_Kind(name, Documents if name == LETOR else Subset), StudyError, **given)
    if isinstance(problem.params, Subset) and given and set(given_settings(problem)) not in _SUBSETS:
        raise StudyError(
            f"'{text}': expected (lex=K,base=0|1), (random=K,seed=S), (random=K,seed=S,users=all), "
            "(two_winners=K,seed=S) or (every=N,first=I,last=J)"
        )
    return problem


def given_settings(problem: Configured) -> dict[str, Any]:
    """Return the settings that differ from their defaults."""
    defaults = problem.thing.params()._asdict()
    return {name: value for name, value in problem.params._asdict().items() if value != defaults[name]}


@dataclass(frozen=True)
class Opened:
    """A problem, and a description of the stand-in data if the data of the source were not found."""

    problem: Problem
    stand_in: str = ""


def open_problem(text: str, source: DataSource, regret: str = "") -> Opened:
    """Open a problem given as text; the matrix of judged data is computed once and saved."""
    spec = parse_problem(text)
    stand_in = stand_in_for(text, source.data)
    if spec.name == LETOR:
        return Opened(open_judged(spec.params, source, regret), stand_in)
    if spec.name in FAMILIES:
        return Opened(Problem(read_preferences(text), regret=regret))
    preferences = _matrix(spec.name, source)
    if given_settings(spec):
        preferences = preferences.subset(_arms(spec, preferences, source))
    about = {"source": f"{text} [{stand_in}]" if stand_in else text}
    about |= {"stand_in": stand_in} if stand_in else {}
    about |= {"arms": ",".join(preferences.names)} if given_settings(spec) else {}
    return Opened(Problem(replace(preferences, settings=about), regret=regret), stand_in)


def stand_in_for(text: str, folder: Path | None) -> str:
    """Return a description of the data that replace those of a problem; "" if its data exist."""
    spec = parse_problem(text)
    if spec.name == LETOR:
        return judged_stand_in(spec.params.data, folder)
    if spec.name in FAMILIES:
        return ""
    used = dict.fromkeys(_matrix_stand_in(one, folder) for one in _subset_matrices(spec))
    return "; ".join(filter(None, used))


def _matrix_stand_in(name: str, folder: Path | None) -> str:
    if name in MATRICES or is_file(name):
        return ""
    origin = _origin(name, folder)
    if origin.name != name:
        return f"{origin.name} in place of {name}"
    if origin.judged is not None:
        return judged_stand_in(origin.judged.data, folder)
    return "" if origin.path is not None else f"a synthetic stand-in for {name}"


def _subset_matrices(spec: Configured) -> list[str]:
    """Return the matrices in which a subset needs a Condorcet winner: its own, or those of all users."""
    if not spec.params.users:
        return [spec.name]
    return [f"{spec.name.rpartition('-')[0]}-{user}" for user in USERS]


def is_file(name: str) -> bool:
    """Return whether a problem is a file name, which has a suffix; other matrices have none."""
    return "." in name


class _Origin(NamedTuple):
    """What a public matrix is made of; a stand-in if there is neither a file nor judged data."""

    name: str  # the matrix itself, or the one used instead
    path: Path | None = None
    judged: Documents | None = None


def _origin(name: str, folder: Path | None) -> _Origin:
    public = find(name, {**PUBLIC, **dict.fromkeys(MATRICES)}, "problem", StudyError)
    assert public is not None
    path = find_file(public.files, folder)
    if path is None and public.judged is not None and find_judged(public.judged.data, folder) is not None:
        return _Origin(name, judged=public.judged)
    if path is None and public.instead:
        other = find_file(PUBLIC[public.instead].files, folder)
        return _Origin(name) if other is None else _Origin(public.instead, other)
    return _Origin(name, path)


def _matrix(name: str, source: DataSource) -> Preferences:
    if name in MATRICES:
        return read_preferences(name)
    if is_file(name):
        return read_preferences(find_file((name,), source.data) or name)
    origin = _origin(name, source.data)
    if origin.judged is not None:
        return open_judged(origin.judged, source, "").preferences
    if origin.path is None:
        return preferences_of(PUBLIC[name].stand_in(), where=name)
    return _read(origin.path, PUBLIC[origin.name].items)


def ballots_of(name: str, folder: Path | None) -> Ballots | None:
    """Return the ranked lists behind a public matrix; None if it was not read from ranked lists."""
    path = _origin(name, folder).path
    return read_ballots(path) if path is not None and path.suffix in SUFFIXES else None


def _read(path: Path, items: TopItems | None) -> Preferences:
    if path.suffix in SUFFIXES:
        assert items is not None
        return preferences_from_ballots(read_ballots(path), items, str(path))
    if path.suffix != ".npz":
        return read_preferences(path)
    return preferences_of(read_npz(path), where=str(path))


def _arms(spec: Configured, preferences: Preferences, source: DataSource) -> list[int]:
    """Return the subset of arms that a problem specifies."""
    subset: Subset = spec.params
    if subset.lex != NOT_GIVEN:
        names = {str(arm + subset.base): arm for arm in range(len(preferences))}
        return [names[name] for name in sorted(names)[: subset.lex]]
    if subset.every != NOT_GIVEN:
        return every_nth(len(preferences), subset.every, subset.first, subset.last)
    if subset.two_winners != NOT_GIVEN:
        return draw_two_winners(preferences.matrix, subset.two_winners, subset.seed).arms
    matrices = [_matrix(one, source).matrix for one in _subset_matrices(spec)]
    return random_arms(matrices, subset.random, subset.seed)
