"""Batches that grow geometrically, and what is known after them: what all batched policies share.

Of B batches in T duels, batch number r compares each of its pairs floor(q^r) times, q = T^(1/B). The last may
take T duels for a single pair, so B batches are always enough (Agarwal, Ghuge and Nagarajan, ICML 2022).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from bandits.agenda import N_PAIRS, add, clear, is_over, rest, times_compared
from bandits.parts.answers import leader_among
from bandits.parts.relative_entropy import divergence
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

KL, HOEFFDING = range(2)  # choices of `elim`
ROUND, N_LEFT, N_BATCHES, HORIZON, ELIM = range(5)  # entries of GeometricRounds.now
_MOST = 1 << 62  # comparisons in one agenda: they are counted in 64 bits

SETTINGS = {
    "batches": Setting(
        "batches planned for the horizon; 0: its logarithm to base 2, rounded down", at_least=0
    ),
    "extra": Setting("batches on top of these", at_least=0),
    "elim": Setting(
        "arms are given up by relative entropy, as in the experiments, or Hoeffding's bound, as analysed",
        choices=("kl", "hoeffding"),
    ),
    "horizon": Setting("steps the batches are planned for; 0: those of the run", at_least=0),
}


class GeometricRounds(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64, in all batches
    fresh: np.ndarray  # (arms, arms) int64: wins in the last batch; room for others after it
    is_left: np.ndarray  # (arms,) bool: not given up
    leaves: np.ndarray  # (arms,) bool: room for who is about to be
    now: np.ndarray  # (5,) int64: number of the batch, from 1; arms left; B; T; choice of `elim`
    log_odds: np.ndarray  # (1,) float64: ln(1 / chance that a lead deceives)


def n_batches(params: Any) -> int:
    """B; at least one."""
    return max(1, (params.batches or params.horizon.bit_length() - 1) + params.extra)


def new_geometric_rounds(n_arms: int, params: Any, log_odds: float) -> GeometricRounds:
    shape = (n_arms, n_arms)
    return GeometricRounds(
        wins=np.zeros(shape, np.int64),
        fresh=np.zeros(shape, np.int64),
        is_left=np.ones(n_arms, np.bool_),
        leaves=np.zeros(n_arms, np.bool_),
        now=np.array([1, n_arms, n_batches(params), params.horizon, params.elim], np.int64),
        log_odds=np.array([float(log_odds)]),
    )


def room_for_pairs(n_arms: int) -> int:
    return n_arms * (n_arms - 1) // 2


@kernel
def batch_size(now, number):
    """How often each pair of this batch is compared: floor(T^(number / B))."""
    if number >= now[N_BATCHES]:
        return now[HORIZON]
    power = math.exp(number * math.log(now[HORIZON]) / now[N_BATCHES])
    return int(power * (1.0 + 1e-14))  # a whole number may have come out a little too small


@kernel
def begin_batch(agenda, now):
    clear(agenda, min(batch_size(now, now[ROUND]), _MOST // len(agenda.pairs)))


@kernel
def play_alone(agenda, is_left):
    """The only arm that is left meets itself."""
    for arm in range(len(is_left)):
        if is_left[arm]:
            rest(agenda, arm)


@kernel
def add_pairs(agenda, arms):
    """All pairs of the arms flagged in `arms`."""
    for first in range(len(arms)):
        for second in range(first + 1, len(arms)):
            if arms[first] and arms[second]:
                add(agenda, first, second)


@kernel
def note_batch(agenda, standing):
    """Its outcomes, all of them."""
    for first in range(len(standing.fresh)):
        for second in range(len(standing.fresh)):
            standing.fresh[first, second] = 0
    _add_outcomes(agenda, standing.fresh)
    _add_outcomes(agenda, standing.wins)


@kernel
def clearly_ahead(standing, won, lost, radii):
    """Is the share of duels won above 1/2 by so many of Hoeffding's radii? Or refuted to be 1/2, for `kl`."""
    return ahead(standing, won, lost, radii, standing.log_odds[0])


@kernel
def ahead(standing, won, lost, radii, nats):
    """The same, with so many nats of evidence for `kl`; zero are any lead."""
    if standing.now[ELIM] == KL:
        return divergence(lost, won) > nats
    return ahead_by(won, lost, radii, standing.log_odds[0])


@kernel
def ahead_by(won, lost, radii, log_odds):
    """won / n > 1/2 + radii sqrt(log_odds / (2 n)), in n = won + lost duels."""
    return won - lost > radii * math.sqrt(2.0 * (won + lost) * log_odds)


@kernel
def mark_beaten(standing, counts):
    """Those leave whom somebody who is left is clearly ahead of."""
    n_arms, is_left = len(counts), standing.is_left
    for arm in range(n_arms):
        standing.leaves[arm] = False
        for other in range(n_arms):
            if is_left[arm] and is_left[other]:
                standing.leaves[arm] |= clearly_ahead(standing, counts[other, arm], counts[arm, other], 1.0)


@kernel
def drop_marked(standing):
    """Give up who leaves, all at once; nobody, if that would be everybody."""
    n_leaving = 0
    for arm in range(len(standing.leaves)):
        n_leaving += standing.leaves[arm] and standing.is_left[arm]
    if n_leaving < standing.now[N_LEFT]:
        for arm in range(len(standing.leaves)):
            standing.is_left[arm] &= not standing.leaves[arm]
        standing.now[N_LEFT] -= n_leaving


@kernel
def leader_now(agenda, standing, eligible):
    """Who of the eligible leads most others, outcomes of an unfinished batch included."""
    if is_over(agenda):
        return leader_among(standing.wins, eligible)
    for first in range(len(standing.wins)):
        for second in range(len(standing.wins)):
            standing.fresh[first, second] = standing.wins[first, second]
    _add_outcomes(agenda, standing.fresh)
    return leader_among(standing.fresh, eligible)


@kernel
def recommend(state):
    return leader_now(state.agenda, state.standing, state.standing.is_left)


@kernel
def survivors(state):
    return state.standing.now[N_LEFT]


@kernel
def finished(state):
    return state.standing.now[N_LEFT] == 1


@kernel
def _add_outcomes(agenda, wins):
    for index in range(agenda.now[N_PAIRS]):
        first, second = agenda.pairs[index, 0], agenda.pairs[index, 1]
        wins[first, second] += agenda.wins[index]
        wins[second, first] += times_compared(agenda, index) - agenda.wins[index]
