"""CSV that people open in spreadsheets: names reach a cell as text and come back as they were.

A spreadsheet takes a cell that begins with =, +, - or @ for a formula and computes it. Such a text is written
with an apostrophe in front, which is removed on the way in. A text that begins with apostrophes and goes on
like a formula gets one more, so that every text comes back as it was.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence

from rankduel.base.errors import DataError

_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")
_QUOTED = re.compile(r'[,;"\t\r\n]|^\s|\s$')


def as_text(text: str) -> str:
    """Return `text` as it is written to a cell."""
    return f"'{text}" if _FORMULA.match(text) else text


def from_cell(cell: str) -> str:
    """Return the text that `as_text` wrote to a cell."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def to_csv(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> str:
    """Return a table with a header; what a row does not have is an empty cell, and numbers stay numbers."""
    lines = [columns, *([_cell(row.get(column, "")) for column in columns] for row in rows)]
    return "".join(",".join(map(_quoted, line)) + "\n" for line in lines)


def _cell(value: object) -> str:
    return str(value) if isinstance(value, (int, float)) else as_text(str(value))


def from_csv(text: str, where: str) -> tuple[list[str], list[dict[str, str]]]:
    """Return the columns and the rows of a table; short rows are filled with empty texts."""
    columns, *rows = csv_rows(text, where) or [[]]
    missing = [""] * len(columns)
    return columns, [dict(zip(columns, [*map(from_cell, row), *missing])) for row in rows]


def csv_rows(text: str, where: str) -> list[list[str]]:
    """Return the cells of CSV text as they are, without empty lines."""
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        return [row for row in reader if row]
    except csv.Error as problem:
        raise DataError(f"{where}, line {reader.line_num}: no CSV: {problem}") from None


def _quoted(cell: str) -> str:
    """Return a cell in quotes if it needs them; the `csv` module forgets a carriage return by itself."""
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell
