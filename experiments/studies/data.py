"""Open the data of studies: built-in matrices, files of a data folder, or synthetic stand-ins.

The syntax of problems is in problems.py. Files are looked up in the folder of --data or $RANKDUEL_DATA and in
its subfolders; a matrix that is given by file name may also be in the current folder.
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
from experiments.matrix.builtin import FAMILIES, MATRICES
from experiments.matrix.preferences import Preferences, preferences_of, read_preferences
from experiments.runs.problem import Problem
from experiments.studies.ballots import (
    SUFFIXES,
    Ballots,
    TopItems,
    n_comparisons,
    n_lists,
    preferences_from_ballots,
    read_ballots,
)
from experiments.studies.npz import read_npz
from experiments.studies.problems import (
    JUDGED,
    LETOR,
    NOT_GIVEN,
    Documents,
    Subset,
    given_settings,
    parse_problem,
)
from experiments.studies.subsets import draw_two_winners, random_arms
from letor_data import read_data
from letor_data.letor import Letor
from letor_data.synthetic.generate import shape, synthesize
from rankduel.base.errors import DataWarning, StudyError, UsageError
from rankduel.base.files import path_inside
from rankduel.base.settings import Configured, find
from rankduel.base.streams import stream

VARIABLE = "RANKDUEL_DATA"
_QUERIES = 150  # number of queries of synthetic judged data


class Public(NamedTuple):
    """A public matrix, which this package may not include."""

    about: str
    files: tuple[str, ...]  # possible file names; the first that exists is read
    stand_in: Callable[[], np.ndarray]
    instead: str = ""  # another public matrix, used if its file exists and none of `files` does
    items: TopItems | None = None  # selection of items, for files of ranked lists


def ordered_by_noisy_utilities(size: int, spread: float, noise: float, seed: str) -> np.ndarray:
    """Return a matrix of utility differences with noise on every pair.

    It has a Condorcet winner, hardly any ties, and a few cycles among the other arms. `spread` is the median
    lead of the best arm, `noise` the standard deviation of the noise. The gaps to the best arm follow a gamma
    distribution, with many small gaps and a long tail, as in the public MSLR matrices.
    """
    rng = stream(0, "stand-in", seed)
    behind = np.sort(rng.gamma(2.0, size=size))
    margins = spread * (behind[None, :] - behind[:, None]) / np.median(behind)
    margins += noise * rng.standard_normal((size, size))
    margins = np.triu(margins, 1)
    margins[0, 1:] = np.maximum(margins[0, 1:], 0.005)
    return 0.5 + np.clip(margins - margins.T, -0.49, 0.49)


def without_winner(prefs: np.ndarray) -> np.ndarray:
    """Return the matrix with the second arm beating the first by 0.0023, so without a Condorcet winner."""
    prefs = prefs.copy()
    prefs[0, 1], prefs[1, 0] = 0.4977, 0.5023
    return prefs


def with_empty_features(prefs: np.ndarray, empty: int, gap: float) -> np.ndarray:
    """Return the matrix with `empty` more rankers, which tie with each other and lose to others by `gap`."""
    size = len(prefs)
    whole = np.full((size + empty, size + empty), 0.5)
    whole[:size, :size] = prefs
    whole[:size, size:], whole[size:, :size] = 0.5 + gap, 0.5 - gap
    return whole


def led_by(size: int, least: float, median: float, most: float) -> np.ndarray:
    """Return a total order in which the leads of the best arm have this minimum, median and maximum."""
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


def _ranked(name: str, about: str, lists: tuple[str, ...], items: TopItems) -> Public:
    """Return a matrix of shares of voters, from a matrix file or from the ranked lists in files `lists`."""
    files = (f"{name}.txt", f"{name}.prefs.parquet", *lists)
    return Public(f"{about}; {lists[0]}", files, partial(led_by, items.n, *LEADS[name]), items=items)


def _election(name: str, where: str, number: int, n: int) -> Public:
    file = f"00001-0000000{number}.soi"
    about = f"{where} 2002, the {n} candidates on most ballots (preflib.org, data set 00001)"
    return _ranked(name, about, (file, f"ED-{file}"), TopItems(n, n_lists))


USERS = ("perfect", "navigational", "informational")
_INFORMATIONAL = _mslr("informational", 0.1, 0.004, "Informational")
PUBLIC: dict[str, Public] = {
    "mslr-perfect": _mslr("perfect", 0.1, 0.004, "Perfect"),
    # The last name repeats a misspelling of the public file.
    "mslr-navigational": _mslr("navigational", 0.085, 0.0035, "Navigational", ("MSLR-Nabigational.txt",)),
    "mslr-informational": _INFORMATIONAL._replace(stand_in=lambda: without_winner(_INFORMATIONAL.stand_in())),
    # Without arm 109, which beats the best of the other arms, there is a Condorcet winner.
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


class DataSource(NamedTuple):
    """The user's data folder, the folder for computed matrices, and the number of threads to compute them."""

    data: Path | None
    made: Path
    jobs: Workers = -1


def data_folder(given: Path | None) -> Path | None:
    """Return the data folder: `given` (--data) or $RANKDUEL_DATA; raise an error if it does not exist."""
    text = str(given) if given is not None else os.environ.get(VARIABLE, "")
    if not text:
        return None
    if not Path(text).is_dir():
        source = "--data" if given is not None else f"${VARIABLE}"
        raise UsageError(f"{source} is {text}: there is no such folder; expected a folder with data files")
    return Path(text)


def find_file(names: tuple[str, ...], folder: Path | None) -> Path | None:
    """Return the first of these files in the folder or one of its subfolders; None if there is none."""
    if folder is None:
        return None
    for name in names:
        for path in (folder / name, *sorted(folder.glob(f"*/{name}"))):
            if path.is_file():
                return path
    return None


def open_problem(text: str, source: DataSource, regret: str = "") -> Opened:
    """Open a problem given as text; the matrix of judged data is computed once and saved."""
    spec = parse_problem(text)
    stand_in = stand_in_for(text, source.data)
    if spec.name == LETOR:
        return Opened(_open_letor(spec.params, source, regret), stand_in)
    if spec.name in FAMILIES:
        return Opened(Problem(read_preferences(text), regret=regret))
    preferences = _matrix(spec.name, source.data)
    if given_settings(spec):
        preferences = preferences.subset(_arms(spec, preferences, source.data))
    about = {"source": f"{text} [{stand_in}]" if stand_in else text}
    about |= {"stand_in": stand_in} if stand_in else {}
    about |= {"arms": ",".join(preferences.names)} if given_settings(spec) else {}
    return Opened(Problem(replace(preferences, settings=about), regret=regret), stand_in)


def stand_in_for(text: str, folder: Path | None) -> str:
    """Return a description of the data that replace those of a problem; "" if its data exist."""
    spec = parse_problem(text)
    if spec.name == LETOR:
        data = spec.params.data
        return "" if _judged(data, folder) is not None else f"synthetic documents in place of {data}"
    if spec.name in FAMILIES:
        return ""
    used = dict.fromkeys(_matrix_stand_in(one, folder) for one in _subset_matrices(spec))
    return "; ".join(filter(None, used))


def _matrix_stand_in(name: str, folder: Path | None) -> str:
    if name in MATRICES or is_file(name):
        return ""
    path, found = _public_file(name, folder)
    if path is None:
        return f"a synthetic stand-in for {name}"
    return f"{found} in place of {name}" if found != name else ""


def _subset_matrices(spec: Configured) -> list[str]:
    """Return the matrices in which a subset needs a Condorcet winner: its own, or those of all users."""
    if not spec.params.users:
        return [spec.name]
    return [f"{spec.name.rpartition('-')[0]}-{user}" for user in USERS]


def is_file(name: str) -> bool:
    """Return whether a problem is a file name, which has a suffix; other matrices have none."""
    return "." in name


def _judged(name: str, folder: Path | None) -> Path | None:
    return find_file(JUDGED[name], folder)


def _public_file(name: str, folder: Path | None) -> tuple[Path | None, str]:
    """Return the path of a public matrix, or of the one to use instead, and the name of that matrix."""
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
    return _read(path, PUBLIC[found].items)


def ballots_of(name: str, folder: Path | None) -> Ballots | None:
    """Return the ranked lists behind a public matrix; None if it was not read from ranked lists."""
    path, _ = _public_file(name, folder)
    return read_ballots(path) if path is not None and path.suffix in SUFFIXES else None


def _read(path: Path, items: TopItems | None) -> Preferences:
    if path.suffix in SUFFIXES:
        assert items is not None
        return preferences_from_ballots(read_ballots(path), items, str(path))
    if path.suffix != ".npz":
        return read_preferences(path)
    return preferences_of(read_npz(path), where=str(path))


def _arms(spec: Configured, preferences: Preferences, folder: Path | None) -> list[int]:
    """Return the subset of arms that a problem specifies."""
    subset: Subset = spec.params
    if subset.lex != NOT_GIVEN:
        names = {str(arm + subset.base): arm for arm in range(len(preferences))}
        return [names[name] for name in sorted(names)[: subset.lex]]
    if subset.two_winners != NOT_GIVEN:
        return draw_two_winners(preferences.matrix, subset.two_winners, subset.seed).arms
    matrices = [_matrix(one, folder).matrix for one in _subset_matrices(spec)]
    return random_arms(matrices, subset.random, subset.seed)


def _open_letor(documents: Documents, source: DataSource, regret: str) -> Problem:
    """Return the problem of judged data; its preference matrix is computed once and saved."""
    path = _judged(documents.data, source.data)
    chosen = {name: getattr(documents, name) for name in ("clicks", "rankers", "interleave")}
    chosen = {name: text for name, text in chosen.items() if text}
    letor = _synthetic() if path is None else _read_judged(path)
    arena = open_arena(letor, **chosen)
    file = f"{documents.data}-{letor.digest[:8]}-{name_of_settings(chosen.values())}.prefs.parquet"
    saved = path_inside(source.made, file, StudyError)
    if saved.exists():
        preferences = read_preferences(saved)
    else:
        saved.parent.mkdir(parents=True, exist_ok=True)
        preferences = write_matrix(arena, saved, jobs=source.jobs)
    return Problem(preferences, arena if documents.mode == "live" else None, regret)


def name_of_settings(values: Iterable[str]) -> str:
    """Return settings as part of a file name; a checksum is added if characters had to be replaced."""
    text = "-".join(values) or "all"
    plain = re.sub(r"[^\w.-]+", "-", text, flags=re.ASCII)
    return plain if plain == text else f"{plain}-{zlib.crc32(text.encode()):08x}"


def _read_judged(path: Path) -> Letor:
    """Read judged data without warnings about their content, which 'rankduel data info' shows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read_data(path)


@cache
def _synthetic() -> Letor:
    return synthesize(shape("small", queries=_QUERIES))
