"""Rows of numbers as text: '0.05/0.5/0.95', one entry per grade or rank from the top of the row."""

from __future__ import annotations

from collections.abc import Iterable

from rankduel.base.errors import ClickModelError
from rankduel.base.settings import written


def numbers_in(text: str, what: str) -> list[float]:
    """Return the numbers of '0/0.5/1'."""
    try:
        return [float(part) for part in text.split("/")]
    except ValueError:
        raise ClickModelError(f"{what} should be numbers such as 0/0.5/1, not '{text}'") from None


def row_text(values: Iterable[float]) -> str:
    """Return '0/0.5/1' for (0.0, 0.5, 1.0), with as many digits as it takes to read the same numbers back."""
    return "/".join(written(float(value)) for value in values)
