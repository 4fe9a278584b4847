"""PBR-RW: duel the pair with the largest weighted error until the best arms of a random walk are clear.

Busa-Fekete, Szorenyi, Weng, Cheng and Hullermeier, "Top-k Selection based on Adaptive Sampling of Noisy
Preferences", ICML 2013: preference-based racing (PBR) with the sampling strategy for the random walk ranking.
Assumes that the arm in which the walk spends most of its time is the best one.

The walk moves from an arm to the arms that beat it. The next pair
(i, j) has the largest error, the radius of its estimate times the sum of the rates at which other arms beat
i. The race ends when the gap between the kappa-th and the next share of time exceeds the error of the shares,
or when a pair has more than n_max samples.

    step                                                     here
    pair (i, j) with the largest error                       select, _largest_error
    sample it, estimate and radius c_ij                      update, _estimate
    S, shares v, group inverse A#                            _rank (solve_walk)
    stop if v_kappa - v_(kappa+1) > 2 ||C||_1 ||A#||_max     _is_gap_clear
    answer: kappa arms with the largest shares               answers

||C||_1 is K/3 times the largest error, and ||A#||_max the largest absolute entry of the group inverse of
I - S, for which a matrix has to be inverted. With i the least visited arm, entry (i, i) of
(I - S) A# = I - 1v' is at least 1 - 1/K and at most 2 ||A#||_max, and shares differ by less than 1; so no
matrix is inverted while ||C||_1 (1 - 1/K) >= 1. `idle` is not in the paper: it skips the self-duels after the
end. The pairs equal those of the literal twin, tests/naive/policies/pbr_walk.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import DeltaOrHorizon, ErrorHorizon
from rankduel.bandits.parts.picks import NO_ARM, pick
from rankduel.bandits.parts.racing.commitment import (
    Commitment,
    committed_arm,
    no_commitment,
    skip_committed,
)
from rankduel.bandits.parts.racing.preference_racing import (
    Kappa,
    MostSamples,
    Ordered,
    Samples,
    exceeds_maximum,
    no_samples,
    pbr_log_term,
    pbr_uses_horizon,
    record_sample,
    win_rate,
)
from rankduel.bandits.parts.racing.ranking import RankingRoom, mark_top, rank_arms, ranking_room
from rankduel.base.compiling import kernel, record

_DAMPING = 0.98


class Params(NamedTuple):
    kappa: Kappa = 1
    n_max: MostSamples = 0
    delta: DeltaOrHorizon = 0.0
    ordered: Ordered = False
    horizon: ErrorHorizon = 0


class Now(NamedTuple):
    log_term: float = 0.0  # L of the radius, computed once
    largest_error: float = math.inf  # largest radius of (i, j) times the rates at which arms beat i
    over: bool = False  # nothing is left to compare


class Room(NamedTuple):
    table: np.ndarray  # (arms, 2 * arms) float64: a matrix and its inverse
    ranking: RankingRoom  # score: share of time that the walk spends in the arm


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    samples: Samples
    rates: np.ndarray  # (arms, arms) float64: estimated probability that i beats j; 1/2 without samples
    beaten: np.ndarray  # (arms,) float64: sums of the columns of `rates`
    radius: np.ndarray  # (arms, arms) float64: c_ij; infinite without samples, 0 on the diagonal
    tie_order: np.ndarray  # (arms,) int64: random order of the arms, which breaks ties
    commitment: Commitment
    room: Room


def init(n_arms, params, rng):
    return State(
        now=record(Now(log_term=pbr_log_term(n_arms, params).constant)),
        samples=no_samples(n_arms, params),
        rates=np.full((n_arms, n_arms), 0.5),
        beaten=np.full(n_arms, 0.5 * n_arms),
        radius=np.where(np.eye(n_arms) == 1.0, 0.0, math.inf),
        tie_order=rng.permutation(n_arms),
        commitment=no_commitment(n_arms),
        room=Room(table=np.zeros((n_arms, 2 * n_arms)), ranking=ranking_room(n_arms)),
    )


def needs_horizon(params: Params) -> bool:
    return pbr_uses_horizon(params)


@kernel
def select(state, params, rng):
    if state.now[0].over:
        arm = committed_arm(state.commitment, rng)
        return arm, arm
    radius, beaten, largest, n_tied = state.radius, state.beaten, state.now[0].largest_error, 0
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
    return NO_ARM, NO_ARM


@kernel
def update(state, params, first, second, first_won):
    if first == second:
        return
    now = state.now[0]
    record_sample(state.samples, params, first, second, first_won)
    _estimate(state, first, second)
    if not params.ordered:
        _estimate(state, second, first)
    now.largest_error = _largest_error(state)
    if exceeds_maximum(params, state.samples.n[first, second]) or _is_gap_clear(state, params):
        now.over = True
        answers(state, params, state.commitment.answer)


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip all steps once nothing is left to compare."""
    return skip_committed(state.commitment, limit, self_duels, rng) if state.now[0].over else 0


@kernel
def recommend(state, params):
    _rank(state)
    return state.room.ranking.order[0]


@kernel
def answers(state, params, chosen):
    """Mark the kappa arms in which the walk spends most of its time."""
    _rank(state)
    mark_top(state.room.ranking, params.kappa, chosen)


@kernel
def finished(state, params):
    return state.now[0].over


@kernel
def _estimate(state, arm, other):
    """Estimate the rate and radius of (arm, other), and the sum of the column."""
    rates, beaten = state.rates, state.beaten
    rates[arm, other] = win_rate(state.samples, arm, other)
    state.radius[arm, other] = math.sqrt(state.now[0].log_term / (2 * state.samples.n[arm, other]))
    beaten[other] = 0.0  # summed again, so that equal columns have exactly equal sums
    for row in range(len(beaten)):
        beaten[other] += rates[row, other]


@kernel
def _largest_error(state):
    radius, beaten, largest = state.radius, state.beaten, 0.0
    for arm in range(len(beaten)):
        for other in range(len(beaten)):
            largest = max(largest, radius[arm, other] * beaten[arm])
    return largest


@kernel
def _is_gap_clear(state, params):
    """Return whether the gap below the kappa largest shares exceeds the error of the shares."""
    n_arms, ranking = len(state.beaten), state.room.ranking
    error = n_arms / 3.0 * state.now[0].largest_error
    if error * (1.0 - 1.0 / n_arms) >= 1.0:
        return False
    largest = _rank(state)
    share, order = ranking.score, ranking.order
    return share[order[params.kappa - 1]] - share[order[params.kappa]] > 2.0 * error * largest


@kernel
def _rank(state):
    """Rank the arms by their shares; return the largest absolute entry of the group inverse."""
    ranking = state.room.ranking
    largest = solve_walk(state.rates, state.beaten, ranking.score, state.room.table)
    rank_arms(ranking, state.tie_order)
    return largest


# ---- The random walk ----
#
# The random walk of PBR-RW, which moves from an arm to the arms that beat it.
#
# Busa-Fekete, Szorenyi, Weng, Cheng and Hullermeier, "Top-k Selection based on Adaptive Sampling of Noisy
# Preferences", ICML 2013. From arm i the walk moves to j with a probability proportional to the rate at which
# j beats i, where i itself counts 1/2; with probability 0.02 it moves to a uniformly drawn arm instead. S is
# the matrix of these probabilities.
#
# With Z the inverse of I - S + 11'/K, the stationary distribution is v = 1'Z / K, and the group inverse of I
# - S, which bounds how much v changes with S, is Z - 1(v'Z).


@kernel
def solve_walk(rates, beaten, shares, table):
    """Write the stationary distribution to `shares`; return the largest absolute entry of the group inverse.

    rates[i, j] is the rate at which i beats j, and 1/2 for i = j; beaten[i] is the sum of column i. `table`,
    (arms, 2 arms), is workspace.
    """
    n_arms = len(shares)
    _fill_table(rates, beaten, table)
    _eliminate(table)
    inverse = table[:, n_arms:]
    for arm in range(n_arms):
        shares[arm] = 0.0
        for other in range(n_arms):
            shares[arm] += inverse[other, arm] / n_arms
    return _largest_of_group_inverse(inverse, shares)


@kernel
def _fill_table(rates, beaten, table):
    """Write I - S + 11'/K to the left half of the table, and I to the right half."""
    n_arms = len(beaten)
    for arm in range(n_arms):
        for other in range(n_arms):
            move = _DAMPING * rates[other, arm] / beaten[arm] + (1.0 - _DAMPING) / n_arms
            table[arm, other] = 1.0 / n_arms - move
            table[arm, n_arms + other] = 0.0
        table[arm, arm] += 1.0
        table[arm, n_arms + arm] = 1.0


@kernel
def _largest_of_group_inverse(inverse, shares):
    n_arms, largest = len(shares), 0.0
    for column in range(n_arms):
        mean = 0.0
        for arm in range(n_arms):
            mean += shares[arm] * inverse[arm, column]
        for arm in range(n_arms):
            largest = max(largest, abs(inverse[arm, column] - mean))
    return largest


@kernel
def _eliminate(table):
    """Turn (A, I) into (I, A^-1) by Gauss-Jordan elimination with partial pivoting."""
    n_rows, n_columns = table.shape
    for step in range(n_rows):
        pivot = step
        for row in range(step + 1, n_rows):
            if abs(table[row, step]) > abs(table[pivot, step]):
                pivot = row
        for column in range(n_columns):
            table[step, column], table[pivot, column] = table[pivot, column], table[step, column]
        scale = table[step, step]
        for column in range(n_columns):
            table[step, column] /= scale
        for row in range(n_rows):
            factor = table[row, step]
            if row != step:
                for column in range(n_columns):
                    table[row, column] -= factor * table[step, column]


POLICY = policy_of(
    __name__,
    source="Busa-Fekete, Szorenyi, Weng, Cheng, Hullermeier 2013 (ICML), random walk ranking",
    assumes="random walk winner; regret is small where it is a Condorcet or Copeland winner too",
    variants={"paper": {"ordered": True, "delta": 0.1}},
)
