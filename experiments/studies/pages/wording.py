"""Words and numbers of the pages of studies."""

from __future__ import annotations

import re

import numpy as np

from rankduel.experiments.studies.study import SKIPPED
from rankduel.experiments.studies.verdicts import Record

_MARKUP = re.compile(r"([\\`*\[\]<>|$~])")  # characters that Markdown, HTML or MyST interpret
_POWER = re.compile(r"(\w)\^(\d+)")


def measured(record: Record) -> str:
    """Return '1.41 ± 0.05 (14,330 and 20,250; n = 20, 20; z = 4.2)', or the reason for skipping the check."""
    if record.verdict == SKIPPED:
        return record.why
    text = number(record.value) + ("" if np.isnan(record.se) else f" ± {number(record.se)}")
    sides = [(record.lhs, record.n_lhs), (record.rhs, record.n_rhs)]
    more = []
    if record.n_rhs:
        more.append(" and ".join(number(value) for value, _ in sides))
    if record.n_lhs > 1:
        more.append("n = " + ", ".join(str(n) for _, n in sides if n))
    if np.isfinite(record.z):
        more.append(f"z = {record.z:.1f}")
    return f"{text} ({'; '.join(more)})" if more else text


def number(value: float) -> str:
    """Return a number with four digits, or all digits of a whole number."""
    if np.isnan(value):
        return "unknown"
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"


def plain(text: str) -> str:
    """Return text for Markdown, in one line, with all markup escaped and with powers raised."""
    return raised(escaped(text))


def escaped(text: str) -> str:
    """Return text for Markdown, in one line and with all markup escaped."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def raised(text: str) -> str:
    """Return text with powers such as 10^7 as HTML superscripts."""
    return _POWER.sub(r"\1<sup>\2</sup>", text)


def code(text: str) -> str:
    """Return text as a code span for a cell of a Markdown table."""
    return "`" + " ".join(text.split()).replace("`", "'").replace("|", "\\|") + "`"


def anchor(heading: str) -> str:
    """Return the anchor that GitHub and MyST give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
