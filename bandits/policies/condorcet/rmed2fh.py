"""RMED2FH: RMED2 for a fixed horizon, with the cheapest opponent of each arm chosen once, early.

Komiyama, Honda, Kashima and Nakagawa, "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem",
COLT 2015, Algorithm 1 with Algorithm 3. Assumes a Condorcet winner: an arm that beats every other with
probability above 1/2.

Every pair is compared ceil(alpha ln ln T) times. The opponent b* that refutes an arm at the smallest regret
is estimated from these duels, and kept. The loops are those of RMED1, where an arm duels b* as long as it
does not lead b*, if i* has duelled the arm often enough, and otherwise the opponent of RMED1.

    Algorithm 1, 3                                                    here
    Initial phase: every pair ceil(alpha ln ln T) times               find_initial_pair
    b* of every arm                                                   _fix_cheapest_opponents
    L_C = L_R = all arms, L_N = {}                                    init (first_lists)
    loop over the arms l of L_C                                       next_arm
      Algorithm 3: second arm m                                       rmed2_opponent
      comparison of l and m, divergences I                            update (record_win)
      remove l from L_R; add the j outside L_R with J_j to L_N        update (record_step)
    L_C = L_R = L_N, L_N = {}                                         update (record_step)

The printed estimate of the regret of a pair has the wrong sign; here it is positive, and at least `floor`.
`idle` is not in the paper: it skips the steps in which the only arm of L_C leads all others, and duels
itself. Given the same random numbers, the pairs equal those of the literal twin,
tests/naive/policies/rmed2fh.py.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.bounds import NEVER
from rankduel.bandits.parts.rmed.candidate_lists import (
    FPower,
    FScale,
    JAfter,
    Lists,
    first_lists,
    next_arm,
    record_step,
    skip_self_duels,
)
from rankduel.bandits.parts.rmed.divergence import (
    Divergences,
    DivergencesRoom,
    divergences_room,
    likeliest_winner,
    no_divergences,
)
from rankduel.bandits.parts.rmed.log_time import log_log
from rankduel.bandits.parts.rmed.opponents import RegretFloor, cheapest_opponent, rmed2_opponent
from rankduel.bandits.parts.rmed.pair_sweep import PairSweep, find_initial_pair
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

UNDECIDED = -2


class Params(NamedTuple):
    f_scale: FScale = 0.3
    f_power: FPower = 1.01
    alpha: Annotated[
        float, Setting("every pair is first compared ceil(alpha ln ln T) times", above=0, at_most=1e6)
    ] = 3.0
    floor: RegretFloor = 0.01
    j_after: JAfter = False
    horizon: Annotated[int, Setting("number of steps T; 0: those of the run", at_least=0)] = 0


class State(NamedTuple):
    sweep: np.recarray  # (1,), fields of PairSweep
    lists: Lists
    divergences: Divergences
    cheapest: np.ndarray  # (arms,) int64: b* of each arm, NO_ARM if it has none; UNDECIDED at first
    room: DivergencesRoom


def init(n_arms, params, rng):
    return State(
        sweep=record(PairSweep()),
        lists=first_lists(n_arms, params.f_scale, params.f_power, rng),
        divergences=no_divergences(n_arms),
        cheapest=np.full(n_arms, UNDECIDED),
        room=divergences_room(n_arms),
    )


@kernel
def select(state, params, rng):
    sweep, log_log_horizon = state.sweep[0], log_log(params.horizon)
    times = max(1, math.ceil(params.alpha * log_log_horizon))
    if find_initial_pair(sweep, state.divergences.wins, times):
        return sweep.first, sweep.second
    if state.cheapest[0] == UNDECIDED:
        _fix_cheapest_opponents(state, params)
    arm = next_arm(state.lists)
    return arm, rmed2_opponent(state.divergences, arm, state.cheapest[arm], log_log_horizon)


@kernel
def update(state, params, first, second, first_won):
    winner, loser = (first, second) if first_won else (second, first)
    record_step(state.lists, state.divergences, params.j_after, winner, loser)


@kernel
def idle(state, params, limit, self_duels, rng):
    return skip_self_duels(state.lists, state.divergences, NEVER, limit, self_duels)


@kernel
def recommend(state, params):
    return likeliest_winner(state.divergences, state.room)


@kernel
def _fix_cheapest_opponents(state, params):
    for arm in range(len(state.cheapest)):
        state.cheapest[arm] = cheapest_opponent(state.divergences, arm, params.floor)


POLICY = policy_of(
    __name__,
    source="Komiyama, Honda, Kashima, Nakagawa 2015 (COLT), Algorithms 1 and 3",
    assumes="Condorcet winner",
    variants={"paper": {"floor": -1.0}, "published": {}},
)
