"""RMED1: duel each arm that may be the Condorcet winner with the likeliest Condorcet winner, in loops.

Komiyama, Honda, Kashima and Nakagawa, "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem",
COLT 2015, Algorithm 1 with Algorithm 2. Assumes a Condorcet winner: an arm that beats every other with
probability above 1/2.

The empirical divergence I_i measures how strongly the duels contradict that arm i is the Condorcet winner. A
loop goes through the arms whose divergence is within ln t + f(K) of the smallest. Each of them duels the arm
i* with the smallest divergence; if it trails other arms but not i*, the arm against which its win rate is
lowest.

    Algorithm 1, 2                                                    here
    Initial phase: every pair once                                    find_initial_pair
    L_C = L_R = all arms, L_N = {}                                    init (first_lists)
    loop over the arms l of L_C                                       next_arm
      Algorithm 2: second arm m                                       _choose_opponent
      comparison of l and m, divergences I                            update (record_win)
      remove l from L_R; add the j outside L_R with J_j to L_N        update (record_step)
    L_C = L_R = L_N, L_N = {}                                         update (record_step)

The variant `chang-li` is the baseline of Li et al. 2020 (MergeDTS) in their public code, which differs from
this paper in its opponent: always the arm against which the win rate of l is lowest.

`idle` is not in the paper: it skips the steps in which the only arm of L_C leads all others, and duels
itself. Given the same random numbers, the pairs equal those of the literal twin,
tests/naive/policies/rmed1.py.
"""

from __future__ import annotations

from enum import IntEnum
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
    shuffle_loop,
    skip_self_duels,
)
from rankduel.bandits.parts.rmed.divergence import (
    Divergences,
    DivergencesRoom,
    divergences_room,
    likeliest_winner,
    no_divergences,
)
from rankduel.bandits.parts.rmed.opponents import draw_as_hard, rmed1_opponent
from rankduel.bandits.parts.rmed.pair_sweep import PairSweep, find_initial_pair
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting


class Competitor(IntEnum):
    """Opponent preferred by Algorithm 2 among the arms that an arm trails."""

    LIKELIEST = 0
    HARDEST = 1


class Params(NamedTuple):
    f_scale: FScale = 0.3
    f_power: FPower = 1.01
    j_after: JAfter = False
    competitor: Annotated[
        Competitor, Setting("opponent: i* if the arm trails i*, or always the arm of its lowest win rate")
    ] = Competitor.LIKELIEST
    random_order: Annotated[
        bool, Setting("random order of the arms in every loop, and random choice among equal win rates")
    ] = False


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
    sweep = state.sweep[0]
    if find_initial_pair(sweep, state.divergences.wins, 1):
        return sweep.first, sweep.second
    if params.random_order:
        shuffle_loop(state.lists, rng)
    arm = next_arm(state.lists)
    return arm, _choose_opponent(state, params, arm, rng)


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
def _choose_opponent(state, params, arm, rng):
    """Algorithm 2: return the second arm m for l = `arm`; i* is not preferred if the setting is HARDEST."""
    rate = state.divergences.rate
    likeliest = params.competitor == Competitor.LIKELIEST
    preferred = state.divergences.now[0].i_star if likeliest else arm
    opponent = rmed1_opponent(rate, arm, preferred)
    if params.random_order and opponent != preferred:
        return draw_as_hard(rate, arm, opponent, rng)
    return opponent


POLICY = policy_of(
    __name__,
    source="Komiyama, Honda, Kashima, Nakagawa 2015 (COLT), Algorithms 1 and 2",
    assumes="Condorcet winner",
    variants={
        "paper": {},
        # The public code of Li et al. 2020 (MergeDTS): an arm never prefers i*, J is evaluated after the
        # duel, and ties and loops are in random order. Its ln t does not count the duel of the turn.
        "chang-li": {"competitor": "hardest", "j_after": True, "random_order": True},
    },
)
