"""Versatile-DB: two copies of Tsallis-INF, a bandit algorithm for any world, play against each other.

Saha and Gaillard, "Versatile Dueling Bandits: Best-of-both World Analyses for Learning from Relative
Preferences", ICML 2022, Algorithm 3 (and Remark 2: one learner that draws both arms). Tsallis-INF and its
reduced-variance estimator: Zimmert and Seldin, JMLR 22 (2021).

A learner keeps the estimated total loss L of every arm and draws arm k with chance p_k = (s / (L_k - x))^2,
s = 2 sqrt(t) / kappa, where x makes the chances add up to 1. All chances change in every step, so the step
is one search for x: Newton's method on (sum of p)^(-1/2), which is nearly a straight line in x, from the last
x, so that one or two passes over the arms are enough.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

TWO_PLAYER, SHARED = range(2)
IW, RV = range(2)
_PRECISION = 1e-12  # of the sum of chances
_MOST_PASSES = 100
_FAR = 64.0  # how many times s the losses may be away from 0 before all are moved back


class State(NamedTuple):
    losses: np.ndarray  # (learners, arms) float64: estimated totals, moved by a common amount per learner
    x: np.ndarray  # (learners,) float64: of the last step
    chance: np.ndarray  # (learners, arms) float64: p of the last step
    baseline: np.ndarray  # (1,) float64: smallest chance with a baseline in the last step; above 1: none
    now: np.ndarray  # (1,) int64: steps played


class Params(NamedTuple):
    mode: str = "two_player"
    kappa: float = 4.0
    estimator: str = "iw"


def init(n_arms, params, rng):
    learners = 1 if params.mode == SHARED else 2
    return State(
        losses=np.zeros((learners, n_arms)),
        x=np.full(learners, -2.0 * math.sqrt(n_arms) / params.kappa),
        chance=np.full((learners, n_arms), 1.0 / n_arms),
        baseline=np.array([2.0]),
        now=np.zeros(1, np.int64),
    )


@kernel
def select(state, params, rng):
    eta = params.kappa / math.sqrt(state.now[0] + 1)
    state.baseline[0] = eta * eta if params.estimator == RV else 2.0
    for learner in range(len(state.x)):
        state.x[learner] = _find_chances(
            state.losses[learner], state.x[learner], 2.0 / eta, state.chance[learner]
        )
    return _draw(state.chance[0], rng), _draw(state.chance[-1], rng)


@kernel
def update(state, first, second, first_won):
    state.now[0] += 1
    loss = 0.5
    if first != second:
        loss = 0.0 if first_won else 1.0
    share = 0.5 * len(state.x)  # a single learner counts half of either side
    _charge(state.losses[0], state.chance[0], first, loss, share, state.baseline[0])
    _charge(state.losses[-1], state.chance[-1], second, 1.0 - loss, share, state.baseline[0])


@kernel
def recommend(state):
    best, least = 0, math.inf
    for arm in range(state.losses.shape[1]):
        loss = state.losses[0, arm] + state.losses[-1, arm]
        if loss < least:
            best, least = arm, loss
    return best


@kernel
def _find_chances(losses, x, s, chance):
    """Fill `chance` and return its x, searched from the given one, which must be below all losses."""
    if abs(x) > _FAR * s:  # differences to x would lose precision
        for arm in range(len(losses)):
            losses[arm] -= x
        x = 0.0
    total = 0.0
    for _ in range(_MOST_PASSES):
        total, cubes, largest = _sums(losses, x, s, chance)
        if abs(total - 1.0) < _PRECISION:
            break
        newton = total * (1.0 - math.sqrt(total)) * s / cubes
        # Never beyond the point where the best arm alone has all of the chance.
        x += min(newton, s / largest - s)
    scale = 1.0 / total
    for arm in range(len(losses)):
        chance[arm] *= chance[arm] * scale
    return x


@kernel
def _sums(losses, x, s, roots):
    """Fill in the roots of the chances at x; (sum of their squares, of their cubes, the largest)."""
    n = len(losses)
    for arm in range(n):
        roots[arm] = np.divide(s, losses[arm] - x)  # unlike '/', no look for zeros: the loop runs in vectors
    # Four sums at a time, for an addition has to wait for the one before.
    a = b = c = d = 0.0
    e = f = g = h = 0.0
    largest = 0.0
    for arm in range(0, n - 3, 4):
        p, q, r, o = roots[arm], roots[arm + 1], roots[arm + 2], roots[arm + 3]
        a, b, c, d = a + p * p, b + q * q, c + r * r, d + o * o
        e, f, g, h = e + p * p * p, f + q * q * q, g + r * r * r, h + o * o * o
        p, r = (p if p > q else q), (r if r > o else o)
        p = p if p > r else r
        largest = p if p > largest else largest
    for arm in range(n - n % 4, n):
        p = roots[arm]
        a, e = a + p * p, e + p * p * p
        largest = p if p > largest else largest
    return a + b + c + d, e + f + g + h, largest


@kernel
def _draw(chance, rng):
    left = rng.random()
    for arm in range(len(chance)):
        left -= chance[arm]
        if left < 0.0:
            return arm
    return len(chance) - 1


@kernel
def _charge(losses, chance, arm, loss, share, baseline):
    """Add the estimate of every arm's loss. Arms with a chance of at least `baseline` are expected to lose
    one half, and only the difference is weighted by importance."""
    expected = 0.5 if chance[arm] >= baseline else 0.0
    losses[arm] += share * (loss - expected) / chance[arm]
    if baseline <= 1.0:
        for other in range(len(losses)):
            if chance[other] >= baseline:
                losses[other] += 0.5 * share


POLICY = Policy(
    "versatile_db",
    Params,
    init,
    select,
    update,
    recommend,
    about="Two Tsallis-INF learners play each other; for stochastic and adversarial worlds.",
    source="Saha, Gaillard 2022 (ICML), Algorithm 3",
    assumes="Condorcet winner, or an adversary",
    settings={
        "mode": Setting("a learner for each side, or one for both", choices=("two_player", "shared")),
        "kappa": Setting("learning rate kappa / sqrt(t); the paper has 4 and, through its bound, 2", above=0),
        "estimator": Setting(
            "losses weighted by importance (iw), or with reduced variance (rv)", choices=("iw", "rv")
        ),
    },
    variants={"paper": {}, "remark-2": {"mode": "shared"}, "tsallis-inf": {"kappa": 2.0}},
)
