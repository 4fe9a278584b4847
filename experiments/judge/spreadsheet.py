"""CSV for spreadsheets: text is never taken for a formula, and is read back unchanged.

A spreadsheet evaluates a cell that begins with =, +, - or @ as a formula. Such a text is written with a
leading apostrophe, which is removed when it is read. A text of apostrophes followed by a formula gets one
more apostrophe, so that every text is read back unchanged.
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
    """Return the cell for `text`, with an apostrophe in front if it looks like a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def from_cell(cell: str) -> str:
    """Return the text of a cell that `as_text` made."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def to_csv(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> str:
    """Return CSV text with a header; missing values are empty cells, and numbers are not escaped."""
    lines = [columns, *([_cell(row.get(column, "")) for column in columns] for row in rows)]
    return "".join(",".join(map(_quoted, line)) + "\n" for line in lines)


def _cell(value: object) -> str:
    return str(value) if isinstance(value, (int, float)) else as_text(str(value))


def from_csv(text: str, where: str) -> tuple[list[str], list[dict[str, str]]]:
    """Return the columns and the rows of CSV text; short rows are filled with empty texts."""
    columns, *rows = csv_rows(text, where) or [[]]
    missing = [""] * len(columns)
    return columns, [dict(zip(columns, [*map(from_cell, row), *missing])) for row in rows]


def csv_rows(text: str, where: str) -> list[list[str]]:
    """Return the cells of CSV text by row, without empty lines; apostrophes are not removed."""
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        return [row for row in reader if row]
    except csv.Error as problem:
        raise DataError(f"{where}, line {reader.line_num}: not CSV: {problem}") from None


def _quoted(cell: str) -> str:
    """Return the cell, in quotes if needed; the `csv` module does not quote a lone carriage return."""
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell
