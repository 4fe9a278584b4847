"""Expected clicks of a user on a page."""

from __future__ import annotations

import numpy as np

from rankduel.clickmodels.tables import ClickModel


def click_chances(model: ClickModel, grades: np.ndarray) -> np.ndarray:
    """Return the probability that each rank is clicked if it is reached."""
    ranks = np.minimum(np.arange(len(grades)), len(model.attention) - 1)
    return model.p_click[grades] * model.attention[ranks]


def examination(model: ClickModel, grades: np.ndarray) -> np.ndarray:
    """Return the probability that each rank is reached."""
    leave = model.p_stop[grades]
    if not model.leaves_unclicked:
        leave = leave * click_chances(model, grades)
    return np.cumprod(np.concatenate([[1.0], 1 - leave]))[:-1]


def click_probability(model: ClickModel, grades: np.ndarray) -> np.ndarray:
    """Return the probability that each rank is clicked."""
    return examination(model, grades) * click_chances(model, grades)


def expected_clicks(model: ClickModel, grades: np.ndarray) -> float:
    """Return the expected number of clicks on a page of documents with these grades."""
    return float(click_probability(model, grades).sum())
