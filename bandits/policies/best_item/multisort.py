"""Multisort: sort all arms by quicksort repeatedly, and aggregate the rankings.

Maystre and Grossglauser, "Just Sort It! A Simple and Effective Approach to Active Preference Learning", ICML
2017. Assumes Bradley-Terry preferences.

Every comparison of the sort is one duel. The answer is the arms with the largest Copeland score: the number
of arms that an arm precedes in most of the complete rankings. In the practical variant of the paper's
section 4, and before any ranking is complete, it is the strongest arm by a Bradley-Terry model of all duels.

    the paper                                         here
    quicksort: choose a pivot at random               plan
               compare the other arms with it         plan, learn
               partition the arms around it           _split_parts, _partition
    a complete ranking                                _record_ranking
    Copeland aggregation                              _copeland_score
    section 4: Bradley-Terry model of all duels       _fit_all_duels, fit_strengths

The parts of an unfinished sort are independent of each other. So one agenda holds the comparisons of all of
them, and a ranking takes about 2 log2 K agendas. Given the same random numbers, the pairs equal those of the
literal twin, tests/naive/policies/multisort.py.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.agenda import Agenda, add, clear, empty_agenda, is_over, times_compared
from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.matches.standings import place_of_largest
from rankduel.bandits.parts.picks import pick
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

RIDGE = 1e-4
_MOST_STEPS = 100
_NO_STEP = 1e-9  # the maximum is found when no strength changes by more


class Fit(NamedTuple):
    """Workspace of a fit: nothing in it is needed after the strengths were read."""

    wins: np.ndarray  # (arms, arms) int64: the data
    strength: np.ndarray  # (arms,) float64: the result
    step: np.ndarray  # (arms,) float64: the gradient, then Newton's step
    curvature: np.ndarray  # (arms, arms) float64: the negative Hessian, then its Cholesky factor


class Aggregation(IntEnum):
    """Answer by Copeland scores of the rankings, or by a Bradley-Terry model of all duels."""

    COPELAND = 0
    BRADLEY_TERRY = 1


class Params(NamedTuple):
    aggregation: Annotated[
        Aggregation,
        Setting("Copeland scores of the complete rankings, or a Bradley-Terry model of all duels"),
    ] = Aggregation.COPELAND


class Now(NamedTuple):
    n_parts: int = 1  # parts of the current sort, those of one arm included
    n_rankings: int = 0  # complete rankings


class Room(NamedTuple):
    order: np.ndarray  # (arms,) int64, the next `order`
    start: np.ndarray  # (arms + 1,) int64, the next `start`
    fit: Fit


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    agenda: Agenda
    order: np.ndarray  # (arms,) int64, the arms as far as they are sorted, best first
    start: np.ndarray  # (arms + 1,) int64, place where each part starts; after the last, the number of arms
    wins: np.ndarray  # (arms, arms) int64, duels won in complete agendas
    ahead: np.ndarray  # (arms, arms) int64, complete rankings in which i precedes j
    room: Room


def init(n_arms, params, rng):
    start = np.zeros(n_arms + 1, np.int64)
    start[1] = n_arms
    return State(
        now=record(Now()),
        agenda=empty_agenda(n_arms),
        order=np.arange(n_arms),
        start=start,
        wins=np.zeros((n_arms, n_arms), np.int64),
        ahead=np.zeros((n_arms, n_arms), np.int64),
        room=Room(
            order=np.zeros(n_arms, np.int64), start=np.zeros(n_arms + 1, np.int64), fit=empty_fit(n_arms)
        ),
    )


@kernel
def plan(state, params, rng):
    """Move a random pivot to the front of every part, and compare the other arms of the part with it."""
    order, start = state.order, state.start
    clear(state.agenda, 1)
    for part in range(state.now[0].n_parts):
        first, end = start[part], start[part + 1]
        chosen = first + pick(end - first, rng)
        order[first], order[chosen] = order[chosen], order[first]
        for place in range(first + 1, end):
            add(state.agenda, order[place], order[first])


@kernel
def learn(state, params):
    _add_wins(state.agenda, state.wins)
    _split_parts(state)
    if state.now[0].n_parts == len(state.order):
        _record_ranking(state)


@kernel
def recommend(state, params):
    if _uses_rankings(state, params):
        return _copeland_winner(state)
    _fit_all_duels(state)
    return place_of_largest(state.room.fit.strength)


@kernel
def answers(state, params, chosen):
    if _uses_rankings(state, params):
        most = _copeland_score(state, _copeland_winner(state))
        for arm in range(len(chosen)):
            chosen[arm] = _copeland_score(state, arm) == most


@kernel
def _split_parts(state):
    """Split every part into the arms that beat its pivot, the pivot, and the others."""
    now, order, start, room = state.now[0], state.order, state.start, state.room
    index = n_parts = 0
    for part in range(now.n_parts):
        first, end = start[part], start[part + 1]
        won = state.agenda.wins[index : index + end - first - 1]
        index += len(won)
        pivot = first + _partition(order[first:end], won, room.order[first:end])
        n_parts = _add_part(room.start, n_parts, first, pivot)
        n_parts = _add_part(room.start, n_parts, pivot, pivot + 1)
        n_parts = _add_part(room.start, n_parts, pivot + 1, end)
    now.n_parts = n_parts
    for place in range(len(order)):
        order[place] = room.order[place]
    for part in range(n_parts + 1):
        start[part] = room.start[part]


@kernel
def _partition(arms, won, out):
    """Write the arms of a part to `out`, around the pivot, its first arm; return the place of the pivot.

    won[i] is 1 if arms[i + 1] beat the pivot.
    """
    pivot = 0
    for index in range(len(won)):
        pivot += won[index]
    out[pivot] = arms[0]
    above, below = 0, pivot + 1
    for index in range(len(won)):
        if won[index] == 1:
            out[above] = arms[index + 1]
            above += 1
        else:
            out[below] = arms[index + 1]
            below += 1
    return pivot


@kernel
def _add_part(start, n_parts, first, end):
    """Add the part at places `first` to `end` unless it is empty; return the number of parts."""
    if first == end:
        return n_parts
    start[n_parts], start[n_parts + 1] = first, end
    return n_parts + 1


@kernel
def _record_ranking(state):
    """Count which arms precede which in a complete ranking, and begin the next sort."""
    now, order, n_arms = state.now[0], state.order, len(state.order)
    for place in range(n_arms):
        ahead = state.ahead[order[place]]
        for later in range(place + 1, n_arms):
            ahead[order[later]] += 1
    now.n_rankings += 1
    now.n_parts, state.start[1] = 1, n_arms


@kernel
def _add_wins(agenda, wins):
    """Add the outcomes of the agenda, so far, to `wins`."""
    for index in range(agenda.now[0].n_pairs):
        first, second = agenda.pairs[index, 0], agenda.pairs[index, 1]
        if times_compared(agenda, index) == 1:
            wins[first, second] += agenda.wins[index]
            wins[second, first] += 1 - agenda.wins[index]


@kernel
def _uses_rankings(state, params):
    """Return whether the answer is by Copeland scores, and not by the Bradley-Terry model."""
    return params.aggregation == Aggregation.COPELAND and state.now[0].n_rankings > 0


@kernel
def _copeland_winner(state):
    """Return the first arm with the largest Copeland score."""
    best = 0
    for arm in range(1, len(state.ahead)):
        if _copeland_score(state, arm) > _copeland_score(state, best):
            best = arm
    return best


@kernel
def _copeland_score(state, arm):
    """Return twice the Copeland score; an arm that is preceded in half of the rankings counts 1/2."""
    score = 0
    for other in range(len(state.ahead)):
        if other != arm:
            lead = state.ahead[arm, other] - state.ahead[other, arm]
            score += 2 * (lead > 0) + (lead == 0)
    return score


@kernel
def _fit_all_duels(state):
    """Fit the Bradley-Terry model to all duels, those of the current agenda included."""
    wins = state.room.fit.wins
    for first in range(len(wins)):
        for second in range(len(wins)):
            wins[first, second] = state.wins[first, second]
    if not is_over(state.agenda):
        _add_wins(state.agenda, wins)
    fit_strengths(state.room.fit)


# ---- The Bradley-Terry model ----
#
# Strengths of arms in the Bradley-Terry model: i beats j with probability 1 / (1 + exp(s_j - s_i)).
#
# The log-likelihood of all wins, less RIDGE / 2 times the sum of squared strengths, has one maximum, even if
# an arm has never lost or never played. Newton's method finds it; a step that decreases the objective is
# halved until it does not.


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


POLICY = policy_of(
    __name__,
    source="Maystre, Grossglauser 2017 (ICML)",
    assumes="Bradley-Terry preferences",
    variants={"paper": {}, "practical": {"aggregation": "bradley_terry"}},
)
