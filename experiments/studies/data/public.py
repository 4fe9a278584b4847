"""Public matrices of studies: the names of their files, and what replaces a matrix that was not found.

This package may not include these matrices. stand_ins.py makes the synthetic ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from rankduel.experiments.studies.data.ballots import TopItems, n_comparisons, n_lists
from rankduel.experiments.studies.data.judged import Documents
from rankduel.experiments.studies.data.stand_ins import (
    led_by,
    mslr_like,
    mslr_like_with_winner,
    with_empty_features,
    with_gaps_of,
)


class Public(NamedTuple):
    """A public matrix."""

    about: str
    files: tuple[str, ...]  # possible file names, in any spelling (folder.py); the first is preferred
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


def _from_lists(name: str, about: str, lists: tuple[str, ...], items: TopItems) -> Public:
    """Return a matrix of shares of voters, from a matrix file or from the ranked lists in files `lists`."""
    files = (f"{name}.txt", f"{name}.prefs.parquet", *lists)
    return Public(f"{about}; {lists[0]}", files, partial(led_by, items.n, *LEADS[name]), items=items)


def _election(name: str, where: str, number: int, n: int) -> Public:
    file = f"00001-0000000{number}.soi"
    about = f"{where} 2002, the {n} candidates on most ballots (preflib.org, data set 00001)"
    return _from_lists(name, about, (file, f"ED-{file}"), TopItems(n, n_lists))


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
PUBLIC["sushi16"] = _from_lists(
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
