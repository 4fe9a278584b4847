"""The plan of least regret that confirms a candidate: a linear program, solved by the simplex method.

A plan assigns evidence to each pair, at a price, such that every set of pairs whose reversal lets a rival
overtake the candidate has at least one unit in sum (bandits/parts/rmed/overtaking.py). These are
exponentially many constraints on K (K - 1) / 2 variables. In the dual program each constraint is a column,
and the plan is the vector of simplex multipliers: a column may enter the basis if the plan violates its
constraint. So the constraints need not be listed: the set with the smallest sum under the current plan enters
next, until no sum is below one.

The first plan is zero. That no pair needs more than one unit follows from the constraints.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.bandits.parts.rmed.overtaking import least_to_overtake, mark_overtaking
from rankduel.base.compiling import kernel

_ROUNDING = 1e-9
_MOST_EXCHANGES = 100  # per pair; about five are enough, but rounding errors might cause a cycle


class SimplexRoom(NamedTuple):
    """Workspace; the pairs i > j are numbered in lexicographic order."""

    inverse: np.ndarray  # (pairs, pairs) float64: inverse of the basis
    values: np.ndarray  # (pairs,) float64: of the basic variables; at first, the prices of the pairs
    column: np.ndarray  # (pairs,) bool: the entering column, of zeros and ones
    change: np.ndarray  # (pairs,) float64: the entering column in terms of the basis


def simplex_room(n_arms: int) -> SimplexRoom:
    """Return the workspace of `find_optimal_plan`."""
    n_pairs = n_arms * (n_arms - 1) // 2
    return SimplexRoom(
        inverse=np.zeros((n_pairs, n_pairs)),
        values=np.zeros(n_pairs),
        column=np.zeros(n_pairs, np.bool_),
        change=np.zeros(n_pairs),
    )


@kernel
def find_optimal_plan(wins, losses, candidate, plan, simplex, room):
    """Write the optimal plan[i, j], symmetric; simplex.values has the positive prices, and is overwritten."""
    for row in range(len(simplex.values)):
        for number in range(len(simplex.values)):
            simplex.inverse[row, number] = row == number
    for i in range(len(wins)):
        for j in range(len(wins)):
            plan[i, j] = 0.0
    for _ in range(_MOST_EXCHANGES * len(simplex.values)):
        violation = _mark_entering_column(wins, losses, candidate, plan, simplex.column, room)
        if violation <= _ROUNDING:
            break
        row = _leaving_row(simplex)
        _exchange(simplex, row)
        _raise_plan(plan, simplex.inverse[row], violation)


@kernel
def _mark_entering_column(wins, losses, candidate, plan, column, room):
    """Mark the column whose constraint the plan violates most; return by how much.

    It is a set of pairs whose sum is below one, or a pair with a negative plan.
    """
    found = least_to_overtake(wins, losses, plan, candidate, room)
    violation, lowest, number = 1.0 - found[0], -1, 0
    for i in range(len(wins)):
        for j in range(i):
            column[number] = False
            if -plan[i, j] > violation:
                violation, lowest = -plan[i, j], number
            number += 1
    if lowest >= 0:
        column[lowest] = True
    elif violation > _ROUNDING:
        mark_overtaking(wins, plan, candidate, found, room, column)
    return violation


@kernel
def _leaving_row(simplex):
    """Return the row of the basis that first reaches zero as the column enters."""
    leaving, least = -1, math.inf
    for row in range(len(simplex.values)):
        change = 0.0
        for number in range(len(simplex.values)):
            if simplex.column[number]:
                change += simplex.inverse[row, number]
        simplex.change[row] = change
        if change > _ROUNDING and simplex.values[row] / change < least:
            leaving, least = row, simplex.values[row] / change
    return leaving


@kernel
def _exchange(simplex, leaving):
    """Replace the leaving row of the basis by the entering column."""
    inverse, values, change = simplex.inverse, simplex.values, simplex.change
    values[leaving] /= change[leaving]
    for number in range(len(values)):
        inverse[leaving, number] /= change[leaving]
    for row in range(len(values)):
        if row != leaving and change[row] != 0.0:
            values[row] -= change[row] * values[leaving]
            for number in range(len(values)):
                inverse[row, number] -= change[row] * inverse[leaving, number]


@kernel
def _raise_plan(plan, entered, violation):
    """Change the plan so that the constraint that entered holds with equality."""
    number = 0
    for i in range(len(plan)):
        for j in range(i):
            plan[i, j] += violation * entered[number]
            plan[j, i] = plan[i, j]
            number += 1
