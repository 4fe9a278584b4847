"""Doubler: an ordinary bandit is rewarded for beating arms it chose itself, one epoch ago.

Ailon, Karnin and Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014, Algorithm 1, with UCB
inside. Epochs double in length. The first arm of a duel is a random one of those the bandit played in the
epoch before, as often as it played them; the second is the bandit's choice. Every epoch the bandit starts
afresh.

An arm against itself still feeds the bandit, so no step can be skipped; a step costs one pass over the arms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts import inner_ucb
from bandits.parts.inner_ucb import UcbBandits
from bandits.parts.picks import NO_ARM, pick
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

OWN, GLOBAL = range(2)  # sbm_clock
CLOCK, EPOCH, PLAYED, COIN = range(4)  # entries of State.now


class State(NamedTuple):
    ucb: UcbBandits  # one bandit
    before: np.ndarray  # (arms,) int64: how often the bandit played each arm in the epoch before
    now: np.ndarray  # (4,) int64: steps played; number of the epoch; steps of it played; who wins a self-duel


class Params(NamedTuple):
    alpha: float = 3.0
    sbm_clock: str = "own"


def init(n_arms, params, rng):
    before = np.zeros(n_arms, np.int64)
    before[int(rng.random() * n_arms)] = 1
    return State(inner_ucb.new_bandits(1, n_arms), before, np.array([0, 1, 0, 0]))


@kernel
def select(state, params, rng):
    now = state.now
    first = _draw_counted(state.before, 1 << (now[EPOCH] - 1), rng)
    time = now[PLAYED] + 1 if params.sbm_clock == OWN else now[CLOCK] + 1
    second = inner_ucb.advance(state.ucb, 0, params.alpha, time, rng)
    if first == second:
        now[COIN] = pick(2, rng)
    return first, second


@kernel
def update(state, first, second, first_won):
    now, ucb = state.now, state.ucb
    inner_ucb.feedback(ucb, 0, second, now[COIN] if first == second else 1 - int(first_won))
    now[CLOCK] += 1
    now[PLAYED] += 1
    if now[PLAYED] == 1 << now[EPOCH]:
        for arm in range(len(state.before)):
            state.before[arm] = ucb.plays[0, arm]
        inner_ucb.reset(ucb, 0)
        now[EPOCH] += 1
        now[PLAYED] = 0


@kernel
def recommend(state):
    return state.before.argmax()


@kernel
def _draw_counted(counts, total, rng):
    """An arm with chance counts[arm] / total."""
    left = pick(total, rng)
    for arm in range(len(counts)):
        if left < counts[arm]:
            return arm
        left -= counts[arm]
    return NO_ARM


POLICY = Policy(
    "doubler",
    Params,
    init,
    select,
    update,
    recommend,
    about="A bandit is rewarded for beating the arms it chose in the epoch before.",
    source="Ailon, Karnin, Joachims 2014 (ICML), Algorithm 1",
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
