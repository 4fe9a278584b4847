"""PBR-RW, preference-based racing by a random walk: at which kappa arms does the walk spend most of its time?

Busa-Fekete, Szorenyi, Weng, Cheng and Hullermeier, "Top-k Selection based on Adaptive Sampling of Noisy
Preferences", ICML 2013, with the sampling strategy for the random walk ranking.

The walk goes from each arm to those that beat it (bandits/parts/racing/random_walk.py). The pair (i, j) to
duel has the largest error: the radius of its estimate times the rate at which others beat i. This goes on
until the gap behind the top kappa shares is larger than the shares can be wrong.

They can be wrong by 2 C a, where C is K/3 times the largest error and a the largest entry of A, the group
inverse of I - S. Finding a means inverting a matrix. But with arm i the least visited, entry (i, i) of
(I - S) A = I - 1v' is at least 1 - 1/K, and at most 2 a; and shares differ by less than 1. So as long as
C (1 - 1/K) is not below 1, the race goes on, and no matrix is inverted.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.picks import pick
from bandits.parts.racing.commitment import (
    Commitment,
    committed_arm,
    committed_arm_plays_on,
    no_commitment,
)
from bandits.parts.racing.preference_racing import (
    COMMON_SETTINGS,
    KAPPA,
    N_MAX,
    ORDERED,
    Samples,
    log_term,
    needs_horizon,
    no_samples,
    note_sample,
    rate,
)
from bandits.parts.racing.random_walk import walk
from bandits.parts.racing.ranked_arms import Ranked, mark_top, no_scores, rank_arms
from rankduel.base.compiling import kernel

LOG_TERM, LARGEST_ERROR = range(2)  # entries of State.bound


class State(NamedTuple):
    samples: Samples
    rates: np.ndarray  # (arms, arms) float64: at which the row's arm beats the column's; 1/2 if not known
    beaten: np.ndarray  # (arms,) float64: sums of the columns of `rates`
    radius: np.ndarray  # (arms, arms) float64: of each rate; infinite if not known, 0 on the diagonal
    table: np.ndarray  # (arms, 2 * arms) float64: room for a matrix and its inverse
    ranked: Ranked  # score: share of time the walk spends there, as of the last look
    bound: np.ndarray  # (2,) float64: L of the radius; largest error, a radius times being beaten
    over: np.ndarray  # (1,) bool
    commitment: Commitment


class Params(NamedTuple):
    kappa: int = 1
    n_max: int = 0
    delta: float = 0.0
    ordered: bool = False
    horizon: int = 0


def init(n_arms, params, rng):
    return State(
        samples=no_samples(n_arms, params),
        rates=np.full((n_arms, n_arms), 0.5),
        beaten=np.full(n_arms, 0.5 * n_arms),
        radius=np.where(np.eye(n_arms) == 1.0, 0.0, math.inf),
        table=np.zeros((n_arms, 2 * n_arms)),
        ranked=no_scores(n_arms, rng),
        bound=np.array([log_term(n_arms, params), math.inf]),
        over=np.zeros(1, np.bool_),
        commitment=no_commitment(n_arms),
    )


@kernel
def select(state, params, rng):
    """A pair whose error weighs most, a random one of several."""
    if state.over[0]:
        arm = committed_arm(state.commitment, rng)
        return arm, arm
    radius, beaten, largest, n_tied = state.radius, state.beaten, state.bound[LARGEST_ERROR], 0
    for arm in range(len(beaten)):
        for other in range(len(beaten)):
            n_tied += radius[arm, other] * beaten[arm] == largest
    left = pick(n_tied, rng)
    for arm in range(len(beaten)):
        for other in range(len(beaten)):
            if radius[arm, other] * beaten[arm] == largest:
                if left == 0:
                    return arm, other
                left -= 1
    return -1, -1


@kernel
def update(state, first, second, first_won):
    if first == second:
        return
    samples = state.samples
    note_sample(samples, first, second, first_won)
    _estimate(state, first, second)
    if samples.limits[ORDERED] == 0:
        _estimate(state, second, first)
    state.bound[LARGEST_ERROR] = _largest_error(state.radius, state.beaten)
    if samples.n[first, second] > samples.limits[N_MAX] or _is_clear(state):
        state.over[0] = True
        answers(state, state.commitment.answer)


@kernel
def idle(state, params, limit, selves, rng):
    return committed_arm_plays_on(state.commitment, limit, selves, rng) if state.over[0] else 0


@kernel
def finished(state):
    return state.over[0]


@kernel
def recommend(state):
    _rank(state)
    return state.ranked.order[0]


@kernel
def answers(state, chosen):
    """The kappa arms where the walk spends most time."""
    _rank(state)
    mark_top(state.ranked, state.samples.limits[KAPPA], chosen)


@kernel
def _rank(state):
    """Rank the arms by their shares; returns the largest entry, in size, of the group inverse."""
    largest = walk(state.rates, state.beaten, state.ranked.score, state.table)
    rank_arms(state.ranked)
    return largest


@kernel
def _estimate(state, arm, other):
    """Rate and radius of (arm, other); the sum is added up afresh, so that equal columns have equal sums."""
    rates, beaten, n = state.rates, state.beaten, state.samples.n[arm, other]
    rates[arm, other] = rate(state.samples, arm, other)
    state.radius[arm, other] = math.sqrt(state.bound[LOG_TERM] / (2 * n))
    beaten[other] = 0.0
    for row in range(len(beaten)):
        beaten[other] += rates[row, other]


@kernel
def _largest_error(radius, beaten):
    largest = 0.0
    for arm in range(len(beaten)):
        for other in range(len(beaten)):
            largest = max(largest, radius[arm, other] * beaten[arm])
    return largest


@kernel
def _is_clear(state):
    """Is the gap behind the top larger than the shares can be wrong?"""
    n_arms, kappa = len(state.beaten), state.samples.limits[KAPPA]
    error = n_arms / 3.0 * state.bound[LARGEST_ERROR]
    if error * (1.0 - 1.0 / n_arms) >= 1.0:
        return False
    largest = _rank(state)
    share, order = state.ranked.score, state.ranked.order
    return share[order[kappa - 1]] - share[order[kappa]] > 2.0 * error * largest


POLICY = Policy(
    "pbr_walk",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    answers=answers,
    finished=finished,
    about="The pair whose error matters most, until the top of a random walk's ranking is clear.",
    source="Busa-Fekete, Szorenyi, Weng, Cheng, Hullermeier 2013 (ICML), random walk ranking",
    assumes="random walk winner; regret is small where it is a Condorcet or Copeland winner too",
    settings=COMMON_SETTINGS,
    variants={"paper": {"ordered": True, "delta": 0.1}},
    horizon_when=needs_horizon,
)
