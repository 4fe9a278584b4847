"""Active ranking by bounds: of the arms at the border of the best k, the two least certain are sampled.

Heckel, Shah, Ramchandran and Wainwright, "Active Ranking from Pairwise Comparisons and when Parametric
Assumptions Don't Help", Annals of Statistics 2019; the variant after LUCB in their public code, which Yan's
thesis (2022) simulates. To sample an arm is to compare it with a random other one, of which only the arm
itself learns: its share of wins estimates its Borda score.

That code computes a confidence radius and then uses another, sqrt(3 / 2n), after n samples: `coded`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.picks import pick
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

CODED, INTENDED = range(2)  # choices of `radius`
N_SAMPLES, LOWER, UPPER, DONE, K, RULE = range(6)  # entries of State.now


class State(NamedTuple):
    order: np.ndarray  # (arms,) int64: best first; arms with equal means as in the order before
    room: np.ndarray  # (arms,) int64
    wins: np.ndarray  # (arms,) int64: of the arm's own samples
    times: np.ndarray  # (arms,) int64
    mean: np.ndarray  # (arms,) float64: share of them won
    radius: np.ndarray  # (arms,) float64
    constant: np.ndarray  # (1,) float64: the part of the intended radius that delta decides
    now: np.ndarray  # (6,) int64: samples so far; the arm of the best k with the smallest lower bound and the
    # other one with the largest upper bound; is the border settled; k; choice of `radius`


class Params(NamedTuple):
    k: int = 1
    delta: float = 0.1
    radius: str = "coded"


def init(n_arms, params, rng):
    k = min(params.k, n_arms)
    return State(
        order=np.arange(n_arms),
        room=np.arange(n_arms),
        wins=np.zeros(n_arms, np.int64),
        times=np.zeros(n_arms, np.int64),
        mean=np.zeros(n_arms),
        radius=np.zeros(n_arms),
        constant=np.array([radius_constant(n_arms, params.delta)]),
        now=np.array([0, 0, 0, k == n_arms, k, params.radius]),
    )


def radius_constant(n_arms: int, delta: float) -> float:
    scale = math.log(n_arms / delta)
    return scale + 0.75 * math.log(scale)


@kernel
def select(state, params, rng):
    n, now = len(state.order), state.now
    if now[DONE]:
        return state.order[0], state.order[0]
    if now[N_SAMPLES] < n:
        arm = now[N_SAMPLES]
    else:
        arm = now[UPPER] if (now[N_SAMPLES] - n) % 2 == 1 else now[LOWER]
    return arm, other_arm(arm, n, rng)


@kernel
def update(state, first, second, first_won):
    if first == second:
        return
    now = state.now
    now[N_SAMPLES] += 1
    state.wins[first] += int(first_won)
    state.times[first] += 1
    times = state.times[first]
    state.mean[first] = state.wins[first] / times
    square = 1.5 if now[RULE] == CODED else 0.5 * log_term(state.constant[0], times)
    state.radius[first] = math.sqrt(square / times)
    n_since = now[N_SAMPLES] - len(state.order)
    if n_since >= 0 and n_since % 2 == 0:
        sort_by(state.mean, state.order)
        _look_at_border(state)


@kernel
def other_arm(arm, n_arms, rng):
    """A uniform one."""
    other = pick(n_arms - 1, rng)
    return other + (other >= arm)


@kernel
def log_term(constant, times):
    """ln(K / delta) + 3/4 ln ln(K / delta) + 3/2 ln(1 + ln(n / 2)); not below 0, for delta near 1."""
    return max(constant + 1.5 * math.log(1.0 + math.log(0.5 * times)), 0.0)


@kernel
def sort_by(value, order):
    """Largest value first; equals keep their order. Fast if little has changed since the last time."""
    for place in range(1, len(order)):
        arm, at = order[place], place
        while at > 0 and value[order[at - 1]] < value[arm]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = arm


@kernel
def recommend(state):
    _sort_copy(state)
    return state.room[0]


@kernel
def answers(state, chosen):
    _sort_copy(state)
    for arm in state.room[: state.now[K]]:
        chosen[arm] = True


@kernel
def finished(state):
    return state.now[DONE] == 1


@kernel
def _look_at_border(state):
    """Find the two arms to sample next, the first of equals; the border is settled if they are apart."""
    order, mean, radius, k = state.order, state.mean, state.radius, state.now[K]
    lower, upper = order[0], order[k]
    for arm in order[:k]:
        if mean[arm] - radius[arm] < mean[lower] - radius[lower]:
            lower = arm
    for arm in order[k:]:
        if mean[arm] + radius[arm] > mean[upper] + radius[upper]:
            upper = arm
    state.now[LOWER], state.now[UPPER] = lower, upper
    state.now[DONE] = mean[lower] - radius[lower] > mean[upper] + radius[upper]


@kernel
def _sort_copy(state):
    """The order as it would be now, in `room`: sorting twice may change the order of equals."""
    for place in range(len(state.order)):
        state.room[place] = state.order[place]
    sort_by(state.mean, state.room)


POLICY = Policy(
    "active_ranking",
    Params,
    init,
    select,
    update,
    recommend,
    answers=answers,
    finished=finished,
    about="Arms meet random opponents; the two least certain at the border of the best k come next.",
    source="Heckel, Shah, Ramchandran, Wainwright 2019 (Annals of Statistics), public code, LUCB variant",
    assumes="best items by Borda score, the chance to beat a random opponent",
    settings={
        "k": Setting("how many of the best arms to find; all of them if there are fewer", at_least=1),
        "delta": Setting("chance of an error, for the intended radius", above=0, at_most=1),
        "radius": Setting(
            "confidence radius as the public code has it, or as meant", choices=("coded", "intended")
        ),
    },
    variants={"yan": {}},
)
