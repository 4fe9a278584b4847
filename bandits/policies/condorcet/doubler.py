"""Doubler: reward a bandit for beating the arms that it chose in the epoch before.

Ailon, Karnin and Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014, Algorithm 1, with UCB
as the bandit. Assumes that every arm has a utility.

Epoch i has 2^i steps. The first arm is drawn from the multiset L of the arms that the bandit played in the
epoch before, and the second arm is the bandit's choice. The bandit has reward 1 if its arm wins, and is reset
after every epoch.

    Algorithm 1                                    here
    L = {an arbitrary arm}, i = 1, reset(S)        init
    x drawn from L                                 _draw_from_multiset
    y = advance(S)                                 _advance
    duel x and y, feedback(S)                      update
    L = the arms y of epoch i, i += 1, reset(S)    _end_epoch
    (not in the paper) most frequent arm of L      recommend

A self-duel has a random outcome and rewards the bandit, so no step can be skipped. Given the same random
numbers, the pairs equal those of the literal twin, tests/naive/policies/doubler.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts import inner_ucb
from rankduel.bandits.parts.inner_ucb import Clock, SbmClock, UcbAlpha, UcbBandits, UcbRoom, ucb_room
from rankduel.bandits.parts.picks import NO_ARM, pick
from rankduel.base.compiling import kernel, record

BANDIT = 0  # index of the only bandit in `ucb`


class Params(NamedTuple):
    alpha: UcbAlpha = 3.0
    sbm_clock: SbmClock = Clock.OWN


class Now(NamedTuple):
    clock: int = 0  # steps played
    epoch: int = 1  # i
    n_played: int = 0  # steps played in this epoch
    self_duel_reward: int = 0  # reward of the bandit if both arms are the same


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    ucb: UcbBandits  # S
    opponents: np.ndarray  # (arms,) int64: how often each arm is in L
    room: UcbRoom


def init(n_arms, params, rng):
    opponents = np.zeros(n_arms, np.int64)
    opponents[int(rng.random() * n_arms)] = 1
    return State(
        now=record(Now()),
        ucb=inner_ucb.new_bandits(1, n_arms),
        opponents=opponents,
        room=ucb_room(n_arms),
    )


@kernel
def select(state, params, rng):
    now = state.now[0]
    first = _draw_from_multiset(state.opponents, 1 << (now.epoch - 1), rng)
    second = _advance(state, params, rng)
    if first == second:
        now.self_duel_reward = pick(2, rng)
    return first, second


@kernel
def update(state, params, first, second, first_won):
    now = state.now[0]
    reward = now.self_duel_reward if first == second else 1 - int(first_won)
    inner_ucb.feedback(state.ucb, BANDIT, second, reward)
    now.clock += 1
    now.n_played += 1
    if now.n_played == 1 << now.epoch:
        _end_epoch(state)


@kernel
def recommend(state, params):
    return state.opponents.argmax()


@kernel
def _draw_from_multiset(counts, total, rng):
    """Return an arm with probability counts[arm] / total."""
    left = pick(total, rng)
    for arm in range(len(counts)):
        if left < counts[arm]:
            return arm
        left -= counts[arm]
    return NO_ARM


@kernel
def _advance(state, params, rng):
    """Return the arm that the bandit plays."""
    now = state.now[0]
    time = (now.n_played if params.sbm_clock == Clock.OWN else now.clock) + 1
    return inner_ucb.advance(state.ucb, state.room, BANDIT, params.alpha, time, rng)


@kernel
def _end_epoch(state):
    """Replace L by the arms that the bandit played in this epoch, and reset the bandit."""
    now = state.now[0]
    for arm in range(len(state.opponents)):
        state.opponents[arm] = state.ucb.plays[BANDIT, arm]
    inner_ucb.reset(state.ucb, BANDIT)
    now.epoch += 1
    now.n_played = 0


POLICY = policy_of(
    __name__,
    source="Ailon, Karnin, Joachims 2014 (ICML), Algorithm 1",
    assumes="utilities",
    variants={"paper": {}, "ucb1": {"alpha": 2.0}},
)
