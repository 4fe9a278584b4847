"""A ranker and its text form."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rankduel.base.errors import UsageError
from rankduel.base.text import shortened
from rankduel.letor_data.letor import Letor

NAMED = ",name="  # in a text, separates the ranker from its name
_LONGEST_NAME = 200


class Ranker(NamedTuple):
    """A name and a function that returns a score for every document.

    Parameters
    ----------
    name : str
        Name in tables and files.
    score : callable
        Function of a `Letor` that returns an array of n_docs float32 or float64 scores without NaN. Larger
        is better.
    text : str, default ""
        Text form of the ranker, which `parse` reads; "" if the ranker was made in Python.

    Examples
    --------
    >>> shortest = rankduel.rankers.Ranker("shortest", lambda data: -data.column(11))
    >>> data = rankduel.synthetic_data("small", queries=10)
    >>> shortest.score(data).shape == (data.n_docs,)
    True
    """

    name: str
    score: Callable[[Letor], np.ndarray]
    text: str = ""

    @property
    def is_told_by_name(self) -> bool:
        """Whether the name is also the text form: a feature or weighted sum without a name of its own."""
        return self.text == self.name


def named_text(text: str, name: str, usual: str) -> str:
    """Return the text form of a ranker with this name; `usual` is the default name, which is omitted."""
    return text if name == usual else f"{text}{NAMED}{name}"


def checked_name(name: str) -> str:
    """Return `name`; raise an error if it cannot be shown in tables, lists and files."""
    if not name or name != name.strip() or not name.isprintable() or "," in name:
        found = f"'{shortened(name)}'" if name.isprintable() else ascii(shortened(name))
        raise UsageError(
            f"the name of a ranker is {found}; expected printable text without commas and spaces at its ends"
        )
    if len(name) > _LONGEST_NAME:
        raise UsageError(f"'{shortened(name)}': the name of a ranker has at most {_LONGEST_NAME} characters")
    return name
