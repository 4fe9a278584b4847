"""Rows of numbers as text, such as '0.05/0.5/0.95': an entry per grade from 0 up, or per rank."""

from __future__ import annotations

from collections.abc import Iterable

from rankduel.base.errors import ClickModelError
from rankduel.base.settings import written


def numbers_in(text: str, what: str) -> list[float]:
    """Return the numbers of a text such as '0/0.5/1'."""
    try:
        return [float(part) for part in text.split("/")]
    except ValueError:
        raise ClickModelError(f"{what} should be numbers such as 0/0.5/1, not '{text}'") from None


def row_text(values: Iterable[float]) -> str:
    """Return text such as '0/0.5/1', with the digits that are needed to read the same numbers back."""
    return "/".join(written(float(value)) for value in values)
