"""Read files of ranked lists, such as ballots, and count how often each item is ranked above each other item.

Three formats are supported: PrefLib (Mattei and Walsh 2013, preflib.org) since 2022 and before 2022, and the
sushi orders of Kamishima (2003, kamishima.net/sushi). An example in PrefLib's format:

    # NUMBER VOTERS: 5
    # ALTERNATIVE NAME 1: Ann
    # ALTERNATIVE NAME 2: Bob
    # ALTERNATIVE NAME 3: Cleo
    3: 2,1              three voters rank Bob above Ann, and do not rank Cleo
    2: {1,3},2          two voters rank Ann and Cleo, who are tied, above Bob
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

from rankduel.base.errors import DataError
from rankduel.base.text import read_text, shortened
from rankduel.experiments.matrix.preferences import Preferences, checked

SUFFIXES = (".soi", ".order")
_HEADER = re.compile(r"#\s*(NUMBER VOTERS|ALTERNATIVE NAME (\d+)):\s*(.*)")
_MOST_ITEMS, _MOST_LISTS, _MOST_PLACES = 10_000, 10**12, 50_000_000  # per file; all sums fit into int64
_MOST_BYTES = 1 << 25
_MOST_DIGITS = 15  # longest number in a file
_ITEM = rf"\d{{1,{_MOST_DIGITS}}}"
_ITEMS = rf"({_ITEM}|\{{{_ITEM}(,{_ITEM})*\}})"
_ORDER = re.compile(rf"{_ITEMS}(,{_ITEMS})*")
_GROUP = re.compile(r"\d+|\{[\d,]+\}")


@dataclass(frozen=True, eq=False)
class Ballots:
    """Ranked lists of items, with the number of voters of each list."""

    names: tuple[str, ...]  # of all items
    counts: np.ndarray  # (lists,) int64: number of voters of each list
    places: np.ndarray  # (lists, items) int64: rank from 1, equal for tied items; 0 if not ranked

    @cached_property
    def above(self) -> np.ndarray:
        """(items, items) int64: number of voters who rank both items, and the first above the second."""
        above = np.zeros((len(self.names), len(self.names)), np.int64)
        for item in range(len(self.names)):
            is_ranked = self.places[:, item] > 0
            places = self.places[is_ranked]
            above[item] = self.counts[is_ranked] @ (places > places[:, [item]])
        return above


def n_comparisons(ballots: Ballots) -> np.ndarray:
    """Return the number of comparisons of each item with other items, shape (items,)."""
    return (ballots.above + ballots.above.T).sum(axis=1)


def n_lists(ballots: Ballots) -> np.ndarray:
    """Return the number of voters who rank each item, shape (items,)."""
    return ballots.counts @ (ballots.places > 0)


class TopItems(NamedTuple):
    """A selection rule: the `n` items with the largest values of `by`."""

    n: int
    by: Callable[[Ballots], np.ndarray]

    def select(self, ballots: Ballots) -> list[int]:
        """Return the selected items in the order of the file; earlier items win ties."""
        return sorted(np.argsort(-self.by(ballots), kind="stable")[: self.n].tolist())


def preferences_from_ballots(ballots: Ballots, top: TopItems, where: str) -> Preferences:
    """Return the matrix of the `top` items: P(i, j) is the share of voters with i above j, ties left out."""
    if len(ballots.names) < top.n:
        raise DataError(f"{where}: {len(ballots.names)} items are ranked; expected at least {top.n}")
    items = top.select(ballots)
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
    n: int  # number of voters
    groups: Sequence[Sequence[int]]  # numbers of items, best first; a group is tied


class _File(NamedTuple):
    names: dict[int, str]  # by the number in lists
    lists: Sequence[_List]
    total: int | None = None  # number of voters that the header states


_Lines = Sequence[tuple[int, str]]  # line number and text, blank lines left out


def read_ballots(path: Path) -> Ballots:
    """Read a file of ranked lists; the first line determines its format."""
    # Names may be in any encoding; everything else is ASCII.
    text = read_text(path, DataError, _MOST_BYTES, "replace")
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    first = lines[0][1] if lines else ""
    for pattern, parse in _FORMATS.items():
        if re.match(pattern, first):
            file = parse(path, lines)
            break
    else:
        raise _wrong(path, 1, first, "a file of ranked lists, of PrefLib or Kamishima")
    total = sum(one.n for one in file.lists)
    if file.total not in (None, total):
        raise DataError(
            f"{path}: found {total:,} lists, but the file states {file.total:,}; download it again"
        )
    _check_size(path, file, total)
    counts = np.array([one.n for one in file.lists], np.int64)
    return Ballots(tuple(file.names.values()), counts, _places(path, file))


def _check_size(path: Path, file: _File, total: int) -> None:
    """Raise an error if the file would take too much memory, or its sums would overflow int64."""
    n_places = len(file.lists) * len(file.names)
    if len(file.names) > _MOST_ITEMS or total > _MOST_LISTS or n_places > _MOST_PLACES:
        raise DataError(
            f"{path}: found {len(file.names):,} items in {total:,} lists, {len(file.lists):,} of them "
            f"distinct; expected at most {_MOST_ITEMS:,} items, {_MOST_LISTS:,} lists, and {_MOST_PLACES:,} "
            "items times distinct lists"
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
            lists.append(_parse_list(path, line, text, ":"))
    return _File(names, lists, total)


def _preflib_before_2022(path: Path, lines: _Lines) -> _File:
    """Parse the number of items, 'number,name' lines, a line of totals, and 'count,order' lines."""
    n_items = _number(path, 1, lines[0][1], "a number of items")
    if len(lines) < n_items + 2:
        raise DataError(
            f"{path}: the file ends in line {lines[-1][0]}; expected {n_items} names, a line of totals, and "
            "lists; download it again"
        )
    names: dict[int, str] = {}
    for line, text in lines[1 : n_items + 1]:
        number, _, name = text.partition(",")
        _add_name(path, line, names, number, name.strip())
    line, totals = lines[n_items + 1]
    total = _number(path, line, totals.partition(",")[0], "a number of voters")
    return _File(names, [_parse_list(path, *one, ",") for one in lines[n_items + 2 :]], total)


def _kamishima(path: Path, lines: _Lines) -> _File:
    """Parse a line 'items 1', then lists '0 length item item ...' with items numbered from 0."""
    n_items = _number(path, 1, lines[0][1].split()[0], "a number of items")
    if n_items > _MOST_ITEMS:
        raise _wrong(path, 1, lines[0][1], f"a number of items up to {_MOST_ITEMS:,}, and 1")
    lists = []
    for line, text in lines[1:]:
        words = text.split()
        if len(words) < 2 or not all(map(_is_number, words)) or len(words) != int(words[1]) + 2:
            raise _wrong(path, line, text, "0, the number of ranked items, and their numbers")
        lists.append(_List(line, 1, [[int(word)] for word in words[2:]]))
    return _File({item: str(item) for item in range(n_items)}, lists)


# Parsers by a pattern of the first line.
_FORMATS: dict[str, Callable[[Path, _Lines], _File]] = {
    r"#": _preflib,
    r"\d+$": _preflib_before_2022,
    r"\d+\s+\d+$": _kamishima,
}


def _parse_list(path: Path, line: int, text: str, mark: str) -> _List:
    """Parse a list such as '3: 1,{2,4}', with `mark` after the count."""
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
