"""Judgments of comparisons: checks of the rows that assessors fill in, and the files of a session.

A winner is 'left', 'right' or 'tie'. It is never the name of an item, since an item may be called 'tie'.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from rankduel.base.errors import DataError, RecordsError
from rankduel.base.files import convert_write_errors, write_text
from rankduel.base.stored import read_at_most
from rankduel.base.text import shortened
from rankduel.experiments.judge.spreadsheet import from_csv, to_csv

LOCKS: Any = None  # the module fcntl, which Windows does not have
with contextlib.suppress(ImportError):
    LOCKS = importlib.import_module("fcntl")

TIE = "tie"
SIDES = ("left", "right")
LARGEST_FILE = 100_000_000  # bytes of a pool or of judgments
_COLUMNS = ("id", *SIDES, "winner", "assessor")
_NOTHING_ADDED = "Nothing of the file was added"
_MOST_DIGITS = 18  # of an id


class Comparison(NamedTuple):
    """A pair of items to be judged, with their sides."""

    id: int  # from 1
    left: str
    right: str

    @property
    def pair(self) -> frozenset[str]:
        return frozenset((self.left, self.right))


class Judgment(NamedTuple):
    """The result of a comparison."""

    comparison: Comparison
    winner: str  # "left", "right" or "tie"
    assessor: str = ""


@dataclass(frozen=True)
class ToJudge:
    """Comparisons to be judged, as a table in which the winner is still empty."""

    comparisons: tuple[Comparison, ...]
    assessor: str = ""

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per comparison."""
        return pd.DataFrame(self.to_dict(), columns=list(_COLUMNS))

    def to_dict(self) -> list[dict[str, Any]]:
        """Return one row per comparison, as plain Python objects."""
        return pairs_rows(self.comparisons, self.assessor)

    def to_csv(self) -> str:
        """Return the table as CSV, with items that a spreadsheet does not take for formulas."""
        return pairs_csv(self.comparisons, self.assessor)

    def save(self, path: str | Path) -> None:
        """Write the table as CSV."""
        with convert_write_errors(path, DataError):
            write_text(path, self.to_csv())


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file without its byte-order mark; line ends are not changed."""
    try:
        return read_at_most(path, LARGEST_FILE).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path}: not UTF-8 text; save the file as UTF-8") from None


def read_judgments(text: str, where: str) -> list[dict[str, str]]:
    """Return the rows of CSV text, with values stripped of surrounding spaces."""
    columns, rows = from_csv(text, where)
    missing = [column for column in ("id", "winner") if column not in columns]
    if missing:
        found = shortened(", ".join(columns)) or "nothing"
        raise DataError(
            f"{where}: no column '{missing[0]}' (found {found}); expected a file from 'rankduel judge next'"
        )
    return [{column: value.strip() for column, value in row.items()} for row in rows]


def pairs_csv(comparisons: Sequence[Comparison], assessor: str = "") -> str:
    """Return comparisons as CSV, to be filled in by `assessor`."""
    return to_csv(pairs_rows(comparisons, assessor), _COLUMNS)


def pairs_rows(comparisons: Sequence[Comparison], assessor: str = "") -> list[dict[str, Any]]:
    """Return comparisons as rows, in which the winner is still empty."""
    return [one._asdict() | {"winner": "", "assessor": assessor} for one in comparisons]


def new_judgments(
    rows: Sequence[Mapping[str, str]],
    asked: Mapping[int, Comparison],
    known: Mapping[int, Judgment],
    where: str,
) -> list[Judgment]:
    """Return the judgments in `rows` that are not in `known`; raise DataError for the first bad row.

    `asked` holds the comparisons by id, and `where` names the file in messages.
    """
    all_known = dict(known)
    seen = {(one.assessor, one.comparison.pair): one.comparison.id for one in known.values() if one.assessor}
    for line, row in enumerate(rows, start=2):
        at = f"{where}, line {line}"
        judgment = _judgment(row, asked, at)
        if judgment is None:
            continue
        before = all_known.setdefault(judgment.comparison.id, judgment)
        if before != judgment:
            raise DataError(f"{at}: {_judged_before(before, judgment)}. {_NOTHING_ADDED}")
        if judgment.assessor:
            number = seen.setdefault((judgment.assessor, judgment.comparison.pair), judgment.comparison.id)
            if number != judgment.comparison.id:
                raise DataError(
                    f"{at}: {judgment.assessor} judged this pair before, as comparison {number}; expected "
                    f"another assessor for comparison {judgment.comparison.id}. {_NOTHING_ADDED}"
                )
    return [judgment for number, judgment in all_known.items() if number not in known]


def write_judgments(folder: Path, judgments: Sequence[Judgment]) -> None:
    """Write judgments to a new file in `folder`; its name contains the digest of its content."""
    rows = [one.comparison._asdict() | {"winner": one.winner, "assessor": one.assessor} for one in judgments]
    content = to_csv(rows, _COLUMNS)
    path = folder / f"{judgments[0].comparison.id:06d}-{_digest(content.encode())}.csv"
    with convert_write_errors(path, RecordsError):
        write_text(path, content)


def read_judgment_file(path: Path) -> list[Judgment]:
    """Return the judgments in a file of `write_judgments`; raise RecordsError if it is damaged."""
    try:
        data = read_at_most(path, LARGEST_FILE)
    except OSError as problem:
        raise RecordsError(f"{path}: cannot be read: {problem.strerror}") from None
    if path.stem.partition("-")[2] != _digest(data):
        raise RecordsError(
            f"{path}: damaged or edited; its content does not have the digest in its name. Judgments are "
            "added with 'rankduel judge add'"
        )
    try:
        columns, rows = from_csv(data.decode("utf-8"), str(path))
        if tuple(columns) != _COLUMNS:
            raise ValueError
        return [_stored_judgment(row) for row in rows]
    except ValueError:  # also a DataError
        raise RecordsError(f"{path}: damaged; expected the columns {', '.join(_COLUMNS)}") from None


def _stored_judgment(row: Mapping[str, str]) -> Judgment:
    number = _number(row["id"])
    if number is None or row["winner"] not in (*SIDES, TIE):
        raise ValueError
    return Judgment(Comparison(number, row["left"], row["right"]), row["winner"], row["assessor"])


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock `folder` against other processes while the block runs, if the system has locks."""
    if LOCKS is None:
        yield
        return
    with convert_write_errors(folder, RecordsError):
        handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network disks have no locks
            LOCKS.flock(handle, LOCKS.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _judgment(row: Mapping[str, str], asked: Mapping[int, Comparison], at: str) -> Judgment | None:
    """Return the judgment in `row`; None if it has no winner."""
    if not row.get("winner"):
        return None
    text = row.get("id", "")
    number = _number(text)
    comparison = None if number is None else asked.get(number)
    if comparison is None:
        raise DataError(
            f"{at}: id is '{text[:_MOST_DIGITS]}', which is no comparison of this session; 'rankduel judge "
            f"next' lists the open ones. {_NOTHING_ADDED}"
        )
    for side in SIDES:
        expected = getattr(comparison, side)
        if row.get(side, "").strip() not in ("", expected.strip()):
            raise DataError(
                f"{at}: {side} is '{shortened(row[side])}'; expected '{expected}' in comparison {number}. Is "
                f"the file from another session? {_NOTHING_ADDED}"
            )
    assessor = row.get("assessor", "").strip()
    if not is_plain_text(assessor):
        raise DataError(f"{at}: the assessor's name cannot be written as UTF-8. {_NOTHING_ADDED}")
    return Judgment(comparison, _winner(row["winner"], at), assessor)


def _number(text: str) -> int | None:
    """Return `text` as an id; None if it is not a decimal number of at most _MOST_DIGITS digits."""
    return int(text) if len(text) <= _MOST_DIGITS and text.isascii() and text.isdecimal() else None


def _winner(text: str, at: str) -> str:
    answer = text.strip().lower()
    if answer not in (*SIDES, TIE):
        raise DataError(
            f"{at}: the winner is '{shortened(text)}'; expected left, right or tie: the side of the better "
            f"item, not its name. {_NOTHING_ADDED}"
        )
    return answer


def _judged_before(before: Judgment, judgment: Judgment) -> str:
    """Return the message that a comparison has the judgment `before`, which `judgment` contradicts."""
    number = before.comparison.id
    if before.assessor != judgment.assessor:
        by = before.assessor or "an assessor without a name"
        return (
            f"comparison {number} was judged before, by {by}; expected one judgment of it. 'rankduel judge "
            "next' lists the open comparisons"
        )
    return (
        f"comparison {number} has the winner {judgment.winner}, and had {before.winner} before; judgments "
        "cannot be changed"
    )


def is_plain_text(text: str) -> bool:
    """Return whether `text` can be written to a CSV file: no NUL and no surrogates."""
    return "\0" not in text and not any("\ud800" <= one <= "\udfff" for one in text)
