"""MultiSBM: every arm has a bandit of its own that looks for the best answer to it.

Ailon, Karnin and Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014, Algorithm 2, with UCB
inside. The first arm of a duel is the second of the duel before; its bandit chooses the second, and is
rewarded if that wins.

An arm against itself still feeds its bandit, so no step can be skipped; a step costs one pass over the arms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts import inner_ucb
from bandits.parts.inner_ucb import UcbBandits
from bandits.parts.picks import pick
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

OWN, GLOBAL = range(2)  # sbm_clock
CLOCK, FIRST, COIN = range(3)  # entries of State.now


class State(NamedTuple):
    ucb: UcbBandits  # bandit k answers arm k
    starts: np.ndarray  # (arms,) int64: steps with this arm first, which is the time of its bandit
    answers: np.ndarray  # (arms,) int64: steps with this arm second
    now: np.ndarray  # (3,) int64: steps played; the coming first arm; who wins a self-duel


class Params(NamedTuple):
    alpha: float = 3.0
    sbm_clock: str = "own"


def init(n_arms, params, rng):
    return State(
        ucb=inner_ucb.new_bandits(n_arms, n_arms),
        starts=np.zeros(n_arms, np.int64),
        answers=np.zeros(n_arms, np.int64),
        now=np.array([0, int(rng.random() * n_arms), 0]),
    )


@kernel
def select(state, params, rng):
    first = state.now[FIRST]
    time = (state.starts[first] if params.sbm_clock == OWN else state.now[CLOCK]) + 1
    second = inner_ucb.advance(state.ucb, first, params.alpha, time, rng)
    if first == second:
        state.now[COIN] = pick(2, rng)
    return first, second


@kernel
def update(state, first, second, first_won):
    reward = state.now[COIN] if first == second else 1 - int(first_won)
    inner_ucb.feedback(state.ucb, first, second, reward)
    state.starts[first] += 1
    state.answers[second] += 1
    state.now[CLOCK] += 1
    state.now[FIRST] = second


@kernel
def recommend(state):
    return state.answers.argmax()


POLICY = Policy(
    "multi_sbm",
    Params,
    init,
    select,
    update,
    recommend,
    about="Every arm has a bandit that looks for the best answer to it.",
    source="Ailon, Karnin, Joachims 2014 (ICML), Algorithm 2",
    assumes="utilities",
    settings={
        "alpha": Setting("width of UCB's bounds; 2 is UCB1", above=-2),
        "sbm_clock": Setting(
            "the time in UCB's bounds: steps of the bandit since its start, or of the run",
            choices=("own", "global"),
        ),
    },
    variants={"paper": {}, "ucb1": {"alpha": 2.0}},
)
