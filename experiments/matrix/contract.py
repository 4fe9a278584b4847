"""The contract of families of preference matrices, and the settings that several of them share.

A family is a model of choice whose settings determine a matrix, written `btl(k=100,spread=0.5)`. To add one,
write a file in families/ that ends in `FAMILY = Family(...)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from rankduel.base.errors import MatrixError
from rankduel.base.settings import Setting
from rankduel.base.text import shortened

MOST_ARMS = 2000
USUAL_ARMS = 10
_LARGEST = 1e6  # absolute value of a number, so that no difference of utilities overflows

Arms = Annotated[
    int,
    Setting(
        f"number of arms; 0: that of the given values, otherwise {USUAL_ARMS}", at_least=0, at_most=MOST_ARMS
    ),
]
Seed = Annotated[int, Setting("seed of the random values", at_least=0)]
Phi = Annotated[
    float, Setting("dispersion: 0 is always the central order, 1 is any order", at_least=0, at_most=1)
]


class Family(NamedTuple):
    """A family of preference matrices, with its description and source."""

    name: str
    about: str
    formula: str
    source: str
    params: type
    make: Callable[[Any], np.ndarray]  # settings -> (K, K) probabilities


def numbers_in(text: str, what: str, words: str) -> np.ndarray:
    """Return the numbers of a text such as '1/0.4/0'.

    A message names the setting, `what`, and the `words` that it accepts instead of numbers.
    """
    try:
        values = np.array([float(part) for part in text.split("/")])
    except ValueError:
        values = np.array([np.nan])
    if len(values) > MOST_ARMS or not (np.abs(values) <= _LARGEST).all():  # false for NaN
        raise MatrixError(
            f"{what} is '{shortened(text)}'; expected {words}, or at most {MOST_ARMS:,} numbers from "
            f"{-_LARGEST:g} to {_LARGEST:g}, such as 1/0.4/0"
        )
    return values


def check_arms(k: int, n_given: int, what: str) -> None:
    """Raise an error if k is set, and is not the number of arms for which `what` is given."""
    if k not in (0, n_given):
        raise MatrixError(f"{what} is given for {n_given} arms, and k is {k}; leave k out")
