"""Strengths of arms by the Bradley-Terry model: i beats j with chance 1 / (1 + exp(s_j - s_i)).

The likelihood of all wins, less RIDGE / 2 times the sum of squares, has one maximum, also where an arm has
never lost or never played. Newton's method finds it; a step that would lead down is halved until it does not.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel

RIDGE = 1e-4
_MOST_STEPS = 100
_NO_STEP = 1e-9  # when nothing moves by more, the maximum is found


class Fit(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64: the data
    strength: np.ndarray  # (arms,) float64: the result
    step: np.ndarray  # (arms,) float64
    curvature: np.ndarray  # (arms, arms) float64


def empty_fit(n_arms: int) -> Fit:
    wins = np.zeros((n_arms, n_arms), np.int64)
    return Fit(wins, np.zeros(n_arms), np.zeros(n_arms), np.zeros((n_arms, n_arms)))


@kernel
def fit_strengths(fit):
    strength, step = fit.strength, fit.step
    for arm in range(len(strength)):
        strength[arm] = 0.0
    before = _log_likelihood(fit.wins, strength)
    for _ in range(_MOST_STEPS):
        _differentiate(fit)
        _solve(fit.curvature, step)
        _move(strength, step, 1.0)
        scale, after = 1.0, _log_likelihood(fit.wins, strength)
        while after < before and scale > _NO_STEP:
            scale /= 2.0
            _move(strength, step, -scale)
            after = _log_likelihood(fit.wins, strength)
        before = after
        if scale * _largest(step) < _NO_STEP:
            return


@kernel
def _log_likelihood(wins, strength):
    total = 0.0
    for one in range(len(strength)):
        total -= RIDGE / 2.0 * strength[one] * strength[one]
        for other in range(len(strength)):
            if wins[one, other] > 0:
                lead = strength[one] - strength[other]
                total -= wins[one, other] * (max(-lead, 0.0) + math.log1p(math.exp(-abs(lead))))
    return total


@kernel
def _differentiate(fit):
    """The gradient, into `step`, and the negative second derivatives."""
    wins, strength, step, curvature = fit
    n_arms = len(strength)
    for one in range(n_arms):
        step[one], curvature[one, one] = -RIDGE * strength[one], RIDGE
        for other in range(n_arms):
            n = wins[one, other] + wins[other, one]
            if other == one:
                continue
            chance = 1.0 / (1.0 + math.exp(strength[other] - strength[one]))
            step[one] += wins[one, other] - n * chance
            curvature[one, other] = -n * chance * (1.0 - chance)
            curvature[one, one] -= curvature[one, other]


@kernel
def _solve(matrix, vector):
    """The x of matrix x = vector, into `vector`, by Cholesky's factors, into the lower half of `matrix`."""
    n = len(vector)
    for row in range(n):
        for column in range(row + 1):
            rest = matrix[row, column]
            for k in range(column):
                rest -= matrix[row, k] * matrix[column, k]
            matrix[row, column] = math.sqrt(rest) if row == column else rest / matrix[column, column]
    for row in range(n):
        for k in range(row):
            vector[row] -= matrix[row, k] * vector[k]
        vector[row] /= matrix[row, row]
    for row in range(n - 1, -1, -1):
        for k in range(row + 1, n):
            vector[row] -= matrix[k, row] * vector[k]
        vector[row] /= matrix[row, row]


@kernel
def _move(strength, step, scale):
    for arm in range(len(strength)):
        strength[arm] += scale * step[arm]


@kernel
def _largest(step):
    largest = 0.0
    for size in step:
        largest = max(largest, abs(size))
    return largest
