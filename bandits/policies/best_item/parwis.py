"""PARWiS: duel the leader of a ranking by random walk with the arm expected to change the scores most.

Sheth and Rajkumar, "PARWiS: Winner Determination from Active Pairwise Comparisons under a Shoestring Budget",
ICDM 2021; as in the authors' public code, with the objective `exact` and the method `weighted`. Assumes a
total order of the arms.

A random walk goes from an arm to an arm that has beaten it, with a probability that grows with the share of
duels lost; a dummy arm that has won and lost once against every arm connects all arms. The score of an arm is
its probability under the stationary distribution pi of the walk. The leader duels the arm with the largest
expected Euclidean change of pi, if both win in proportion to their scores.

    the algorithm                                     here
    initial chain: the winner duels the next arm      select (until all arms are compared)
    leader: largest score                             select, _pick_largest
    change of pi by a hypothetical outcome            _size_of_change
    weighted mean over both outcomes                  _expected_change
    duel, update the walk and pi                      update, _update_scores
    the arm, or k arms, with the largest scores       recommend, answers

pi is not solved for again. Let T be the transition matrix, u = 1 / (K + 1) everywhere and Z the inverse of
I - T + 1 u'; then pi = u' Z. A duel changes one entry of T in each of two rows, and their diagonals: a change
of rank one, after which Z and pi follow in closed form. Errors of rounding do not accumulate: after 200,000
duels the scores are accurate to 12 digits. Given the same random numbers, the pairs equal those of the
literal twin, tests/naive/policies/parwis.py, which solves for every pi.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import NumberToFind
from rankduel.bandits.parts.matches.standings import place_of_largest
from rankduel.bandits.parts.picks import NO_ARM, pick
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

_TIE = 1.0 - 1e-9  # values with a ratio of at least this are equal up to rounding


class Order(IntEnum):
    """Order of the arms in the initial chain: random, or by index as in the authors' code."""

    RANDOM = 0
    INDEX = 1


class Params(NamedTuple):
    k: NumberToFind = 1
    order: Annotated[Order, Setting("order of the arms in the first comparisons")] = Order.RANDOM


class Now(NamedTuple):
    n_duels: int = 0
    last_winner: int = 0  # at first, the first arm of the order


class Room(NamedTuple):
    row: np.ndarray  # (arms + 1,) float64, b' Z
    column: np.ndarray  # (arms + 1,) float64, Z a / (1 + b' Z a)
    change: np.ndarray  # (arms,) float64, expected change of pi by opponent of the leader
    no_arms: np.ndarray  # (arms,) bool, all False


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    wins: np.ndarray  # (arms, arms) int64
    order: np.ndarray  # (arms,) int64, order of the arms in the initial chain
    z: np.ndarray  # (arms + 1, arms + 1) float64, Z; the dummy is last
    score: np.ndarray  # (arms + 1,) float64, pi
    room: Room


def init(n_arms, params, rng):
    order = np.arange(n_arms) if params.order == Order.INDEX else rng.permutation(n_arms)
    return State(
        now=record(Now(last_winner=int(order[0]))),
        wins=np.zeros((n_arms, n_arms), np.int64),
        order=order,
        z=_initial_z(n_arms),
        score=np.full(n_arms + 1, 1.0 / (n_arms + 1)),
        room=Room(
            row=np.zeros(n_arms + 1),
            column=np.zeros(n_arms + 1),
            change=np.zeros(n_arms),
            no_arms=np.zeros(n_arms, np.bool_),
        ),
    )


def _initial_z(n_arms: int) -> np.ndarray:
    """Return Z before the first duel, when the walk moves to and from the dummy only.

    Then I - T is the Laplacian of a star, divided by 2 K, whose pseudo-inverse is known.
    """
    leaf = np.append(np.ones(n_arms), 0.0)
    balance = np.append(-np.ones(n_arms), n_arms)
    inverse = np.diag(leaf) - np.outer(leaf, leaf) / n_arms
    inverse += np.outer(balance, balance) / (n_arms * (n_arms + 1.0) ** 2)
    return 2.0 * n_arms * inverse + 1.0 / (n_arms + 1)


@kernel
def select(state, params, rng):
    now, n_arms = state.now[0], len(state.order)
    if now.n_duels < n_arms - 1:
        return now.last_winner, state.order[now.n_duels + 1]
    leader = _pick_largest(state.score[:n_arms], rng)
    change = state.room.change
    for arm in range(n_arms):
        change[arm] = _expected_change(state.wins, state.z, state.score, leader, arm)
    return leader, _pick_largest(change, rng)


@kernel
def update(state, params, first, second, first_won):
    if first == second:
        return
    now = state.now[0]
    winner, loser = (first, second) if first_won else (second, first)
    now.last_winner = winner
    now.n_duels += 1
    _update_scores(state, winner, loser)
    state.wins[winner, loser] += 1


@kernel
def recommend(state, params):
    return _first_largest(state.score, state.room.no_arms)


@kernel
def answers(state, params, chosen):
    for _ in range(min(params.k, len(chosen))):
        chosen[_first_largest(state.score, chosen)] = True


@kernel
def _expected_change(wins, z, score, leader, arm):
    """Return the expected change of pi by a duel of the leader and `arm`; -1 for the leader itself."""
    if arm == leader:
        return -1.0
    won = _size_of_change(wins, z, score, leader, arm)
    lost = _size_of_change(wins, z, score, arm, leader)
    mean = (score[leader] * won + score[arm] * lost) / (score[leader] + score[arm])
    return mean * _distance(z[leader], z[arm])


@kernel
def _size_of_change(wins, z, score, winner, loser):
    """Return the change of pi by this outcome, divided by the distance of the two arms' rows of Z."""
    d_winner, d_loser = _transition_decreases(wins, winner, loser)
    divisor = _divisor(z, winner, loser, d_winner, d_loser)
    return abs((d_winner * score[winner] - d_loser * score[loser]) / divisor)


@kernel
def _update_scores(state, winner, loser):
    """Update Z and pi to the outcome of a duel."""
    z, score, row, column = state.z, state.score, state.room.row, state.room.column
    d_winner, d_loser = _transition_decreases(state.wins, winner, loser)
    divisor = _divisor(z, winner, loser, d_winner, d_loser)
    factor = (d_winner * score[winner] - d_loser * score[loser]) / divisor
    for index in range(len(score)):
        row[index] = z[loser, index] - z[winner, index]
        column[index] = (d_winner * z[index, winner] - d_loser * z[index, loser]) / divisor
        score[index] -= factor * row[index]
    for index in range(len(score)):
        z_row, share = z[index], column[index]
        for other in range(len(score)):
            z_row[other] -= share * row[other]


@kernel
def _transition_decreases(wins, winner, loser):
    """Return by how much a new duel decreases T from the winner to the loser, and from loser to winner."""
    won, lost = wins[winner, loser], wins[loser, winner]
    n, n_arms = won + lost, len(wins)
    share_won = won / n if n > 0 else 0.0
    share_lost = lost / n if n > 0 else 0.0
    return (share_lost - lost / (n + 1)) / n_arms, (share_won - (won + 1) / (n + 1)) / n_arms


@kernel
def _divisor(z, i, j, d_i, d_j):
    """Return 1 + b' Z a for a = d_i e_i - d_j e_j and b = e_j - e_i, where e_i is the i-th unit vector."""
    return 1.0 + d_i * (z[j, i] - z[i, i]) - d_j * (z[j, j] - z[i, j])


@kernel
def _distance(one, other):
    total = 0.0
    for index in range(len(one)):
        total += (one[index] - other[index]) ** 2
    return math.sqrt(total)


@kernel
def _pick_largest(values, rng):
    """Return a uniform index among the largest values, up to rounding."""
    least, n_tied = _TIE * values[place_of_largest(values)], 0
    for index in range(len(values)):
        n_tied += values[index] >= least
    left = pick(n_tied, rng)
    for index in range(len(values)):
        if values[index] >= least:
            if left == 0:
                return index
            left -= 1
    return NO_ARM


@kernel
def _first_largest(score, excluded):
    """Return the first arm with the largest score, up to rounding, among those not excluded."""
    best = NO_ARM
    for arm in range(len(excluded)):
        if not excluded[arm] and (best == NO_ARM or score[best] < _TIE * score[arm]):
            best = arm
    return best


POLICY = policy_of(
    __name__,
    source="Sheth, Rajkumar 2021 (ICDM), exact and weighted",
    assumes="a total order",
    # The authors' code, and therefore Yan's simulation, takes the arms in the order of their indices.
    variants={"paper": {}, "yan": {"order": "index"}},
)
