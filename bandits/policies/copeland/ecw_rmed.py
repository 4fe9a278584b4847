"""ECW-RMED: duel the pairs that have less evidence than a plan of small regret, found by sorting.

Komiyama, Honda and Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
Computationally Efficient Algorithm", ICML 2016, Algorithm 1 with the efficient lower bound. Assumes that no
pair has p_ij = 1/2.

It is CW-RMED with another plan q*. The plan confirms every pair that a candidate wins, and that no rival can
have one loss less than the candidate. For the latter the h cheapest superiors of the rival share the
evidence, with the h of least regret. Such plans need not be optimal, but take no linear program.

    Algorithm 1                                                       here
    L_C = L_R = all pairs i > j, L_N = {}                             init (first_lists)
    forced exploration, then the pairs of L_C                         select (next_pair)
    comparison, divergences                                           update (record_duel)
    {N_ij / ln t} in R_i1 for a candidate i1: NC = {(i1, i1)}         needs_plan, end_step
    otherwise q* of least regret                                      plan_by_sorting, keep_cheaper_plan
    NC = pairs with q*_ij > N_ij / ln t, and (i*, i*)                 end_step
    remove the pair from L_R; add NC without L_R to L_N               end_step
    L_C = L_R = L_N, L_N = {}                                         end_step

All but `plan_by_sorting` is in bandits/parts/rmed/necessary_duels.py, which CW-RMED shares. `idle` is not in
the paper: it skips the steps in which L_C is an arm against itself. The pairs equal those of the literal
twin, tests/naive/policies/ecw_rmed.py.
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
from rankduel.bandits.parts.rmed.overtaking import SUPERIORS, sort_opponents
from rankduel.base.compiling import kernel


class Params(NamedTuple):
    alpha: ExplorationAlpha = 3.0
    beta: ExplorationBeta = 0.01
    sweep: Sweep = SweepMode.ONCE


class Room(NamedTuple):
    planning: PlanRoom
    prices: np.ndarray  # (arms, arms) float64: regret per unit of evidence of arm i and each superior


class State(NamedTuple):
    now: np.recarray  # (1,), fields of necessary_duels.Now
    counts: Counts
    lists: PairLists
    levels: Levels
    room: Room


def init(n_arms, params, rng):
    return State(
        now=first_now(n_arms),
        counts=no_counts(n_arms),
        lists=first_lists(n_arms),
        levels=no_levels(n_arms),
        room=Room(planning=plan_room(n_arms), prices=np.zeros((n_arms, n_arms))),
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
                plan_by_sorting(state, arm)
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
def plan_by_sorting(state, candidate):
    """Write a plan that confirms this candidate: evidence per pair, in units of ln t."""
    wins, plan = state.counts.wins, state.room.planning.plan
    for i in range(len(wins)):
        for j in range(len(wins)):
            plan[i, j] = 0.0
    for other in range(len(wins)):
        if wins[candidate, other] > wins[other, candidate]:
            plan[candidate, other] = plan[other, candidate] = 1.0
    for rival in range(len(wins)):
        if rival != candidate:
            _share_among_superiors(state, candidate, rival)


@kernel
def _share_among_superiors(state, candidate, rival):
    """Plan for superiors of the rival, so that it cannot have one loss less than the candidate."""
    wins, losses, prices = state.counts.wins, state.counts.losses, state.room.prices
    plan, superiors = state.room.planning.plan, state.room.planning.opponents.superiors
    for other in range(len(wins)):
        if wins[rival, other] < wins[other, rival]:
            prices[rival, other] = regret_per_evidence(state, rival, other, 0.0)
    n_superiors = sort_opponents(wins, prices, rival, candidate, SUPERIORS, superiors)
    k = n_superiors - (losses[rival] - losses[candidate] + 1)  # number of superiors that need no evidence
    if k < 0:
        return
    h = _cheapest_number(prices[rival], superiors, n_superiors, k)
    for superior in superiors[:h]:
        plan[rival, superior] = plan[superior, rival] = 1.0 / (h - k)


@kernel
def _cheapest_number(prices, superiors, n_superiors, k):
    """Return the number h > k of superiors, cheapest first, with the smallest sum of prices over h - k."""
    best, least, total = 0, math.inf, 0.0
    for h in range(1, n_superiors + 1):
        total += prices[superiors[h - 1]]
        if h > k and total / (h - k) < least:
            best, least = h, total / (h - k)
    return best


POLICY = policy_of(
    __name__,
    source="Komiyama, Honda, Nakagawa 2016 (ICML), Algorithm 1, ECW-RMED",
    assumes="no two arms are even",
    variants={"paper": {}},
)
