"""Refuse parameters that a call would ignore."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankduel.base.errors import UsageError


def refuse_unused(given: Mapping[str, Any], usual: Mapping[str, Any], for_what: str) -> None:
    """Raise an error for the first parameter whose value is not its default in `usual` (None if absent).

    The message is 'NAME=... is for FOR_WHAT'.
    """
    for name, value in given.items():
        is_given = value is not None and value is not False
        if is_given and value != usual.get(name):
            raise UsageError(f"{name}=... is for {for_what}", parameter=name)
