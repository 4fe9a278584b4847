"""The user at work: clicks drawn from a click model, and their exact probabilities.

Notation, per rank t of a page: c = chance to click if examined, s = chance to leave then.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from clickmodels.tables import ClickModel


@njit
def click_chance(model, rank, grade):
    return model.p_click[grade] * model.attention[min(rank, len(model.attention) - 1)]


@njit
def simulate_clicks(model, grades, users):
    """A boolean per shown document: did this user click it?"""
    clicked = np.zeros(len(grades), np.bool_)
    for rank, grade in enumerate(grades):
        clicked[rank] = users.random() < click_chance(model, rank, grade)
        if (clicked[rank] or model.leaves_unclicked) and users.random() < model.p_stop[grade]:
            break
    return clicked


def click_chances(model: ClickModel, grades: np.ndarray) -> np.ndarray:
    """c at every rank."""
    ranks = np.minimum(np.arange(len(grades)), len(model.attention) - 1)
    return model.p_click[grades] * model.attention[ranks]


def examination(model: ClickModel, grades: np.ndarray) -> np.ndarray:
    """Chance that each rank is reached."""
    leave = model.p_stop[grades]
    if not model.leaves_unclicked:
        leave = leave * click_chances(model, grades)
    return np.cumprod(np.concatenate([[1.0], 1 - leave]))[:-1]


def click_probability(model: ClickModel, grades: np.ndarray) -> np.ndarray:
    """Chance that each rank is clicked."""
    return examination(model, grades) * click_chances(model, grades)


def expected_clicks(model: ClickModel, grades: np.ndarray) -> float:
    return float(click_probability(model, grades).sum())


def no_click_probability(model: ClickModel, grades: np.ndarray) -> float:
    return pattern_probability(model, grades, np.zeros(len(grades), bool))


def pattern_probability(model: ClickModel, grades: np.ndarray, clicked: np.ndarray) -> float:
    """Chance of exactly these clicks."""
    chances, leave = click_chances(model, grades), model.p_stop[grades]
    last = int(np.flatnonzero(clicked)[-1]) if np.any(clicked) else -1
    reading, left = 1.0, 0.0  # chance of the clicks so far and still reading; and having left after the last
    for rank in range(len(grades)):
        reading *= chances[rank] if clicked[rank] else 1 - chances[rank]
        if clicked[rank] or model.leaves_unclicked:
            left += reading * leave[rank] if rank >= last else 0.0
            reading *= 1 - leave[rank]
    return reading + left
