"""MultiSBM: let the bandit of each arm search for the arm that beats it most.

Ailon, Karnin and Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014, Algorithm 2, with UCB
as the bandits (singleton bandit machines, SBM). Assumes that every arm has a utility.

The first arm of a duel is the second arm of the duel before. The bandit of the first arm chooses the second
arm, and has reward 1 if that arm wins.

    Algorithm 2                                    here
    reset all S_x, y_0 arbitrary                   init
    x_t = y_(t-1), y_t = advance(S_x)              select
    duel x_t and y_t, feedback(S_x)                update
    (not in the paper) most frequent arm y         recommend

A self-duel has a random outcome and rewards the bandit, so no step can be skipped. Given the same random
numbers, the pairs equal those of the literal twin, tests/naive/policies/multi_sbm.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts import inner_ucb
from rankduel.bandits.parts.inner_ucb import Clock, SbmClock, UcbAlpha, UcbBandits, UcbRoom, ucb_room
from rankduel.bandits.parts.picks import pick
from rankduel.base.compiling import kernel, record


class Params(NamedTuple):
    alpha: UcbAlpha = 3.0
    sbm_clock: SbmClock = Clock.OWN


class Now(NamedTuple):
    clock: int = 0  # steps played
    first: int = 0  # first arm of the coming step, y of the step before
    self_duel_reward: int = 0  # reward of the bandit if both arms are the same


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    ucb: UcbBandits  # bandit k is that of arm k, S_k
    n_first: np.ndarray  # (arms,) int64: steps with this arm first, which is the time of its bandit
    n_second: np.ndarray  # (arms,) int64: steps with this arm second
    room: UcbRoom


def init(n_arms, params, rng):
    return State(
        now=record(Now(first=int(rng.random() * n_arms))),
        ucb=inner_ucb.new_bandits(n_arms, n_arms),
        n_first=np.zeros(n_arms, np.int64),
        n_second=np.zeros(n_arms, np.int64),
        room=ucb_room(n_arms),
    )


@kernel
def select(state, params, rng):
    now = state.now[0]
    first = now.first
    time = (state.n_first[first] if params.sbm_clock == Clock.OWN else now.clock) + 1
    second = inner_ucb.advance(state.ucb, state.room, first, params.alpha, time, rng)
    if first == second:
        now.self_duel_reward = pick(2, rng)
    return first, second


@kernel
def update(state, params, first, second, first_won):
    now = state.now[0]
    reward = now.self_duel_reward if first == second else 1 - int(first_won)
    inner_ucb.feedback(state.ucb, first, second, reward)
    state.n_first[first] += 1
    state.n_second[second] += 1
    now.clock += 1
    now.first = second


@kernel
def recommend(state, params):
    return state.n_second.argmax()


POLICY = policy_of(
    __name__,
    source="Ailon, Karnin, Joachims 2014 (ICML), Algorithm 2",
    assumes="utilities",
    variants={"paper": {}, "ucb1": {"alpha": 2.0}},
)
