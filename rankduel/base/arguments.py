"""Arguments of public functions that are of another type than they take."""

from __future__ import annotations

from typing import Any

from rankduel.base.errors import UsageError
from rankduel.base.text import shortened


def check_type(name: str, value: Any, kinds: type | tuple[type, ...], expected: str) -> None:
    """Raise an error that says what was found and what is expected, if `value` is of none of these types."""
    if not isinstance(value, kinds):
        found = shortened(repr(value))
        raise UsageError(f"{name} is {found}, of type {type(value).__name__}; expected {expected}")
