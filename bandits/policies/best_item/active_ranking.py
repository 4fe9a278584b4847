"""Active Ranking (LUCB): compare the least certain arms at the border of the best k with random opponents.

Heckel, Shah, Ramchandran and Wainwright, "Active Ranking from Pairwise Comparisons and when Parametric
Assumptions Don't Help", Annals of Statistics 2019; the variant after LUCB in the authors' public code, which
is simulated in Yan, "Dueling Bandits for Preference Judgments", thesis, University of Waterloo 2022. Assumes
no model of the preferences: the best arms are those with the largest Borda scores.

Each arm is sampled by a comparison with a random other arm, and its share of wins estimates its Borda score.
The arms are ranked by these shares. In every iteration two arms are sampled: of the first k the arm with the
smallest lower bound, and of the others the arm with the largest upper bound. Sampling ends when the former
bound is above the latter.

    in the public code                                     here
    sample every arm once                                  _arm_to_sample
    sort by estimated score, equal ones in their order     sort_descending
    the arms a and b at the border, and the stopping rule  _find_border_arms
    sample a, then b; update their estimates               _arm_to_sample, _record_sample
    the first k of the final sort                          answers

The code computes the radius sqrt(beta_n / 2n) of the paper, and then uses sqrt(3 / 2n): `Radius`. Given the
same random numbers, the pairs equal those of the literal twin, tests/naive/policies/active_ranking.py.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.borda_sampling import beta, confidence_constant, random_opponent, sort_descending
from rankduel.bandits.parts.common_settings import SMALLEST_DELTA, NumberToFind
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting


class Radius(IntEnum):
    """Confidence radius as in the public code, or as the code intends."""

    CODED = 0
    INTENDED = 1


class Params(NamedTuple):
    k: NumberToFind = 1
    delta: Annotated[
        float, Setting("probability of an error, for the intended radius", at_least=SMALLEST_DELTA, at_most=1)
    ] = 0.1
    radius: Annotated[Radius, Setting("confidence radius, as in the public code or as intended")] = (
        Radius.CODED
    )


class Now(NamedTuple):
    n_samples: int = 0  # number of samples of all arms
    lowest: int = 0  # a: of the first k arms, the one with the smallest lower bound
    highest: int = 0  # b: of the other arms, the one with the largest upper bound
    separated: bool = False  # the lower bound of a is above the upper bound of b
    confidence_constant: float = 0.0  # constant part of beta_n, for the intended radius


class Room(NamedTuple):
    order: np.ndarray  # (arms,) int64


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    order: np.ndarray  # (arms,) int64: largest mean first; arms with equal means as in the order before
    wins: np.ndarray  # (arms,) int64, of the arm's own samples
    times: np.ndarray  # (arms,) int64, number of these samples
    mean: np.ndarray  # (arms,) float64, share of them won
    radius: np.ndarray  # (arms,) float64, confidence radius of the mean
    room: Room


def init(n_arms, params, rng):
    return State(
        now=record(
            Now(
                separated=params.k >= n_arms,
                confidence_constant=confidence_constant(n_arms, params.delta),
            )
        ),
        order=np.arange(n_arms),
        wins=np.zeros(n_arms, np.int64),
        times=np.zeros(n_arms, np.int64),
        mean=np.zeros(n_arms),
        radius=np.zeros(n_arms),
        room=Room(order=np.arange(n_arms)),
    )


@kernel
def select(state, params, rng):
    if state.now[0].separated:
        return state.order[0], state.order[0]
    arm = _arm_to_sample(state)
    return arm, random_opponent(arm, len(state.order), rng)


@kernel
def update(state, params, first, second, first_won):
    if first == second:
        return
    _record_sample(state, params, first, first_won)
    n_later = state.now[0].n_samples - len(state.order)
    if n_later >= 0 and n_later % 2 == 0:
        sort_descending(state.order, state.mean)
        _find_border_arms(state, params)


@kernel
def recommend(state, params):
    _sort_copy(state)
    return state.room.order[0]


@kernel
def answers(state, params, chosen):
    _sort_copy(state)
    for arm in state.room.order[: params.k]:
        chosen[arm] = True


@kernel
def finished(state, params):
    return state.now[0].separated


@kernel
def _arm_to_sample(state):
    """Return every arm once, then a and b in turn."""
    now = state.now[0]
    n_later = now.n_samples - len(state.order)
    if n_later < 0:
        return now.n_samples
    return now.lowest if n_later % 2 == 0 else now.highest


@kernel
def _record_sample(state, params, arm, won):
    """Update the mean of an arm, and its confidence radius."""
    now = state.now[0]
    now.n_samples += 1
    state.wins[arm] += int(won)
    state.times[arm] += 1
    n = state.times[arm]
    state.mean[arm] = state.wins[arm] / n
    if params.radius == Radius.CODED:
        square = 1.5
    else:
        square = 0.5 * beta(now.confidence_constant, n)
    state.radius[arm] = math.sqrt(square / n)


@kernel
def _find_border_arms(state, params):
    """Find the arms a and b, the first in the order if several are equal, and whether they are separated."""
    order, mean, radius = state.order, state.mean, state.radius
    lowest, highest = order[0], order[params.k]
    for arm in order[: params.k]:
        if mean[arm] - radius[arm] < mean[lowest] - radius[lowest]:
            lowest = arm
    for arm in order[params.k :]:
        if mean[arm] + radius[arm] > mean[highest] + radius[highest]:
            highest = arm
    now = state.now[0]
    now.lowest, now.highest = lowest, highest
    now.separated = mean[lowest] - radius[lowest] > mean[highest] + radius[highest]


@kernel
def _sort_copy(state):
    """Sort a copy of the order; sorting the order itself now could change that of equal arms later."""
    for place in range(len(state.order)):
        state.room.order[place] = state.order[place]
    sort_descending(state.room.order, state.mean)


POLICY = policy_of(
    __name__,
    source="Heckel, Shah, Ramchandran, Wainwright 2019 (Annals of Statistics), public code, LUCB variant",
    assumes="best items by Borda score, the chance to beat a random opponent",
    variants={"yan": {}},
)
