"""Ranked lists that users fetch, such as ballots: how often each item is ranked above each other one.

Three kinds of files are read: those of PrefLib (Mattei and Walsh 2013, preflib.org), as written since 2022
and as before, and the orders of sushi by Kamishima (2003, kamishima.net/sushi). PrefLib writes

    # NUMBER VOTERS: 5
    # ALTERNATIVE NAME 1: Ann
    # ALTERNATIVE NAME 2: Bob
    # ALTERNATIVE NAME 3: Cleo
    3: 2,1              three voters put Bob above Ann, and say nothing about Cleo
    2: {1,3},2          two put Ann and Cleo above Bob; of these two, neither is above the other
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from experiments.matrix.preferences import Preferences, checked
from rankduel.base.errors import DataError
from rankduel.base.text import read_text, shortened

SUFFIXES = (".soi", ".order")
_HEADER = re.compile(r"#\s*(NUMBER VOTERS|ALTERNATIVE NAME (\d+)):\s*(.*)")
_MOST_ITEMS, _MOST_LISTS, _MOST_PLACES = 10_000, 10**12, 50_000_000  # of a file; its sums fit into int64
_MOST_BYTES = 1 << 25
_MOST_DIGITS = 15  # of a number
_ITEM = rf"\d{{1,{_MOST_DIGITS}}}"
_ITEMS = rf"({_ITEM}|\{{{_ITEM}(,{_ITEM})*\}})"
_ORDER = re.compile(rf"{_ITEMS}(,{_ITEMS})*")
_GROUP = re.compile(r"\d+|\{[\d,]+\}")


@dataclass(frozen=True, eq=False)
class Ballots:
    names: tuple[str, ...]  # of all items
    counts: np.ndarray  # (lists,) int64: how many gave this list
    places: np.ndarray  # (lists, items) int64: from 1, the same for equals; 0: not ranked

    @cached_property
    def above(self) -> np.ndarray:
        """(items, items) int64: how many rank the first above the second, of those who rank both."""
        above = np.zeros((len(self.names), len(self.names)), np.int64)
        for item in range(len(self.names)):
            rank_it = self.places[:, item] > 0
            places = self.places[rank_it]
            above[item] = self.counts[rank_it] @ (places > places[:, [item]])
        return above


def in_pairs(ballots: Ballots) -> np.ndarray:
    """(items,): how many comparisons with others each is in."""
    return (ballots.above + ballots.above.T).sum(axis=1)


def in_lists(ballots: Ballots) -> np.ndarray:
    """(items,): how many rank each."""
    return ballots.counts @ (ballots.places > 0)


class Kept(NamedTuple):
    """Some of the items: those with most of something."""

    n: int
    by: Callable[[Ballots], np.ndarray]

    def of(self, ballots: Ballots) -> list[int]:
        """In the order of the file, which also settles who is kept of equals."""
        return sorted(np.argsort(-self.by(ballots), kind="stable")[: self.n].tolist())


def preferences_by(ballots: Ballots, kept: Kept, where: str) -> Preferences:
    """Of those who rank both, the share who rank one above the other."""
    if len(ballots.names) < kept.n:
        raise DataError(f"{where}: {len(ballots.names)} items are ranked; expected at least {kept.n}")
    items = kept.of(ballots)
    names = [ballots.names[item] for item in items]
    above = ballots.above[np.ix_(items, items)]
    first, second = np.triu_indices(len(items), 1)
    wins, losses = above[first, second], above[second, first]
    n = wins + losses
    if not n.all():
        one, other = names[first[n.argmin()]], names[second[n.argmin()]]
        raise DataError(f"{where}: no list ranks one of '{one}' and '{other}' above the other")
    pairs = pd.DataFrame({"first": first, "second": second, "wins": wins, "losses": losses, "n": n})
    p = wins / n
    return checked(names, pairs.assign(ties=0, p=p, lo=p, hi=p, method="given"), {}, where)


class _List(NamedTuple):
    line: int
    n: int  # how many gave it
    groups: Sequence[Sequence[int]]  # numbers of items, best first


class _File(NamedTuple):
    names: dict[int, str]  # by the number that lists have
    lists: Sequence[_List]
    total: int | None = None  # how many lists the file says there are


_Lines = Sequence[tuple[int, str]]  # number and text of each that is not blank


def read_ballots(path: Path) -> Ballots:
    text = read_text(
        path, DataError, _MOST_BYTES, "replace"
    )  # names may be in any encoding; all else is ASCII
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    first = lines[0][1] if lines else ""
    for beginning, parse in _KINDS.items():
        if re.match(beginning, first):
            file = parse(path, lines)
            break
    else:
        raise _wrong(path, 1, first, "a file of ranked lists, of PrefLib or Kamishima")
    total = sum(one.n for one in file.lists)
    if file.total not in (None, total):
        raise DataError(
            f"{path}: {total:,} lists in it, and it says {file.total:,}; fetch it again, all of it"
        )
    _check_size(path, file, total)
    counts = np.array([one.n for one in file.lists], np.int64)
    return Ballots(tuple(file.names.values()), counts, _places(path, file))


def _check_size(path: Path, file: _File, total: int) -> None:
    """Refuse what would take too much memory, or sums beyond whole numbers of 64 bits."""
    n_places = len(file.lists) * len(file.names)
    if len(file.names) > _MOST_ITEMS or total > _MOST_LISTS or n_places > _MOST_PLACES:
        raise DataError(
            f"{path}: {len(file.names):,} items in {total:,} lists, {len(file.lists):,} of them different; "
            f"expected at most {_MOST_ITEMS:,} items, {_MOST_LISTS:,} lists, and {_MOST_PLACES:,} items in "
            "different lists"
        )


def _wrong(path: Path, line: int, found: str, expected: str) -> DataError:
    return DataError(f"{path}:{line}: found '{shortened(found, 40)}'; expected {expected}")


def _preflib(path: Path, lines: _Lines) -> _File:
    names: dict[int, str] = {}
    lists: list[_List] = []
    total = None
    for line, text in lines:
        header = _HEADER.fullmatch(text)
        if header is not None and header[2]:
            _add_name(path, line, names, header[2], header[3])
        elif header is not None:
            total = _number(path, line, header[3], "a number of voters")
        elif not text.startswith("#"):
            lists.append(_counted(path, line, text, ":"))
    return _File(names, lists, total)


def _preflib_before_2022(path: Path, lines: _Lines) -> _File:
    """How many items; number and name of each; how many voters, lists and different lists; 'count,order'."""
    n_items = _number(path, 1, lines[0][1], "a number of items")
    if len(lines) < n_items + 2:
        raise DataError(
            f"{path}: ends in line {lines[-1][0]}; expected {n_items} names, a line of totals, lists"
        )
    names: dict[int, str] = {}
    for line, text in lines[1 : n_items + 1]:
        number, _, name = text.partition(",")
        _add_name(path, line, names, number, name.strip())
    line, totals = lines[n_items + 1]
    total = _number(path, line, totals.partition(",")[0], "a number of voters")
    return _File(names, [_counted(path, *one, ",") for one in lines[n_items + 2 :]], total)


def _kamishima(path: Path, lines: _Lines) -> _File:
    """How many items, and a 1; then lists: a 0, how many are ranked, and these, numbered from 0."""
    n_items = _number(path, 1, lines[0][1].split()[0], "a number of items")
    if n_items > _MOST_ITEMS:
        raise _wrong(path, 1, lines[0][1], f"a number of items up to {_MOST_ITEMS:,}, and 1")
    lists = []
    for line, text in lines[1:]:
        words = text.split()
        if len(words) < 2 or not all(map(_is_number, words)) or len(words) != int(words[1]) + 2:
            raise _wrong(path, line, text, "0, how many items are ranked, and their numbers")
        lists.append(_List(line, 1, [[int(word)] for word in words[2:]]))
    return _File({item: str(item) for item in range(n_items)}, lists)


# What the first line looks like.
_KINDS: dict[str, Callable[[Path, _Lines], _File]] = {
    r"#": _preflib,
    r"\d+$": _preflib_before_2022,
    r"\d+\s+\d+$": _kamishima,
}


def _counted(path: Path, line: int, text: str, mark: str) -> _List:
    """'3: 1,{2,4}', with this mark after the count."""
    count, _, order = text.replace(" ", "").partition(mark)
    if not _is_number(count) or not _ORDER.fullmatch(order):
        raise _wrong(path, line, text, f"a count and a list, such as '3{mark} 1,{{2,4}}'")
    groups = [[int(item) for item in group.strip("{}").split(",")] for group in _GROUP.findall(order)]
    return _List(line, int(count), groups)


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= _MOST_DIGITS


def _number(path: Path, line: int, text: str, expected: str) -> int:
    if not _is_number(text.strip()):
        raise _wrong(path, line, text, expected)
    return int(text)


def _add_name(path: Path, line: int, names: dict[int, str], number: str, name: str) -> None:
    item = _number(path, line, number, "the number of an item, and its name")
    if item in names:
        raise _wrong(path, line, number, "every item once")
    names[item] = name


def _places(path: Path, file: _File) -> np.ndarray:
    columns = {number: column for column, number in enumerate(file.names)}
    places = np.zeros((len(file.lists), len(columns)), np.int64)
    for row, (line, _, groups) in enumerate(file.lists):
        for place, item in ((place, item) for place, group in enumerate(groups, 1) for item in group):
            if item not in columns:
                raise _wrong(path, line, str(item), f"the number of one of the {len(columns)} items")
            if places[row, columns[item]]:
                raise _wrong(path, line, str(item), "every item once in a list")
            places[row, columns[item]] = place
    return places
