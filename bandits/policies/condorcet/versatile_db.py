"""Versatile-DB: let two learners with Tsallis-INF, a bandit algorithm for any losses, choose the two arms.

Saha and Gaillard, "Versatile Dueling Bandits: Best-of-both World Analyses for Learning from Relative
Preferences", ICML 2022, Algorithm 3, and its Remark 2, one learner that draws both arms. Tsallis-INF and its
reduced-variance estimator: Zimmert and Seldin, JMLR 22 (2021). Assumes a Condorcet winner or an adversary.

A learner estimates the total loss L of every arm and draws arm k with p_k = 4 / (eta (L_k - x))^2, where
eta = kappa / sqrt(t) and x makes the probabilities add up to 1. An arm that loses its duel has loss 1, an arm
that duels itself 1/2, divided by the probability with which it was drawn.

    Algorithm 3                                           here
    L = 0                                                 init
    eta of step t                                         _learning_rate
    x and p of each player                                _find_probabilities
    k+ drawn from p+, k- drawn from p-                    select (_draw)
    duel; estimated losses of both players                update (_add_losses)
    (not in the paper) arm of the least loss              recommend

All probabilities change in every step, so a step is one search for x: Newton's method on (sum of p)^(-1/2),
which is nearly a straight line in x, from the last x, in one or two passes over the arms. Given the same
random numbers, the pairs equal those of the literal twin, tests/naive/policies/versatile_db.py, in all but
very long runs, where a difference in the last digit grows.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

_PRECISION = 1e-12  # largest error of the sum of probabilities
_MOST_PASSES = 100
_FAR = 64.0  # if |x| exceeds this times 2 / eta, all losses of a learner are shifted
_NO_BASELINE = 2.0  # above any probability


class Mode(IntEnum):
    """A learner for each arm of the duel, or one for both."""

    TWO_PLAYER = 0
    SHARED = 1


class Estimator(IntEnum):
    """Estimator of the losses: importance-weighted, or with reduced variance."""

    IW = 0
    RV = 1


class Params(NamedTuple):
    mode: Annotated[Mode, Setting("a learner for each side, or one for both")] = Mode.TWO_PLAYER
    kappa: Annotated[
        float,
        Setting(
            "learning rate kappa / sqrt(t); 4 in the algorithm of the paper, 2 in its bound",
            at_least=1e-6,
            at_most=1e6,
        ),
    ] = 4.0
    estimator: Annotated[
        Estimator, Setting("estimator of the losses: importance-weighted (iw) or with reduced variance (rv)")
    ] = Estimator.IW


class Now(NamedTuple):
    clock: int = 0  # steps played


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    losses: np.ndarray  # (learners, arms) float64: L, up to a common constant per learner
    x: np.ndarray  # (learners,) float64, of the last step
    probability: np.ndarray  # (learners, arms) float64: p of the last step


def init(n_arms, params, rng):
    n_learners = 1 if params.mode == Mode.SHARED else 2
    return State(
        now=record(Now()),
        losses=np.zeros((n_learners, n_arms)),
        x=np.full(n_learners, -2.0 * math.sqrt(n_arms) / params.kappa),
        probability=np.full((n_learners, n_arms), 1.0 / n_arms),
    )


@kernel
def select(state, params, rng):
    scale = 2.0 / _learning_rate(params, state.now[0].clock + 1)
    for learner in range(len(state.x)):
        state.x[learner] = _find_probabilities(
            state.losses[learner], state.x[learner], scale, state.probability[learner]
        )
    return _draw(state.probability[0], rng), _draw(state.probability[-1], rng)


@kernel
def update(state, params, first, second, first_won):
    now = state.now[0]
    now.clock += 1
    loss = 0.5
    if first != second:
        loss = 0.0 if first_won else 1.0
    factor = 0.5 * len(state.x)  # a single learner counts half of either loss
    baseline = _smallest_with_baseline(params, now.clock)
    _add_losses(state.losses[0], state.probability[0], first, loss, factor, baseline)
    _add_losses(state.losses[-1], state.probability[-1], second, 1.0 - loss, factor, baseline)


@kernel
def recommend(state, params):
    """Return the arm with the least sum of losses of both learners; the first if tied."""
    best, least = 0, math.inf
    for arm in range(state.losses.shape[1]):
        loss = state.losses[0, arm] + state.losses[-1, arm]
        if loss < least:
            best, least = arm, loss
    return best


@kernel
def _learning_rate(params, t):
    return params.kappa / math.sqrt(t)


@kernel
def _smallest_with_baseline(params, t):
    """Return the probability from which the reduced-variance estimator has a baseline."""
    if params.estimator == Estimator.IW:
        return _NO_BASELINE
    eta = _learning_rate(params, t)
    return eta * eta


@kernel
def _find_probabilities(losses, x, scale, probability):
    """Write (scale / (losses - x))^2, where they add up to 1, to `probability`; return the x found.

    The search starts at the given `x`, which must be below all losses.
    """
    if abs(x) > _FAR * scale:  # differences from x would lose precision
        for arm in range(len(losses)):
            losses[arm] -= x
        x = 0.0
    total = 0.0
    for _ in range(_MOST_PASSES):
        total, cubes, largest = _sum_powers(losses, x, scale, probability)
        if abs(total - 1.0) < _PRECISION:
            break
        newton = total * (1.0 - math.sqrt(total)) * scale / cubes
        # At most to the point where the probability of the best arm alone is 1.
        x += min(newton, scale / largest - scale)
    normalizer = 1.0 / total
    for arm in range(len(losses)):
        probability[arm] *= probability[arm] * normalizer
    return x


@kernel
def _sum_powers(losses, x, scale, roots):
    """Write scale / (losses - x) to `roots`; return the sum of their squares, of their cubes, the largest."""
    n = len(losses)
    for arm in range(n):
        roots[arm] = np.divide(scale, losses[arm] - x)  # unlike '/', does not test for zero, so it vectorizes
    # Four partial sums, because every addition waits for the result of the one before.
    square0 = square1 = square2 = square3 = 0.0
    cube0 = cube1 = cube2 = cube3 = 0.0
    largest = 0.0
    for arm in range(0, n - 3, 4):
        r0, r1, r2, r3 = roots[arm], roots[arm + 1], roots[arm + 2], roots[arm + 3]
        square0, square1 = square0 + r0 * r0, square1 + r1 * r1
        square2, square3 = square2 + r2 * r2, square3 + r3 * r3
        cube0, cube1 = cube0 + r0 * r0 * r0, cube1 + r1 * r1 * r1
        cube2, cube3 = cube2 + r2 * r2 * r2, cube3 + r3 * r3 * r3
        r0, r2 = (r0 if r0 > r1 else r1), (r2 if r2 > r3 else r3)
        r0 = r0 if r0 > r2 else r2
        largest = r0 if r0 > largest else largest
    for arm in range(n - n % 4, n):
        r0 = roots[arm]
        square0, cube0 = square0 + r0 * r0, cube0 + r0 * r0 * r0
        largest = r0 if r0 > largest else largest
    return square0 + square1 + square2 + square3, cube0 + cube1 + cube2 + cube3, largest


@kernel
def _draw(probability, rng):
    """Return an arm with these probabilities."""
    left = rng.random()
    for arm in range(len(probability)):
        left -= probability[arm]
        if left < 0.0:
            return arm
    return len(probability) - 1


@kernel
def _add_losses(losses, probability, arm, loss, factor, baseline):
    """Add `factor` times the estimate of every arm's loss, when `arm` was drawn and had this `loss`.

    Arms with a probability of at least `baseline` are expected to have loss 1/2, and only the difference is
    divided by the probability.
    """
    expected = 0.5 if probability[arm] >= baseline else 0.0
    losses[arm] += factor * (loss - expected) / probability[arm]
    if baseline <= 1.0:
        for other in range(len(losses)):
            if probability[other] >= baseline:
                losses[other] += 0.5 * factor


POLICY = policy_of(
    __name__,
    source="Saha, Gaillard 2022 (ICML), Algorithm 3",
    assumes="Condorcet winner, or an adversary",
    variants={"paper": {}, "remark-2": {"mode": "shared"}, "tsallis-inf": {"kappa": 2.0}},
)
