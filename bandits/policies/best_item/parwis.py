"""PARWiS: the leader of a ranking by random walk meets whoever may change that ranking most.

Sheth and Rajkumar, "PARWiS: Winner Determination from Active Pairwise Comparisons under a Shoestring Budget",
ICDM 2021.

The walk goes from an arm to one that has beaten it, the more likely the more often; a dummy that has won and
lost once against everybody makes the first steps well defined. How often the walk visits an arm, in the long
run, is the arm's score. A comparison changes two entries of the walk's matrix T and what is left on their
diagonals, which is a change of rank one: with Z the inverse of I - T + 1 u', u = 1 / (K + 1) everywhere, the
scores after either outcome, and Z after the real one, follow without solving anything again. Rounding does
not build up: after 200,000 duels scores are right to 12 digits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.matches.standings import place_of_largest
from bandits.parts.picks import NO_ARM, pick
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

RANDOM, INDEX = range(2)  # choices of `order`
N_DUELS, LEADER, K = range(3)  # entries of State.now
NEARLY = 1.0 - 1e-9  # values that differ by less than this factor are equal up to rounding


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    order: np.ndarray  # (arms,) int64: in which arms enter the first comparisons
    z: np.ndarray  # (arms + 1, arms + 1) float64: Z, the dummy last
    score: np.ndarray  # (arms + 1,) float64: u' Z
    row: np.ndarray  # (arms + 1,) float64: room
    column: np.ndarray  # (arms + 1,) float64: room
    change: np.ndarray  # (arms,) float64: room for the expected change of scores, by opponent
    nobody: np.ndarray  # (arms,) bool: all False
    now: np.ndarray  # (3,) int64: duels so far; winner of the last of the first K - 1 of them; k


class Params(NamedTuple):
    k: int = 1
    order: str = "random"


def init(n_arms, params, rng):
    order = rng.permutation(n_arms) if params.order == RANDOM else np.arange(n_arms)
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        order=order,
        z=_star(n_arms),
        score=np.full(n_arms + 1, 1.0 / (n_arms + 1)),
        row=np.zeros(n_arms + 1),
        column=np.zeros(n_arms + 1),
        change=np.zeros(n_arms),
        nobody=np.zeros(n_arms, np.bool_),
        now=np.array([0, order[0], min(params.k, n_arms)]),
    )


def _star(n_arms: int) -> np.ndarray:
    """Z before the first comparison, when the walk knows ways to and from the dummy only.

    Then I - T is the Laplacian of a star, divided by 2 K, whose pseudo-inverse is well known.
    """
    leaf = np.append(np.ones(n_arms), 0.0)
    balance = np.append(-np.ones(n_arms), n_arms)
    inverse = np.diag(leaf) - np.outer(leaf, leaf) / n_arms
    inverse += np.outer(balance, balance) / (n_arms * (n_arms + 1.0) ** 2)
    return 2.0 * n_arms * inverse + 1.0 / (n_arms + 1)


@kernel
def select(state, params, rng):
    """At first the winner stays, until everybody has been compared."""
    n_arms, now = len(state.wins), state.now
    if now[N_DUELS] < n_arms - 1:
        return now[LEADER], state.order[now[N_DUELS] + 1]
    leader = _pick_largest(state.score[:n_arms], rng)
    for arm in range(n_arms):
        state.change[arm] = _expected_change(state.wins, state.z, state.score, leader, arm)
    return leader, _pick_largest(state.change, rng)


@kernel
def update(state, first, second, first_won):
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    state.now[LEADER] = winner
    state.now[N_DUELS] += 1
    _change_walk(state, winner, loser)
    state.wins[winner, loser] += 1


@kernel
def recommend(state):
    return _first_largest(state.score, state.nobody)


@kernel
def answers(state, chosen):
    """The k arms with the largest scores."""
    for _ in range(state.now[K]):
        chosen[_first_largest(state.score, chosen)] = True


@kernel
def _less_likely(wins, winner, loser):
    """How much less likely the walk goes from the winner to the loser of a new duel, and back."""
    won, lost = wins[winner, loser], wins[loser, winner]
    n, n_arms = won + lost, len(wins)
    before_won = won / n if n > 0 else 0.0
    before_lost = lost / n if n > 0 else 0.0
    return (before_lost - lost / (n + 1)) / n_arms, (before_won - (won + 1) / (n + 1)) / n_arms


@kernel
def _divisor(z, one, other, down, back):
    """1 + b' Z a with a = down at `one`, -back at `other`, and b = -1 at `one`, 1 at `other`."""
    return 1.0 + down * (z[other, one] - z[one, one]) - back * (z[other, other] - z[one, other])


@kernel
def _size_of_change(wins, z, score, winner, loser):
    """How far this outcome moves the scores, divided by the distance of the two arms' rows of Z."""
    down, back = _less_likely(wins, winner, loser)
    return abs((down * score[winner] - back * score[loser]) / _divisor(z, winner, loser, down, back))


@kernel
def _expected_change(wins, z, score, leader, arm):
    """Of all scores, in Euclidean distance, if the two meet and win in proportion to their scores."""
    if arm == leader:
        return -1.0
    won = _size_of_change(wins, z, score, leader, arm)
    lost = _size_of_change(wins, z, score, arm, leader)
    mean = (score[leader] * won + score[arm] * lost) / (score[leader] + score[arm])
    return mean * _distance(z[leader], z[arm])


@kernel
def _distance(one, other):
    total = 0.0
    for index in range(len(one)):
        total += (one[index] - other[index]) ** 2
    return math.sqrt(total)


@kernel
def _change_walk(state, winner, loser):
    """Z and the scores after this duel."""
    z, score, row, column = state.z, state.score, state.row, state.column
    down, back = _less_likely(state.wins, winner, loser)
    divisor = _divisor(z, winner, loser, down, back)
    factor = (down * score[winner] - back * score[loser]) / divisor
    for index in range(len(score)):
        row[index] = z[loser, index] - z[winner, index]
        column[index] = (down * z[index, winner] - back * z[index, loser]) / divisor
        score[index] -= factor * row[index]
    for index in range(len(score)):
        changed, share = z[index], column[index]
        for other in range(len(score)):
            changed[other] -= share * row[other]


@kernel
def _pick_largest(values, rng):
    """A uniform index among the largest values, as far as rounding can tell."""
    least, n_tied = NEARLY * values[place_of_largest(values)], 0
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
    """The first arm with the largest score, as far as rounding can tell."""
    best = NO_ARM
    for arm in range(len(excluded)):
        if not excluded[arm] and (best == NO_ARM or score[best] < NEARLY * score[arm]):
            best = arm
    return best


POLICY = Policy(
    "parwis",
    Params,
    init,
    select,
    update,
    recommend,
    answers=answers,
    about="The leader of a ranking by random walk meets whoever may change that ranking most.",
    source="Sheth, Rajkumar 2021 (ICDM), exact and weighted",
    assumes="a total order",
    settings={
        "k": Setting("how many of the best arms to name; all of them if there are fewer", at_least=1),
        "order": Setting("of the first comparisons, in which the winner stays", choices=("random", "index")),
    },
    # The authors' code, and therefore Yan's simulation, takes arms as they are numbered.
    variants={"paper": {}, "yan": {"order": "index"}},
)
