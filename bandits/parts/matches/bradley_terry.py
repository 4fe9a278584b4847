"""Strengths of arms in the Bradley-Terry model: i beats j with probability 1 / (1 + exp(s_j - s_i)).

The log-likelihood of all wins, less RIDGE / 2 times the sum of squared strengths, has one maximum, even if an
arm has never lost or never played. Newton's method finds it; a step that decreases the objective is halved
until it does not.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel

RIDGE = 1e-4
_MOST_STEPS = 100
_NO_STEP = 1e-9  # the maximum is found when no strength changes by more


class Fit(NamedTuple):
    """Workspace of a fit: nothing in it is needed after the strengths were read."""

    wins: np.ndarray  # (arms, arms) int64: the data
    strength: np.ndarray  # (arms,) float64: the result
    step: np.ndarray  # (arms,) float64: the gradient, then Newton's step
    curvature: np.ndarray  # (arms, arms) float64: the negative Hessian, then its Cholesky factor


def empty_fit(n_arms: int) -> Fit:
    """Return the workspace for a fit of `n_arms` strengths."""
    wins = np.zeros((n_arms, n_arms), np.int64)
    return Fit(wins, np.zeros(n_arms), np.zeros(n_arms), np.zeros((n_arms, n_arms)))


@kernel
def fit_strengths(fit):
    """Write the strengths that maximize the objective for `fit.wins` to `fit.strength`."""
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
    """Write the gradient to `step` and the negative second derivatives to `curvature`."""
    wins, strength, step, curvature = fit
    n_arms = len(strength)
    for one in range(n_arms):
        step[one], curvature[one, one] = -RIDGE * strength[one], RIDGE
        for other in range(n_arms):
            n = wins[one, other] + wins[other, one]
            if other == one:
                continue
            probability = 1.0 / (1.0 + math.exp(strength[other] - strength[one]))
            step[one] += wins[one, other] - n * probability
            curvature[one, other] = -n * probability * (1.0 - probability)
            curvature[one, one] -= curvature[one, other]


@kernel
def _solve(matrix, vector):
    """Solve matrix x = vector into `vector`; the Cholesky factor overwrites the lower half of `matrix`."""
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
