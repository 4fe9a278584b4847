"""The data of studies: built in, found in a folder, or a synthetic stand-in that says so wherever it shows.

problems.py says how a problem is written. Files are looked up in the folder of --data or $RANKDUEL_DATA, and
in the folders inside it; other matrices also where the command runs.
"""

from __future__ import annotations

import os
import re
import warnings
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments.arena import open_arena
from experiments.cluster import Workers
from experiments.matrix.build import write_matrix
from experiments.matrix.builtin import MATRICES
from experiments.matrix.preferences import Preferences, preferences_of, read_preferences
from experiments.runs.problem import Problem
from experiments.studies.ballots import (
    SUFFIXES,
    Ballots,
    Kept,
    in_lists,
    in_pairs,
    preferences_by,
    read_ballots,
)
from experiments.studies.npz import read_npz
from experiments.studies.problems import JUDGED, LETOR, NOT_SAID, Documents, Subset, parse_problem, said
from experiments.studies.subsets import draw_two_winners, random_arms
from letor_data import read_data
from letor_data.letor import Letor
from letor_data.synthetic.generate import shape, synthesize
from rankduel.base.errors import DataWarning, StudyError, UsageError
from rankduel.base.files import path_inside
from rankduel.base.settings import Configured, find
from rankduel.base.streams import stream

VARIABLE = "RANKDUEL_DATA"
_QUERIES = 150  # of synthetic judged data


class Public(NamedTuple):
    """A matrix that is published, or that its owner makes; we may not ship it."""

    about: str
    files: tuple[str, ...]  # names it is known by; the first that is there is taken
    stand_in: Callable[[], np.ndarray]
    instead: str = ""  # another public matrix to take, if that is there
    kept: Kept | None = None  # of the items, where a file has ranked lists


def ordered_by_noisy_utilities(size: int, spread: float, noise: float, seed: str) -> np.ndarray:
    """Utilities with noise on every pair: a Condorcet winner, hardly any ties, a few cycles among the others.

    `spread` is the typical lead of the best, `noise` what a pair deviates from its utilities.
    Gaps to the best are spread as in the public matrices of MSLR: many small ones, and a long tail.
    """
    rng = stream(0, "stand-in", seed)
    behind = np.sort(rng.gamma(2.0, size=size))
    margins = spread * (behind[None, :] - behind[:, None]) / np.median(behind)
    margins += noise * rng.standard_normal((size, size))
    margins = np.triu(margins, 1)
    margins[0, 1:] = np.maximum(margins[0, 1:], 0.005)
    return 0.5 + np.clip(margins - margins.T, -0.49, 0.49)


def without_winner(prefs: np.ndarray) -> np.ndarray:
    """The same, but the second best beats the best by a hair."""
    prefs = prefs.copy()
    prefs[0, 1], prefs[1, 0] = 0.4977, 0.5023
    return prefs


def with_empty_features(prefs: np.ndarray, empty: int, gap: float) -> np.ndarray:
    """Besides, rankers that tie with each other and lose to all the others by a small margin."""
    size = len(prefs)
    whole = np.full((size + empty, size + empty), 0.5)
    whole[:size, :size] = prefs
    whole[:size, size:], whole[size:, :size] = 0.5 + gap, 0.5 - gap
    return whole


def led_by(size: int, least: float, median: float, most: float) -> np.ndarray:
    """A total order by utilities, in which the best leads the others by these margins."""
    behind = np.interp(np.linspace(0, 1, size - 1), (0, 0.5, 1), (least, median, most))
    place = np.concatenate([[0.0], behind])
    return 0.5 + place[None, :] - place[:, None]


def _mslr(user: str, spread: float, noise: float, file: str, more: tuple[str, ...] = ()) -> Public:
    files = (f"mslr_{user}.txt", f"MSLR-{file}.txt", f"MSLR_{file}_PMat.npz", *more)
    about = f"MSLR-WEB30K, all 136 features, {user} user (Zoghi et al. 2015; github.com/chang-li/MergeDTS)"
    return Public(about, files, lambda: ordered_by_noisy_utilities(136, spread, noise, f"mslr-{user}"))


def _larger(name: str, user: str, make: Callable[[], np.ndarray], size: int) -> Public:
    files = tuple(f"{name}{mark}{user}.txt" for mark in "_-")
    return Public(f"{name}, {size} features, {user} user (Li et al. 2020; not published)", files, make)


def _yahoo(user: str, gap: float) -> Callable[[], np.ndarray]:
    return lambda: with_empty_features(
        ordered_by_noisy_utilities(519, 0.085, 0.0035, f"yahoo-{user}"), 181, gap
    )


def _istella(user: str) -> Callable[[], np.ndarray]:
    return lambda: ordered_by_noisy_utilities(220, 0.085, 0.0035, f"istella-{user}")


def _ranked(name: str, about: str, lists: tuple[str, ...], kept: Kept) -> Public:
    """Shares among lists that rank both."""
    files = (f"{name}.txt", f"{name}.prefs.parquet", *lists)
    return Public(f"{about}; {lists[0]}", files, partial(led_by, kept.n, *LEADS[name]), kept=kept)


def _election(name: str, where: str, number: int, n: int) -> Public:
    file = f"00001-0000000{number}.soi"
    about = f"{where} 2002, the {n} candidates on most ballots (preflib.org, data set 00001)"
    return _ranked(name, about, (file, f"ED-{file}"), Kept(n, in_lists))


USERS = ("perfect", "navigational", "informational")
_INFORMATIONAL = _mslr("informational", 0.1, 0.004, "Informational")
PUBLIC: dict[str, Public] = {
    "mslr-perfect": _mslr("perfect", 0.1, 0.004, "Perfect"),
    # The second name is as misspelt as the public file.
    "mslr-navigational": _mslr("navigational", 0.085, 0.0035, "Navigational", ("MSLR-Nabigational.txt",)),
    "mslr-informational": _INFORMATIONAL._replace(stand_in=lambda: without_winner(_INFORMATIONAL.stand_in())),
    # Without arm 109, which beats the best of the others: so there is a Condorcet winner.
    "mslr-informational-cdc": _INFORMATIONAL._replace(
        about=_INFORMATIONAL.about.replace("all 136 features", "135 features"),
        files=("mslr_informational_cdc.txt", "MSLR-Informational-CDC.txt"),
        stand_in=lambda: _INFORMATIONAL.stand_in()[:135, :135],
    ),
}
PUBLIC["np2004"] = Public(
    "LETOR 3.0 NP2004, 64 features; make it with 'rankduel matrix'",
    ("np2004.prefs.parquet", "np2004_matrix.txt"),
    lambda: ordered_by_noisy_utilities(64, 0.085, 0.0035, "np2004"),
    instead="mslr-navigational",
)
for _user, _gap in zip(USERS, (0.1, 0.05, 0.02)):
    PUBLIC[f"istella-{_user}"] = _larger("istella", _user, _istella(_user), 220)
    PUBLIC[f"yahoo-{_user}"] = _larger("yahoo", _user, _yahoo(_user, _gap), 700)

# Matrices of ranked lists: by how much the best leads the others, at least, in the median, and at most.
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
    Kept(16, in_pairs),
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
    """A problem and, if it is not what the source had, what stands in for it."""

    problem: Problem
    stand_in: str = ""


class Shelf(NamedTuple):
    """Where to look for data, and where to keep matrices that are made."""

    data: Path | None
    made: Path
    jobs: Workers = -1


def data_folder(given: Path | None) -> Path | None:
    """Of --data, else of the environment; it must be there."""
    text = str(given) if given is not None else os.environ.get(VARIABLE, "")
    if not text:
        return None
    if not Path(text).is_dir():
        source = "--data" if given is not None else f"${VARIABLE}"
        raise UsageError(f"{source} is {text}, and there is no such folder; expected one with files of data")
    return Path(text)


def find_file(names: tuple[str, ...], folder: Path | None) -> Path | None:
    """The first of these names in the folder or in one inside it."""
    if folder is None:
        return None
    for name in names:
        for path in (folder / name, *sorted(folder.glob(f"*/{name}"))):
            if path.is_file():
                return path
    return None


def open_problem(text: str, shelf: Shelf, regret: str = "") -> Opened:
    """Return a problem that is written as text; a matrix that it needs is made once and kept."""
    asked = parse_problem(text)
    stand_in = stand_in_for(text, shelf.data)
    if asked.name == LETOR:
        return Opened(_open_letor(asked.params, shelf, regret), stand_in)
    preferences = _matrix(asked.name, shelf.data)
    if said(asked):
        preferences = preferences.subset(_arms(asked, preferences, shelf.data))
    about = {"source": f"{text} [{stand_in}]" if stand_in else text}
    about |= {"stand_in": stand_in} if stand_in else {}
    about |= {"arms": ",".join(preferences.names)} if said(asked) else {}
    return Opened(Problem(replace(preferences, settings=about), regret=regret), stand_in)


def stand_in_for(text: str, folder: Path | None) -> str:
    """Return in words what a problem is played on instead of its data; nothing if these are there."""
    asked = parse_problem(text)
    if asked.name == LETOR:
        data = asked.params.data
        return "" if _judged(data, folder) is not None else f"synthetic documents in place of {data}"
    used = dict.fromkeys(_matrix_stand_in(one, folder) for one in _alike(asked))
    return "; ".join(filter(None, used))


def _matrix_stand_in(name: str, folder: Path | None) -> str:
    if name in MATRICES or is_file(name):
        return ""
    path, found = _public_file(name, folder)
    if path is None:
        return f"a synthetic stand-in for {name}"
    return f"{found} in place of {name}" if found != name else ""


def _alike(asked: Configured) -> list[str]:
    """Return the matrices that decide who is in a subset: that of the name, or those of all users."""
    if not asked.params.users:
        return [asked.name]
    return [f"{asked.name.rpartition('-')[0]}-{user}" for user in USERS]


def is_file(name: str) -> bool:
    """Public and built-in matrices have no ending."""
    return "." in name


def _judged(name: str, folder: Path | None) -> Path | None:
    return find_file(JUDGED[name], folder)


def _public_file(name: str, folder: Path | None) -> tuple[Path | None, str]:
    """The file of a public matrix, or of the one to take instead; and the name of that matrix."""
    public = find(name, {**PUBLIC, **dict.fromkeys(MATRICES)}, "problem", StudyError)
    assert public is not None
    path = find_file(public.files, folder)
    if path is None and public.instead:
        return find_file(PUBLIC[public.instead].files, folder), public.instead
    return path, name


def _matrix(name: str, folder: Path | None) -> Preferences:
    if name in MATRICES:
        return read_preferences(name)
    if is_file(name):
        return read_preferences(find_file((name,), folder) or name)
    path, found = _public_file(name, folder)
    if path is None:
        return preferences_of(PUBLIC[name].stand_in(), where=name)
    return _read(path, PUBLIC[found].kept)


def ballots_of(name: str, folder: Path | None) -> Ballots | None:
    """The ranked lists that a public matrix is made of; nothing if it is not."""
    path, _ = _public_file(name, folder)
    return read_ballots(path) if path is not None and path.suffix in SUFFIXES else None


def _read(path: Path, kept: Kept | None) -> Preferences:
    if path.suffix in SUFFIXES:
        assert kept is not None
        return preferences_by(read_ballots(path), kept, str(path))
    if path.suffix != ".npz":
        return read_preferences(path)
    return preferences_of(read_npz(path), where=str(path))


def _arms(asked: Configured, preferences: Preferences, folder: Path | None) -> list[int]:
    """Return the rankers that a problem asks for."""
    subset: Subset = asked.params
    if subset.lex != NOT_SAID:
        names = {str(arm + subset.base): arm for arm in range(len(preferences))}
        return [names[name] for name in sorted(names)[: subset.lex]]
    if subset.two_winners != NOT_SAID:
        return draw_two_winners(preferences.matrix, subset.two_winners, subset.seed).arms
    matrices = [_matrix(one, folder).matrix for one in _alike(asked)]
    return random_arms(matrices, subset.random, subset.seed)


def _open_letor(asked: Documents, shelf: Shelf, regret: str) -> Problem:
    """Return judged data with the matrix that its duels have; the matrix is made once and kept."""
    path = _judged(asked.data, shelf.data)
    chosen = {name: getattr(asked, name) for name in ("clicks", "rankers", "interleave")}
    chosen = {name: text for name, text in chosen.items() if text}
    letor = _synthetic() if path is None else _read_judged(path)
    arena = open_arena(letor, **chosen)
    file = f"{asked.data}-{letor.digest[:8]}-{name_of_settings(chosen.values())}.prefs.parquet"
    kept = path_inside(shelf.made, file, StudyError)
    if kept.exists():
        preferences = read_preferences(kept)
    else:
        kept.parent.mkdir(parents=True, exist_ok=True)
        preferences = write_matrix(arena, kept, jobs=shelf.jobs)
    return Problem(preferences, arena if asked.mode == "live" else None, regret)


def name_of_settings(values: Iterable[str]) -> str:
    """Return values as part of the name of a file, with a checksum if one of them is a path, as users are."""
    text = "-".join(values) or "all"
    plain = re.sub(r"[^\w.-]+", "-", text, flags=re.ASCII)
    return plain if plain == text else f"{plain}-{zlib.crc32(text.encode()):08x}"


def _read_judged(path: Path) -> Letor:
    """Read a file; its notes are left to whoever looks at the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read_data(path)


@cache
def _synthetic() -> Letor:
    return synthesize(shape("small", queries=_QUERIES))
