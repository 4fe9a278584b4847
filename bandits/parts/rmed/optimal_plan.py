"""The plan of least regret that makes sure of a candidate: a linear program, solved by the simplex method.

A plan gives each pair some evidence, at a price, so that whatever would let a rival overtake the candidate
has at least one unit in sum (bandits/parts/rmed/overtaking.py). These are exponentially many conditions on
K (K - 1) / 2 numbers. In the dual program each condition is a column, and the plan is what the simplex method
calls the multipliers: a column may enter the basis if the plan misses its condition. So the conditions need
not be written down: what has the least sum by the plan so far enters next, until nothing has less than one.

It begins with the plan that asks for nothing. That no pair need have more than one unit comes by itself.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.parts.rmed.overtaking import least_to_overtake, mark_overtaking
from rankduel.base.compiling import kernel

_ROUNDING = 1e-9
_MOST_ROUNDS = 100  # per pair; about five are needed at worst, but rounding must not keep it going for ever


class Simplex(NamedTuple):
    """Pairs i > j have numbers here, in lexicographic order."""

    inverse: np.ndarray  # (pairs, pairs) float64: inverse of the basis
    values: np.ndarray  # (pairs,) float64: of the basic variables; the prices of the pairs, to begin with
    column: np.ndarray  # (pairs,) bool: the entering column, which holds zeros and ones
    change: np.ndarray  # (pairs,) float64: the same in terms of the basis


def room_for_simplex(n_arms: int) -> Simplex:
    n_pairs = n_arms * (n_arms - 1) // 2
    return Simplex(
        np.zeros((n_pairs, n_pairs)), np.zeros(n_pairs), np.zeros(n_pairs, np.bool_), np.zeros(n_pairs)
    )


@kernel
def find_optimal_plan(wins, losses, candidate, plan, simplex, room):
    """Write the symmetric plan[i, j]; simplex.values are the pairs' prices, positive, and are used up."""
    for row in range(len(simplex.values)):
        for number in range(len(simplex.values)):
            simplex.inverse[row, number] = row == number
    for i in range(len(wins)):
        for j in range(len(wins)):
            plan[i, j] = 0.0
    for _ in range(_MOST_ROUNDS * len(simplex.values)):
        gain = _enter(wins, losses, candidate, plan, simplex.column, room)
        if gain <= _ROUNDING:
            break
        row = _leave(simplex)
        _exchange(simplex, row)
        _raise_plan(plan, simplex.inverse[row], gain)


@kernel
def _enter(wins, losses, candidate, plan, column, room):
    """Mark the column whose condition the plan misses by most; returns by how much.

    It is an overtaking whose sum is below one, or a pair asked for less than nothing.
    """
    found = least_to_overtake(wins, losses, plan, candidate, room)
    gain, lowest, number = 1.0 - found[0], -1, 0
    for i in range(len(wins)):
        for j in range(i):
            column[number] = False
            if -plan[i, j] > gain:
                gain, lowest = -plan[i, j], number
            number += 1
    if lowest >= 0:
        column[lowest] = True
    elif gain > _ROUNDING:
        mark_overtaking(wins, plan, candidate, found, room, column)
    return gain


@kernel
def _leave(simplex):
    """The row of the basis that is the first to reach zero as the column enters."""
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
def _raise_plan(plan, entered, gain):
    """Now the condition that entered just holds."""
    number = 0
    for i in range(len(plan)):
        for j in range(i):
            plan[i, j] += gain * entered[number]
            plan[j, i] = plan[i, j]
            number += 1
