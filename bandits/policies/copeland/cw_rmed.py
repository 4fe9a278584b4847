"""CW-RMED: duel the pairs that have less evidence than the plan of least regret; up to 16 arms.

Komiyama, Honda and Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
Computationally Efficient Algorithm", ICML 2016, Algorithm 1. Assumes that no pair has p_ij = 1/2.

A candidate, an arm with the fewest losses, duels itself as long as the evidence suffices that it is a
Copeland winner. If it does not, the pairs are duelled whose evidence is below the optimal plan q*, so that
the regret approaches the lower bound. The plan is the solution of a linear program, which is solved after
each duel that changes it.

    Algorithm 1                                                       here
    L_C = L_R = all pairs i > j, L_N = {}                             init (first_lists)
    forced exploration, then the pairs of L_C                         select (next_pair)
    comparison, divergences                                           update (record_duel)
    {N_ij / ln t} in R_i1 for a candidate i1: NC = {(i1, i1)}         needs_plan, end_step
    otherwise q* of least regret                                      _plan_by_program, keep_cheaper_plan
    NC = pairs with q*_ij > N_ij / ln t, and (i*, i*)                 end_step
    remove the pair from L_R; add NC without L_R to L_N               end_step
    L_C = L_R = L_N, L_N = {}                                         end_step

The functions without underscore are in bandits/parts/rmed/necessary_duels.py, which ECW-RMED shares. Of
several plans of least regret, one with few duels is taken. `idle` is not in the paper: it skips the steps in
which L_C is an arm against itself. The pairs equal those of the literal twin,
tests/naive/policies/cw_rmed.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.rmed.necessary_duels import (
    Counts,
    ExplorationAlpha,
    ExplorationBeta,
    Levels,
    PairLists,
    PlanRoom,
    Sweep,
    SweepMode,
    best_candidate,
    end_step,
    first_lists,
    first_now,
    is_candidate,
    keep_cheaper_plan,
    mark_fewest_losses,
    needs_plan,
    next_pair,
    no_counts,
    no_levels,
    plan_room,
    record_duel,
    regret_per_evidence,
    skip_self_duels,
)
from rankduel.bandits.parts.rmed.overtaking import least_to_overtake, mark_overtaking
from rankduel.base.compiling import kernel
from rankduel.base.errors import PolicyError

MOST_ARMS = 16

# A multiple of this, between 1 and 2 and different for each pair, is added to the regret of a duel. Then no
# two plans have the same regret: there is one optimal plan, and the simplex method does not cycle.
_TIE_BREAK = 1e-6
_GOLDEN = 0.6180339887498949


_ROUNDING = 1e-9
_MOST_EXCHANGES = 100  # per pair; about five are enough, but rounding errors might cause a cycle


class SimplexRoom(NamedTuple):
    """Workspace; the pairs i > j are numbered in lexicographic order."""

    inverse: np.ndarray  # (pairs, pairs) float64: inverse of the basis
    values: np.ndarray  # (pairs,) float64: of the basic variables; at first, the prices of the pairs
    column: np.ndarray  # (pairs,) bool: the entering column, of zeros and ones
    change: np.ndarray  # (pairs,) float64: the entering column in terms of the basis


class Params(NamedTuple):
    alpha: ExplorationAlpha = 3.0
    beta: ExplorationBeta = 0.01
    sweep: Sweep = SweepMode.ONCE


class Room(NamedTuple):
    planning: PlanRoom
    simplex: SimplexRoom


class State(NamedTuple):
    now: np.recarray  # (1,), fields of necessary_duels.Now
    counts: Counts
    lists: PairLists
    levels: Levels
    room: Room


def init(n_arms, params, rng):
    if n_arms > MOST_ARMS:
        raise PolicyError(
            f"cw_rmed: {n_arms} arms; expected at most {MOST_ARMS}, for which its linear program is solved. "
            "Use ecw_rmed"
        )
    return State(
        now=first_now(n_arms),
        counts=no_counts(n_arms),
        lists=first_lists(n_arms),
        levels=no_levels(n_arms),
        room=Room(planning=plan_room(n_arms), simplex=simplex_room(n_arms)),
    )


@kernel
def select(state, params, rng):
    return next_pair(state, params)


@kernel
def update(state, params, first, second, first_won):
    record_duel(state, first, second, first_won)
    if needs_plan(state):
        for arm in range(len(state.counts.losses)):
            if is_candidate(state, arm):
                _plan_by_program(state, arm)
                keep_cheaper_plan(state, arm)
    end_step(state)


@kernel
def idle(state, params, limit, self_duels, rng):
    return skip_self_duels(state, params, limit, self_duels)


@kernel
def recommend(state, params):
    return best_candidate(state)


@kernel
def answers(state, params, chosen):
    mark_fewest_losses(state.counts.losses, chosen)


@kernel
def _plan_by_program(state, candidate):
    """Write the plan of least regret for this candidate: evidence per pair, in units of ln t."""
    counts, planning, simplex = state.counts, state.room.planning, state.room.simplex
    _set_prices(state, simplex.values)
    find_optimal_plan(counts.wins, counts.losses, candidate, planning.plan, simplex, planning.opponents)


@kernel
def _set_prices(state, prices):
    """Write the regret per unit of evidence of each pair; any number for even pairs, which no plan uses."""
    wins, number = state.counts.wins, 0
    for i in range(len(wins)):
        for j in range(i):
            prices[number] = 1.0
            if wins[i, j] != wins[j, i]:
                multiple = 1.0 + number * _GOLDEN % 1.0
                prices[number] = regret_per_evidence(state, i, j, _TIE_BREAK * multiple)
            number += 1


# ---- The plan of least regret ----
#
# The plan of least regret that confirms a candidate: a linear program, solved by the simplex method.
#
# A plan assigns evidence to each pair, at a price, such that every set of pairs whose reversal lets a rival
# overtake the candidate has at least one unit in sum (bandits/parts/rmed/overtaking.py). These are
# exponentially many constraints on K (K - 1) / 2 variables. In the dual program each constraint is a column,
# and the plan is the vector of simplex multipliers: a column may enter the basis if the plan violates its
# constraint. So the constraints need not be listed: the set with the smallest sum under the current plan
# enters next, until no sum is below one.
#
# The first plan is zero. That no pair needs more than one unit follows from the constraints.


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


POLICY = policy_of(
    __name__,
    source="Komiyama, Honda, Nakagawa 2016 (ICML), Algorithm 1, CW-RMED",
    assumes="no two arms are even",
    variants={"paper": {}},
)
