"""Self-sparring: one Thompson sampler picks both sides of every duel.

Sui, Zhuang, Burdick and Yue, "Multi-dueling Bandits with Dependent Arms", UAI 2017, Algorithm 2 (independent
arms), two per round. Every arm has a single posterior over "wins the duel it is in", whoever the opponent.

Of the K draws on either side only the arm with the largest is needed, and only that is drawn
(bandits/parts/thompson/argmax.py): the law is exact and a step does not cost K random numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.thompson.argmax import Posteriors, best_mean, draw_best, flat_posteriors, learn
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

COIN, NONE = range(2)  # self_feedback


class State(NamedTuple):
    posteriors: Posteriors
    rates: np.ndarray  # (2,) float64: what a real duel adds to a count, and what an arm against itself adds


class Params(NamedTuple):
    eta: float = 1.0
    self_feedback: str = "coin"


def init(n_arms, params, rng):
    on_itself = params.eta if params.self_feedback == COIN else 0.0
    return State(flat_posteriors(1, n_arms), np.array([params.eta, on_itself]))


@kernel
def select(state, params, rng):
    first = draw_best(state.posteriors, 0, rng)
    return first, draw_best(state.posteriors, 0, rng)


@kernel
def update(state, first, second, first_won):
    if first == second:  # whatever the coin, one copy won and one lost
        learn(state.posteriors, 0, first, state.rates[1], state.rates[1])
        return
    winner, loser = (first, second) if first_won else (second, first)
    learn(state.posteriors, 0, winner, state.rates[0], 0.0)
    learn(state.posteriors, 0, loser, 0.0, state.rates[0])


@kernel
def recommend(state):
    return best_mean(state.posteriors.counts[0])


POLICY = Policy(
    "self_sparring",
    Params,
    init,
    select,
    update,
    recommend,
    late=True,
    about="One Thompson sampler picks both arms of every duel.",
    source="Sui, Zhuang, Burdick, Yue 2017 (UAI), Algorithm 2, two arms per round",
    assumes="approximate linearity (a Condorcet winner that also wins most against random opponents)",
    settings={
        "eta": Setting("learning rate: what a win or a loss adds to a count", above=0),
        "self_feedback": Setting(
            "an arm against itself counts as one win and one loss (coin), or for nothing (none)",
            choices=("coin", "none"),
        ),
    },
    variants={"paper": {}},
)
