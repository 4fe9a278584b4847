"""Sparring: let two ordinary bandits choose the two arms, and reward the bandit of the winner.

Ailon, Karnin and Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014, Algorithm 3. Assumes
that every arm has a utility; no bound on its regret is proven.

The left bandit chooses the first arm and the right bandit the second. The bandit whose arm wins has reward 1,
the other 0; if both chose the same arm, the outcome is random. The bandits are UCB, Thompson sampling or
EXP3.

    Algorithm 3                                    here
    reset S_L and S_R                              init
    x = advance(S_L), y = advance(S_R)             select (_advance)
    duel x and y; feedback(S_L), feedback(S_R)     update (_feedback)
    (not in the paper) arm of the answer           recommend (_score)

A self-duel rewards one of the bandits, so no step can be skipped. Given the same random numbers, the pairs
with UCB and EXP3 equal those of the literal twin, tests/naive/policies/sparring.py; with Thompson sampling
their distribution does (bandits/parts/thompson/argmax.py).
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts import inner_exp3, inner_ucb
from rankduel.bandits.parts.inner_exp3 import Exp3Bandits
from rankduel.bandits.parts.inner_ucb import UcbAlpha, UcbBandits, UcbRoom, ucb_room
from rankduel.bandits.parts.picks import pick
from rankduel.bandits.parts.thompson.argmax import (
    Posteriors,
    PosteriorsRoom,
    draw_best,
    flat_posteriors,
    posteriors_room,
    record_outcome,
)
from rankduel.base.compiling import inlined, kernel, record
from rankduel.base.settings import Setting

LEFT, RIGHT = range(2)  # the bandits


class Inner(IntEnum):
    """The algorithm of the two bandits."""

    UCB = 0
    THOMPSON = 1
    EXP3 = 2


class Schedule(IntEnum):
    """The number of steps that EXP3's share of uniform draws is for."""

    FIXED = 0
    ANYTIME = 1


class Params(NamedTuple):
    inner: Annotated[Inner, Setting("algorithm of the two bandits")] = Inner.UCB
    alpha: UcbAlpha = 3.0
    schedule: Annotated[
        Schedule, Setting("share of uniform draws in EXP3: for the horizon, or for the steps so far")
    ] = Schedule.FIXED
    horizon: Annotated[
        int, Setting("number of steps that EXP3 is tuned for; 0: those of the run", at_least=0)
    ] = 0


class Now(NamedTuple):
    clock: int = 0  # steps played
    self_duel_reward: int = 0  # reward of the left bandit if both chose the same arm


class Room(NamedTuple):
    ucb: UcbRoom
    thompson: PosteriorsRoom


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    ucb: UcbBandits  # this and the next two: only the field named by params.inner is used
    thompson: Posteriors
    exp3: Exp3Bandits
    plays: np.ndarray  # (arms,) int64, of both bandits
    gains: np.ndarray  # (arms,) int64: rewards, of both bandits
    room: Room


def needs_horizon(params):
    return params.inner == Inner.EXP3 and params.schedule == Schedule.FIXED


def init(n_arms, params, rng):
    return State(
        now=record(Now()),
        ucb=inner_ucb.new_bandits(2, n_arms),
        thompson=flat_posteriors(2, n_arms),
        exp3=inner_exp3.new_bandits(2, n_arms),
        plays=np.zeros(n_arms, np.int64),
        gains=np.zeros(n_arms, np.int64),
        room=Room(ucb_room(n_arms), posteriors_room()),
    )


@kernel
def select(state, params, rng):
    first = _advance(state, params, LEFT, rng)
    second = _advance(state, params, RIGHT, rng)
    if first == second:
        state.now[0].self_duel_reward = pick(2, rng)
    return first, second


@kernel
def update(state, params, first, second, first_won):
    now = state.now[0]
    now.clock += 1
    reward = now.self_duel_reward if first == second else int(first_won)
    _feedback(state, params, LEFT, first, reward)
    _feedback(state, params, RIGHT, second, 1 - reward)


@kernel
def recommend(state, params):
    """Return the arm with the largest score; the first if tied."""
    best, highest = 0, -1.0
    for arm in range(len(state.plays)):
        score = _score(state, params, arm)
        if score > highest:
            best, highest = arm, score
    return best


@inlined
def _advance(state, params, side, rng):
    """Return the arm that the bandit of this side plays."""
    t = state.now[0].clock + 1
    if params.inner == Inner.UCB:
        return inner_ucb.advance(state.ucb, state.room.ucb, side, params.alpha, t, rng)
    if params.inner == Inner.THOMPSON:
        return draw_best(state.thompson, state.room.thompson, side, rng)
    n_steps = params.horizon if params.schedule == Schedule.FIXED else t
    gamma = inner_exp3.exploration_rate(len(state.plays), n_steps)
    return inner_exp3.advance(state.exp3, side, gamma, rng)


@inlined
def _feedback(state, params, side, arm, reward):
    """Reward the bandit of this side for the arm it played."""
    state.plays[arm] += 1
    state.gains[arm] += reward
    if params.inner == Inner.UCB:
        inner_ucb.feedback(state.ucb, side, arm, reward)
    elif params.inner == Inner.THOMPSON:
        record_outcome(state.thompson, state.room.thompson, side, arm, float(reward), 1.0 - reward)
    else:
        inner_exp3.feedback(state.exp3, side, arm, reward)


@kernel
def _score(state, params, arm):
    """Return the mean reward of the arm, -1 without plays; with EXP3 the sum of its shares of the weights."""
    if params.inner == Inner.EXP3:
        exp3 = state.exp3
        return inner_exp3.weight_share(exp3, LEFT, arm) + inner_exp3.weight_share(exp3, RIGHT, arm)
    return state.gains[arm] / state.plays[arm] if state.plays[arm] > 0 else -1.0


POLICY = policy_of(
    __name__,
    source="Ailon, Karnin, Joachims 2014 (ICML), Algorithm 3",
    assumes="utilities; no proven bound",
    variants={"paper": {}, "ucb1": {"alpha": 2.0}, "ts": {"inner": "thompson"}, "exp3": {"inner": "exp3"}},
)
