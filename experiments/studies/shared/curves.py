"""Numbers of the curves of accuracy."""

import numpy as np


def first_step(curve: dict[int, tuple[float, float]], share: float) -> float:
    """Return the step at which the curve reaches `share`, linear in log t between horizons; NaN if never."""
    steps = np.array(list(curve))
    right = np.array([value for value, _ in curve.values()])
    reached = np.flatnonzero(right >= share)
    if not len(reached):
        return np.nan
    k = reached[0]
    if k == 0:
        return float(steps[0])
    part = (share - right[k - 1]) / (right[k] - right[k - 1])
    return float(np.exp(np.log(steps[k - 1]) + part * np.log(steps[k] / steps[k - 1])))
