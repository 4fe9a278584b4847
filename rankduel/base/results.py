"""Results of public functions: values that convert themselves to tables and to plain Python objects.

A result is a frozen dataclass with two methods. ``to_pandas()`` returns its main table, which ``--csv``
prints, and ``to_dict()`` returns plain lists, numbers and texts, which ``--json`` prints.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pandas as pd


class Result(Protocol):
    """What a public function returns and a command prints."""

    def to_pandas(self) -> pd.DataFrame:
        """Return the main table."""
        ...

    def to_dict(self) -> Any:
        """Return all values as plain Python objects, for JSON."""
        ...


def plain(value: Any) -> Any:
    """Convert values, arrays and DataFrames to JSON types; NaN becomes None, infinity a text."""
    if hasattr(value, "iloc"):  # a DataFrame; pandas is slow to import
        value = value.to_dict("records")
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value
