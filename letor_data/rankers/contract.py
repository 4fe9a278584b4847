"""A ranker, and the text that asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from letor_data.letor import Letor
from rankduel.base.errors import UsageError
from rankduel.base.text import shortened

NAMED = ",name="  # ends a text with a name of one's own
_LONGEST_NAME = 200


class Ranker(NamedTuple):
    name: str
    score: Callable[[Letor], np.ndarray]  # letor -> (n_docs,) float32 or float64, never NaN
    text: str = ""  # asks for it again, see letor_data.rankers.texts; "": made in Python

    @property
    def is_told_by_name(self) -> bool:
        """Whether its name says how it scores: a feature, or a weighted sum, without another name."""
        return self.text == self.name


def named_text(text: str, name: str, usual: str) -> str:
    """Return the text of a ranker with this name; `usual` is the name that it has without being given one."""
    return text if name == usual else f"{text}{NAMED}{name}"


def checked_name(name: str) -> str:
    """Return the name of a ranker; raise an error if tables, lists and files could not show it."""
    if not name or name != name.strip() or not name.isprintable() or "," in name:
        found = f"'{shortened(name)}'" if name.isprintable() else ascii(shortened(name))
        raise UsageError(
            f"the name of a ranker is {found}; expected printable text without commas and spaces at its ends"
        )
    if len(name) > _LONGEST_NAME:
        raise UsageError(f"'{shortened(name)}': the name of a ranker has at most {_LONGEST_NAME} characters")
    return name
