"""RMED2: duel each arm that may be the Condorcet winner with the opponent that refutes it most cheaply.

Komiyama, Honda, Kashima and Nakagawa, "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem",
COLT 2015, Algorithm 1 with Algorithm 3. Assumes a Condorcet winner: an arm that beats every other with
probability above 1/2.

The loops are those of RMED1. An arm duels the opponent b* that refutes it at the smallest regret, if that is
clear enough, and otherwise the opponent of RMED1; the regret then grows as slowly as the lower bound. To find
b*, every pair is compared at least alpha ln ln t times, in a sweep over all pairs before each loop.

    Algorithm 1, 3                                                    here
    Initial phase: every pair once                                    find_initial_pair
    L_C = L_R = all arms, L_N = {}                                    init (first_lists)
    before a loop: pairs with N_ij < alpha ln ln t                    _find_pair_to_explore
    loop over the arms l of L_C                                       next_arm
      Algorithm 3: b*, second arm m                                   _choose_opponent
      comparison of l and m, divergences I                            update (record_win)
      remove l from L_R; add the j outside L_R with J_j to L_N        update (record_step)
    L_C = L_R = L_N, L_N = {}                                         update (record_step)

The printed estimate of the regret of a pair has the wrong sign; here it is positive, and at least `floor`.
`idle` is not in the paper: it skips the steps in which the only arm of L_C leads all others, and duels
itself, up to the next sweep. Given the same random numbers, the pairs equal those of the literal twin,
tests/naive/policies/rmed2.py.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
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
from rankduel.bandits.parts.rmed.log_time import log_log, step_when_log_log_exceeds
from rankduel.bandits.parts.rmed.opponents import RegretFloor, cheapest_opponent, rmed2_opponent
from rankduel.bandits.parts.rmed.pair_sweep import PairSweep, find_initial_pair, find_pair_below
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting


class Params(NamedTuple):
    f_scale: FScale = 0.3
    f_power: FPower = 1.01
    alpha: Annotated[
        float, Setting("every pair is compared at least alpha ln ln t times", above=0, at_most=1e6)
    ] = 3.0
    floor: RegretFloor = 0.01
    j_after: JAfter = False


class State(NamedTuple):
    sweep: np.recarray  # (1,), fields of PairSweep
    lists: Lists
    divergences: Divergences
    room: DivergencesRoom


def init(n_arms, params, rng):
    return State(
        sweep=record(PairSweep()),
        lists=first_lists(n_arms, params.f_scale, params.f_power, rng),
        divergences=no_divergences(n_arms),
        room=divergences_room(n_arms),
    )


@kernel
def select(state, params, rng):
    sweep, log_log_t = state.sweep[0], log_log(state.lists.now[0].clock + 1)
    if _find_pair_to_explore(state, params, log_log_t):
        return sweep.first, sweep.second
    arm = next_arm(state.lists)
    return arm, _choose_opponent(state, params, arm, log_log_t)


@kernel
def update(state, params, first, second, first_won):
    winner, loser = (first, second) if first_won else (second, first)
    record_step(state.lists, state.divergences, params.j_after, winner, loser)


@kernel
def idle(state, params, limit, self_duels, rng):
    next_sweep = step_when_log_log_exceeds(state.sweep[0].fewest, params.alpha)
    return skip_self_duels(state.lists, state.divergences, next_sweep, limit, self_duels)


@kernel
def recommend(state, params):
    return likeliest_winner(state.divergences, state.room)


@kernel
def _find_pair_to_explore(state, params, log_log_t):
    """Advance the sweep to the next pair that needs a duel before the next loop; return whether any does."""
    sweep, wins = state.sweep[0], state.divergences.wins
    if find_initial_pair(sweep, wins, 1):
        return True
    return not state.lists.now[0].loop_begun and find_pair_below(sweep, wins, params.alpha * log_log_t)


@kernel
def _choose_opponent(state, params, arm, log_log_t):
    """Algorithm 3: return the second arm m for l = `arm`, with b* estimated from the duels so far."""
    cheapest = cheapest_opponent(state.divergences, arm, params.floor)
    return rmed2_opponent(state.divergences, arm, cheapest, log_log_t)


POLICY = policy_of(
    __name__,
    source="Komiyama, Honda, Kashima, Nakagawa 2015 (COLT), Algorithms 1 and 3",
    assumes="Condorcet winner",
    variants={"paper": {"floor": -1.0}, "published": {}},
)
