"""What goes wrong with interleaving, said so that a person can fix it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any


class InterleaveError(ValueError):
    """Interleaving asked for in a way that cannot be; the message says what would do."""


def known(name: str, table: Mapping, what: str) -> Any:
    """table[name], or an error that suggests the nearest name."""
    if name not in table:
        close = difflib.get_close_matches(str(name), table, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"known: {', '.join(map(str, table)) or 'none'}"
        raise InterleaveError(f"no {what} named '{name}'; {hint}")
    return table[name]
