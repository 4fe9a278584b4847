"""Check the types of arguments of public functions."""

from __future__ import annotations

from typing import Any

from rankduel.base.errors import UsageError
from rankduel.base.text import shortened


def check_type(name: str, value: Any, kinds: type | tuple[type, ...], expected: str) -> None:
    """Raise an error that states what was found and expected, if `value` has none of the types `kinds`."""
    if not isinstance(value, kinds):
        found = shortened(repr(value))
        raise UsageError(f"{name} is {found}, of type {type(value).__name__}; expected {expected}")
