"""Open the data of studies: built-in matrices, files of a data folder, or synthetic stand-ins.

The syntax of problems is in problems.py. Files are looked up in the folder of --data or $RANKDUEL_DATA and in
its subfolders (data_folder.py, judged.py); a matrix that is given by file name may also be in the current
folder. Stand-ins are in stand_ins.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankduel.base.errors import StudyError
from rankduel.base.settings import Configured, find
from rankduel.experiments.matrix.builtin import FAMILIES, MATRICES
from rankduel.experiments.matrix.preferences import Preferences, preferences_of, read_preferences
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.studies.data.ballots import (
    SUFFIXES,
    Ballots,
    TopItems,
    n_comparisons,
    n_lists,
    preferences_from_ballots,
    read_ballots,
)
from rankduel.experiments.studies.data.folder import find_file
from rankduel.experiments.studies.data.judged import DataSource, find_judged, judged_stand_in, open_judged
from rankduel.experiments.studies.data.npz import read_npz
from rankduel.experiments.studies.data.problems import (
    LETOR,
    NOT_GIVEN,
    Documents,
    Subset,
    given_settings,
    parse_problem,
)
from rankduel.experiments.studies.data.stand_ins import (
    led_by,
    mslr_like,
    mslr_like_with_winner,
    with_empty_features,
    with_gaps_of,
)
from rankduel.experiments.studies.data.subsets import draw_two_winners, every_nth, random_arms


class Public(NamedTuple):
    """A public matrix, which this package may not include."""

    about: str
    files: tuple[str, ...]  # possible file names, in any spelling (data_folder.py); the first is preferred
    stand_in: Callable[[], np.ndarray]
    instead: str = ""  # another public matrix, used if its file exists and none of `files` does
    items: TopItems | None = None  # selection of items, for files of ranked lists
    judged: Documents | None = None  # judged data from which the source made the matrix, and the settings


def _files(name: str, user: str) -> tuple[str, ...]:
    """Return the names of the public files of a matrix; one of them has a misspelling."""
    spellings = (user, "nabigational") if user == "navigational" else (user,)
    return tuple(f"{name}-{word}{end}" for word in spellings for end in (".txt", "-PMat.npz"))


def _mslr(user: str) -> Public:
    about = f"MSLR-WEB30K, all 136 features, {user} user (Zoghi et al. 2015; github.com/chang-li/MergeDTS)"
    return Public(about, _files("mslr", user), partial(mslr_like, user))


def _istella(user: str) -> Public:
    about = f"ISTELLA, 220 features, {user} user (Li et al. 2020; the matrix is not published)"
    return Public(about, _files("istella", user), partial(with_gaps_of, user, 220, f"istella-{user}"))


def _yahoo(user: str, gap: float) -> Public:
    """Return the matrix of Yahoo set 1, in which 181 of the 700 features are empty."""
    about = f"Yahoo set 1, 700 features, {user} user (Li et al. 2020; github.com/chang-li/MergeDTS)"
    return Public(
        about,
        _files("yahoo", user),
        lambda: with_empty_features(with_gaps_of(user, 519, f"yahoo-{user}"), 181, gap),
    )


def _ranked(name: str, about: str, lists: tuple[str, ...], items: TopItems) -> Public:
    """Return a matrix of shares of voters, from a matrix file or from the ranked lists in files `lists`."""
    files = (f"{name}.txt", f"{name}.prefs.parquet", *lists)
    return Public(f"{about}; {lists[0]}", files, partial(led_by, items.n, *LEADS[name]), items=items)


def _election(name: str, where: str, number: int, n: int) -> Public:
    file = f"00001-0000000{number}.soi"
    about = f"{where} 2002, the {n} candidates on most ballots (preflib.org, data set 00001)"
    return _ranked(name, about, (file, f"ED-{file}"), TopItems(n, n_lists))


USERS = ("perfect", "navigational", "informational")
PUBLIC: dict[str, Public] = {
    **{f"mslr-{user}": _mslr(user) for user in USERS},
    # Without arm 109, which beats the best of the other arms, there is a Condorcet winner.
    "mslr-informational-cdc": Public(
        "MSLR-WEB30K, 135 features, informational user (Li et al. 2020; github.com/chang-li/MergeDTS)",
        ("mslr-informational-cdc.txt",),
        mslr_like_with_winner,
    ),
    "np2004": Public(
        "LETOR 3.0 NP2004, 64 features, navigational user; computed from its judged data",
        ("np2004.prefs.parquet", "np2004-matrix.txt"),
        partial(with_gaps_of, "navigational", 64, "np2004"),
        instead="mslr-navigational",
        judged=Documents(data="np2004", clicks="navigational", interleave="probabilistic", duels=4000),
    ),
}
# Margins by which empty features lose to others in the stand-ins; the sources do not give them.
for _user, _gap in zip(USERS, (0.1, 0.05, 0.02)):
    PUBLIC[f"istella-{_user}"] = _istella(_user)
    PUBLIC[f"yahoo-{_user}"] = _yahoo(_user, _gap)

# Matrices from ranked lists: minimum, median and maximum of P(best, other) - 1/2.
LEADS = {
    "sushi16": (0.102, 0.197, 0.309),
    "meath14": (0.0693, 0.1378, 0.3061),
    "meath12": (0.0693, 0.1281, 0.2111),
    "dublin9": (0.0143, 0.1641, 0.3103),
    "dublin8": (0.0143, 0.1587, 0.2270),
    "dublin-north12": (0.0026, 0.0593, 0.2289),
}
PUBLIC["sushi16"] = _ranked(
    "sushi16",
    "the 16 kinds of sushi compared most often, of 100 (preflib.org, data set 00014; kamishima.net/sushi)",
    ("00014-00000002.soi", "ED-00014-00000002.soi", "sushi3b.5000.10.order"),
    TopItems(16, n_comparisons),
)
for _name, _where, _number, _size in (
    ("meath14", "Meath", 3, 14),
    ("meath12", "Meath", 3, 12),
    ("dublin9", "Dublin West", 2, 9),
    ("dublin8", "Dublin West", 2, 8),
    ("dublin-north12", "Dublin North", 1, 12),
):
    PUBLIC[_name] = _election(_name, _where, _number, _size)


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
