"""Sparring: two ordinary bandits choose the two arms, and the winner's bandit is rewarded.

Ailon, Karnin and Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014, Algorithm 3 (without a
known bound on its regret). The bandits are UCB, Thompson sampling or EXP3.

An arm against itself still rewards one of the two, so no step can be skipped. UCB keeps what its indices are
made of, EXP3 its sums, and of Thompson's draws only the largest is drawn (bandits/parts/thompson/argmax.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts import inner_exp3, inner_ucb
from bandits.parts.inner_exp3 import Exp3Bandits
from bandits.parts.inner_ucb import UcbBandits
from bandits.parts.picks import pick
from bandits.parts.thompson.argmax import Posteriors, draw_best, flat_posteriors, learn
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

UCB, THOMPSON, EXP3 = range(3)  # inner
FIXED, ANYTIME = range(2)  # schedule
CLOCK, COIN, INNER = range(3)  # entries of State.now


class State(NamedTuple):
    ucb: UcbBandits  # of the three kinds one is in use; the first bandit chooses the first arm
    thompson: Posteriors
    exp3: Exp3Bandits
    plays: np.ndarray  # (arms,) int64, on either side
    gains: np.ndarray  # (arms,) int64
    pair: np.ndarray  # (2,) int64: the arms chosen last
    now: np.ndarray  # (3,) int64: steps played; who wins a self-duel; inner


class Params(NamedTuple):
    inner: str = "ucb"
    alpha: float = 3.0
    schedule: str = "fixed"
    horizon: int = 0


def init(n_arms, params, rng):
    return State(
        ucb=inner_ucb.new_bandits(2, n_arms),
        thompson=flat_posteriors(2, n_arms),
        exp3=inner_exp3.new_bandits(2, n_arms),
        plays=np.zeros(n_arms, np.int64),
        gains=np.zeros(n_arms, np.int64),
        pair=np.zeros(2, np.int64),
        now=np.array([0, 0, params.inner]),
    )


@kernel
def select(state, params, rng):
    t = state.now[CLOCK] + 1
    for side in range(2):
        if params.inner == UCB:
            state.pair[side] = inner_ucb.advance(state.ucb, side, params.alpha, t, rng)
        elif params.inner == THOMPSON:
            state.pair[side] = draw_best(state.thompson, side, rng)
        else:
            gamma = inner_exp3.exploring(len(state.plays), params.horizon if params.schedule == FIXED else t)
            state.pair[side] = inner_exp3.advance(state.exp3, side, gamma, rng)
    if state.pair[0] == state.pair[1]:
        state.now[COIN] = pick(2, rng)
    return state.pair[0], state.pair[1]


@kernel
def update(state, first, second, first_won):
    state.now[CLOCK] += 1
    first_reward = state.now[COIN] if first == second else int(first_won)
    for side in range(2):
        arm, reward = (first, first_reward) if side == 0 else (second, 1 - first_reward)
        state.plays[arm] += 1
        state.gains[arm] += reward
        if state.now[INNER] == UCB:
            inner_ucb.feedback(state.ucb, side, arm, reward)
        elif state.now[INNER] == THOMPSON:
            learn(state.thompson, side, arm, float(reward), 1.0 - reward)
        else:
            inner_exp3.feedback(state.exp3, side, arm, reward)


@kernel
def recommend(state):
    best, highest = 0, -1.0
    for arm in range(len(state.plays)):
        if state.now[INNER] == EXP3:
            score = inner_exp3.share(state.exp3, 0, arm) + inner_exp3.share(state.exp3, 1, arm)
        else:
            score = state.gains[arm] / state.plays[arm] if state.plays[arm] > 0 else -1.0
        if score > highest:
            best, highest = arm, score
    return best


POLICY = Policy(
    "sparring",
    Params,
    init,
    select,
    update,
    recommend,
    about="Two ordinary bandits choose the two arms; the winner's bandit is rewarded.",
    source="Ailon, Karnin, Joachims 2014 (ICML), Algorithm 3",
    assumes="utilities; no proven bound",
    settings={
        "inner": Setting("the two bandits", choices=("ucb", "thompson", "exp3")),
        "alpha": Setting("width of UCB's bounds; 2 is UCB1", above=-2),
        "schedule": Setting(
            "EXP3's share of uniform draws: by the horizon, or by the steps so far",
            choices=("fixed", "anytime"),
        ),
        "horizon": Setting("steps EXP3 is tuned for; 0: those of the run", at_least=0),
    },
    variants={"paper": {}, "ucb1": {"alpha": 2.0}, "ts": {"inner": "thompson"}, "exp3": {"inner": "exp3"}},
    horizon_when=lambda params: params.inner == "exp3" and params.schedule == "fixed",
)
