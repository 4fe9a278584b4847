"""Utilities of arms, for families in which P(i beats j) depends on the difference of two utilities."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankduel.base.settings import Setting
from rankduel.base.streams import stream
from rankduel.experiments.matrix.contract import USUAL_ARMS, check_arms, numbers_in

RANDOM = "random"
Spread = Annotated[
    float,
    Setting("factor of the utilities, and the range of those that are not given", at_least=0, at_most=1e6),
]


def even_utilities(k: int, spread: float) -> np.ndarray:
    """Return utilities from `spread` down to 0 in equal steps."""
    return spread * np.linspace(1, 0, k or USUAL_ARMS)


def random_utilities(k: int, spread: float, seed: int) -> np.ndarray:
    """Draw utilities uniformly between 0 and `spread`, and sort them from best to worst.

    They depend on the seed and the number of arms only, so all families draw the same.
    """
    n_arms = k or USUAL_ARMS
    return spread * np.sort(stream(seed, "utilities", n_arms).random(n_arms))[::-1]


def utilities_of(text: str, k: int, spread: float, seed: int) -> np.ndarray:
    """Return the utilities that a setting specifies: 'even', 'random', or numbers such as '1/0.4/0'."""
    if text == "even":
        return even_utilities(k, spread)
    if text == RANDOM:
        return random_utilities(k, spread, seed)
    values = numbers_in(text, "utilities", "even, random")
    check_arms(k, len(values), "utilities")
    return spread * values


def logistic_link(utilities: np.ndarray) -> np.ndarray:
    """Return the matrix of 1 / (1 + exp(u_j - u_i)), as a hyperbolic tangent, which does not overflow."""
    return 0.5 + 0.5 * np.tanh((utilities[:, None] - utilities[None, :]) / 2)
