"""Results of public functions: values that convert themselves to tables and to plain Python objects.

A result is a frozen dataclass with two methods. ``to_pandas()`` returns its main table, which ``--csv``
prints, and ``to_dict()`` returns plain lists, numbers and texts, which ``--json`` prints.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Sweep:
    """Results of the same function for several kinds of duels, by their label; for one kind, its result."""

    parts: Mapping[str, Result]

    def to_pandas(self) -> pd.DataFrame:
        """Return the tables below each other, with the label in the column ``duels``."""
        tables = {label: part.to_pandas() for label, part in self.parts.items()}
        if len(tables) == 1:
            return next(iter(tables.values()))
        import pandas as pd  # imported here: slow, and light commands print no tables

        labelled = [table.assign(duels=label)[["duels", *table]] for label, table in tables.items()]
        return pd.concat(labelled, ignore_index=True)

    def to_dict(self) -> Any:
        """Return the object of every part by its label."""
        found = {label: part.to_dict() for label, part in self.parts.items()}
        return next(iter(found.values())) if len(found) == 1 else {"duels": found}


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
