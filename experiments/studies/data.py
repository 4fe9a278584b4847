"""The data of studies: built in, found in a folder, or a synthetic stand-in that says so wherever it shows.

A problem is written as text:

    cycle                                   a built-in matrix
    mslr-navigational                       a public matrix; looked up by file name
    mslr-perfect(lex=10,base=1)             its first 10 rankers, features sorted as text and numbered from 1
    mslr-navigational(random=16,seed=3)     16 random ones among whom one beats all the others
    ...(random=40,seed=3,users=all)         the same, where one beats all the others under all three users
    letor(data=mslr,rankers=1-20)           judged data; 'mode=live' plays pages and clicks

Files are looked up in the folder of --data or $RANKDUEL_DATA, and in the folders inside it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bandits import PolicyError, condorcet_winner
from bandits.streams import stream
from experiments.arena import open_arena
from experiments.data_options import load_plain
from experiments.matrices import MATRICES
from experiments.matrix import write_matrix
from experiments.preferences import Preferences, preferences_of, read_preferences
from experiments.problem import Problem
from experiments.specs import parse_spec
from letor_data.errors import known
from letor_data.letor import Letor
from letor_data.synthetic import shape, synthesize

VARIABLE = "RANKDUEL_DATA"
_TRIES = 10_000  # random subsets looked at for one with a winner
_QUERIES = 150  # of synthetic judged data


class Public(NamedTuple):
    """A matrix that is published, or that its owner makes; we may not ship it."""

    about: str
    files: tuple[str, ...]  # names it is known by
    stand_in: Callable[[], np.ndarray]
    instead: str = ""  # another public matrix to take, if that is there


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

# Judged data that users bring, by the names they are known by.
JUDGED = {
    "mslr": ("mslr.txt", "MSLR-WEB30K/Fold1/test.txt", "MSLR-WEB10K/Fold1/test.txt", "Fold1/test.txt"),
    "yahoo": ("yahoo.txt", "set1.test.txt"),
    "np2004": ("np2004.txt", "NP2004/Fold1/test.txt"),
    "istella": ("istella.txt", "istella/test.txt"),
}


@dataclass(frozen=True)
class Opened:
    """A problem and, if it is not what the source had, what stands in for it."""

    problem: Problem
    stand_in: str = ""


class Shelf(NamedTuple):
    """Where to look for data, and where to keep matrices that are made."""

    data: Path | None
    made: Path
    jobs: int = -1


def data_folder(given: Path | None) -> Path | None:
    """Of --data, else of the environment; it must be there."""
    text = str(given) if given is not None else os.environ.get(VARIABLE, "")
    if not text:
        return None
    if not Path(text).is_dir():
        said = "--data" if given is not None else f"${VARIABLE}"
        raise PolicyError(f"{said} is {text}, and there is no such folder; expected one with files of data")
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
    name, settings = parse_spec(text)
    if name == "letor":
        return _open_letor(text, settings, shelf, regret)
    preferences, stand_in = _matrix(name, shelf.data)
    if settings:
        preferences = preferences.subset(_arms(text, settings, preferences, shelf.data))
    about = {"source": f"{text} [{stand_in}]" if stand_in else text}
    about |= {"stand_in": stand_in} if stand_in else {}
    about |= {"arms": ",".join(preferences.names)} if settings else {}
    return Opened(Problem(replace(preferences, settings=about), regret=regret), stand_in)


def _matrix(name: str, folder: Path | None) -> tuple[Preferences, str]:
    if name in MATRICES:
        return read_preferences(name), ""
    public = known(name, {**PUBLIC, **dict.fromkeys(MATRICES)}, "problem")
    assert public is not None
    path = find_file(public.files, folder)
    if path is not None:
        return _read(path), ""
    other = find_file(PUBLIC[public.instead].files, folder) if public.instead else None
    if other is not None:
        return _read(other), f"{public.instead} in place of {name}"
    return preferences_of(public.stand_in(), where=name), f"a synthetic stand-in for {name}"


def _read(path: Path) -> Preferences:
    if path.suffix != ".npz":
        return read_preferences(path)
    with np.load(path, allow_pickle=False) as arrays:
        squares = [arrays[key] for key in arrays.files if arrays[key].ndim == 2]
    if len(squares) != 1:
        raise PolicyError(f"{path}: {len(squares)} matrices in it; expected one, K x K")
    return preferences_of(squares[0], where=str(path))


def _arms(text: str, settings: Mapping[str, str], preferences: Preferences, folder: Path | None) -> list[int]:
    """Which rankers a problem asks for."""
    wanted = {key: _whole(text, key, value) for key, value in settings.items() if key != "users"}
    if set(wanted) == {"lex", "base"}:
        names = {str(arm + wanted["base"]): arm for arm in range(len(preferences))}
        return [names[name] for name in sorted(names)[: wanted["lex"]]]
    if set(wanted) == {"random", "seed"} and settings.get("users", "all") == "all":
        name = parse_spec(text)[0]
        alike = [name] if "users" not in settings else [f"{name.rpartition('-')[0]}-{u}" for u in USERS]
        matrices = [_matrix(one, folder)[0].matrix for one in alike]
        return random_arms(matrices, wanted["random"], wanted["seed"])
    raise PolicyError(
        f"'{text}': expected (lex=K,base=0|1), (random=K,seed=S) or (random=K,seed=S,users=all)"
    )


def _whole(text: str, key: str, value: str) -> int:
    if not value.isdigit():
        raise PolicyError(f"'{text}': {key} is '{value}'; expected a whole number")
    return int(value)


def random_arms(matrices: list[np.ndarray], size: int, seed: int) -> list[int]:
    """A random subset with a Condorcet winner in each of the matrices, in increasing order."""
    most = min(map(len, matrices))
    if not 1 <= size <= most:
        raise PolicyError(f"a subset of {size} rankers; there are {most}")
    rng = stream(seed, "arms", size)
    for _ in range(_TRIES):
        arms = np.sort(rng.permutation(most)[:size])
        if all(condorcet_winner(matrix[np.ix_(arms, arms)]) >= 0 for matrix in matrices):
            return [int(arm) for arm in arms]
    raise PolicyError(f"{_TRIES:,} random subsets of {size} rankers, and none of them has a Condorcet winner")


def _open_letor(text: str, settings: Mapping[str, str], shelf: Shelf, regret: str) -> Opened:
    """Judged data with the matrix that its duels have; the matrix is made once and kept."""
    settings = dict(settings)
    name, mode = settings.pop("data", "mslr"), settings.pop("mode", "proxy")
    path = find_file(known(name, JUDGED, "judged data"), shelf.data)
    chosen = _arena_settings(text, settings)
    letor = load_plain(path) if path is not None else _synthetic()
    arena = open_arena(letor, **chosen)
    stand_in = "" if path is not None else f"synthetic documents in place of {name}"
    kept = shelf.made / f"{name}-{letor.digest[:8]}-{'-'.join(settings.values()) or 'all'}.prefs.parquet"
    if kept.exists():
        preferences = read_preferences(kept)
    else:
        kept.parent.mkdir(parents=True, exist_ok=True)
        preferences = write_matrix(arena, kept, jobs=shelf.jobs)
    return Opened(Problem(preferences, arena if mode == "live" else None, regret), stand_in)


def _arena_settings(text: str, settings: Mapping[str, str]) -> dict[str, Any]:
    allowed = ("rankers", "clicks", "interleave")
    wrong = [key for key in settings if key not in allowed]
    if wrong:
        raise PolicyError(f"'{text}': no setting '{wrong[0]}'; expected data, mode, {', '.join(allowed)}")
    return dict(settings)


@cache
def _synthetic() -> Letor:
    return synthesize(shape("demo", queries=_QUERIES))
