"""Locate the judged data of a study (complete data sets are preferred) and build their matrices.

Each fold of MSLR and LETOR holds all queries, divided into training, validation and test files, so the three
files of the first fold are the whole data set. The same holds for the three files of each Yahoo set.
"""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from rankduel.base.errors import DataWarning, StudyError
from rankduel.base.files import path_inside
from rankduel.base.settings import Setting
from rankduel.experiments.arena import open_arena
from rankduel.experiments.cluster import Workers
from rankduel.experiments.matrix.build import write_matrix
from rankduel.experiments.matrix.preferences import read_preferences
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.studies.data.folder import any_spelling
from rankduel.letor_data import read_data
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.synthetic.generate import shape, synthesize

JUDGED = ("mslr", "yahoo1", "yahoo2", "yandex", "np2004", "istella")
_QUERIES = 150  # number of queries of synthetic judged data
_DEEPEST = 2  # levels of subfolders that are searched


class Documents(NamedTuple):
    """Judged data and the duels on them; "" selects the default of the arena."""

    data: Annotated[str, Setting("name of the judged data", choices=JUDGED)] = "mslr"
    mode: Annotated[str, Setting("draws from the matrix, or clicks", choices=("proxy", "live"))] = "proxy"
    clicks: Annotated[str, Setting("user (click model)")] = ""
    rankers: Annotated[str, Setting("features to rank by, such as 1-20")] = ""
    interleave: Annotated[str, Setting("interleaving method")] = ""
    duels: Annotated[
        int, Setting("simulated duels per pair of the matrix; 0: as exact as the method allows", at_least=0)
    ] = 0


class DataSource(NamedTuple):
    """The user's data folder, the folder for computed matrices, and the number of threads to compute them."""

    data: Path | None
    made: Path
    jobs: Workers = -1


class Place(NamedTuple):
    """Where judged data may be: a file, or several files of a folder or archive."""

    path: str  # in the data folder or a subfolder; "" for that folder itself
    members: str = ""  # pattern of the files to read, for a folder or archive
    n_files: int = 0  # number of these files that a folder must have
    instead: str = ""  # description, if these are not the data that the sources used


def _fold(name: str, instead: str = "") -> tuple[Place, ...]:
    """Return the places of the first fold of a data set: in a folder of its name, or in an archive."""
    return (
        Place(name, "Fold1/*.txt", 3, instead),
        Place(f"{name}.zip", "Fold1/*.txt", instead=instead),
    )


def _yahoo(number: int) -> tuple[Place, ...]:
    members = f"set{number}.*.txt"
    return (
        Place(f"yahoo{number}.txt"),
        Place("", members, 3),
        *(Place(f"ltrc_yahoo.{suffix}", members) for suffix in ("tgz", "tar.bz2", "zip")),
        Place("", members, 1, f"a part of Yahoo set {number}"),
    )


PLACES: dict[str, tuple[Place, ...]] = {
    "mslr": (
        Place("mslr.txt"),
        *_fold("MSLR-WEB30K"),
        Place("MSLR-WEB30K", "Fold1/test.txt", 1, "a fifth of the queries of MSLR-WEB30K"),
        *_fold("MSLR-WEB10K", "MSLR-WEB10K in place of MSLR-WEB30K"),
    ),
    "yahoo1": _yahoo(1),
    "yahoo2": _yahoo(2),
    "yandex": (Place("yandex.txt"), Place("imat2009_learning.txt")),
    "np2004": (Place("np2004.txt"), *_fold("NP2004"), *_fold("2004_np_dataset")),
    "istella": (
        Place("istella.txt"),
        Place("istella-letor", "full/*.txt", 2),
        Place("istella", "full/*.txt", 2),
        Place("istella", "t*.txt", 2),
        Place("istella-letor.tar.gz", "full/*.txt"),
        Place("istella", "test.txt", 1, "the test queries of ISTELLA"),
    ),
}
# Options of reading. The labels of Yandex are real numbers from 0 to 4; the source does not state how they
# were made into grades.
_OPTIONS: dict[str, dict[str, Any]] = {"yandex": {"profile": "yandex", "label_round": "nearest"}}


class Found(NamedTuple):
    """Judged data that exist: a path as `read_data` accepts it, and a description of other data."""

    path: str
    instead: str


def find_judged(name: str, folder: Path | None) -> Found | None:
    """Return where the judged data of this name are; None if they do not exist."""
    if folder is None:
        return None
    # With the folder above, the data folder itself may have the name of the data set.
    bases = [folder, folder.parent]
    bases += [base for depth in range(1, _DEEPEST + 1) for base in sorted(folder.glob("*/" * depth))]
    found = (source for place in PLACES[name] for base in bases for source in _sources(place, base, folder))
    return next(found, None)


def _sources(place: Place, base: Path, folder: Path) -> Iterator[Found]:
    """Yield the judged data of a place, if they are in the folder `base` and in the data folder."""
    for path in sorted(base.glob(any_spelling(place.path))) if place.path else [base]:
        if not path.is_relative_to(folder):
            continue
        if path.is_file():
            yield Found(f"{path}::{place.members}" if place.members else str(path), place.instead)
        elif place.n_files and len(list(path.glob(place.members))) >= place.n_files:
            yield Found(f"{path}::{place.members}", place.instead)


def judged_stand_in(name: str, folder: Path | None) -> str:
    """Return a description of the data that replace the judged data of this name; "" if these exist."""
    found = find_judged(name, folder)
    return found.instead if found is not None else f"synthetic documents in place of {name}"


def open_judged(documents: Documents, source: DataSource, regret: str) -> Problem:
    """Return the problem of judged data; its preference matrix is computed once and saved."""
    found = find_judged(documents.data, source.data)
    chosen = {name: getattr(documents, name) for name in ("clicks", "rankers", "interleave")}
    chosen = {name: text for name, text in chosen.items() if text}
    letor = _synthetic() if found is None else _read(documents.data, found.path)
    arena = open_arena(letor, **chosen)
    how = {"duels": documents.duels, "simulate": True} if documents.duels else {}
    words = [*chosen.values(), *([f"{documents.duels}-duels"] if documents.duels else [])]
    file = f"{documents.data}-{letor.digest[:8]}-{name_of_settings(words)}.prefs.parquet"
    saved = path_inside(source.made, file, StudyError)
    if saved.exists():
        preferences = read_preferences(saved)
    else:
        saved.parent.mkdir(parents=True, exist_ok=True)
        preferences = write_matrix(arena, saved, jobs=source.jobs, **how)
    return Problem(preferences, arena if documents.mode == "live" else None, regret)


def name_of_settings(values: Iterable[str]) -> str:
    """Return settings as part of a file name; a checksum is added if characters had to be replaced."""
    text = "-".join(values) or "all"
    plain = re.sub(r"[^\w.-]+", "-", text, flags=re.ASCII)
    return plain if plain == text else f"{plain}-{zlib.crc32(text.encode()):08x}"


def _read(name: str, path: str) -> Letor:
    """Read judged data without warnings about their content, which 'rankduel data info' shows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read_data(path, **_OPTIONS.get(name, {}))


@cache
def _synthetic() -> Letor:
    return synthesize(shape("small", queries=_QUERIES))
