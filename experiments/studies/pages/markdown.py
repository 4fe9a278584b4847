"""Text as Markdown: escaped, as code, with superscripts, and tables."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from rankduel.experiments.report.charts.parts import number

_MARKUP = re.compile(r"([\\`*\[\]<>|$~])")  # characters that Markdown, HTML or MyST interpret
_POWER = re.compile(r"(\w)\^(\d+)")


def plain(text: str) -> str:
    """Return text for Markdown, in one line, with all markup escaped and powers as superscripts."""
    return with_superscripts(escape(text))


def escape(text: str) -> str:
    """Return text for Markdown, in one line and with all markup escaped."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def with_superscripts(text: str) -> str:
    """Return text with powers such as 10^7 as HTML superscripts."""
    return _POWER.sub(r"\1<sup>\2</sup>", text)


def code(text: str) -> str:
    """Return text as a code span for a cell of a Markdown table."""
    return "`" + " ".join(text.split()).replace("`", "'").replace("|", "\\|") + "`"


def anchor(heading: str) -> str:
    """Return the anchor that GitHub and MyST give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def as_markdown(frame: pd.DataFrame) -> str:
    """Return a table as Markdown, with numbers aligned to the right."""
    headings = [str(column) for column in frame]
    marks = ["--:" if pd.api.types.is_numeric_dtype(frame[column]) else "---" for column in frame]
    return "".join(f"| {' | '.join(row)} |\n" for row in [headings, marks, *cells(frame)])


def cells(frame: pd.DataFrame) -> list[list[str]]:
    """Return the cells of a table as text, row by row."""
    return [[_cell(value) for value in row] for row in frame.itertuples(index=False)]


def _cell(value: Any) -> str:
    if isinstance(value, float):
        text = number(value)
        return text.rstrip("0").rstrip(".") if "." in text else text
    return str(value).replace("|", "\\|")
