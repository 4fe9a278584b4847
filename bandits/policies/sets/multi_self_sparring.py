"""Self-sparring with m arms: one Thompson sampler is asked m times, and all it names share a page.

Sui, Zhuang, Burdick and Yue, "Multi-dueling Bandits with Dependent Arms", UAI 2017, Algorithm 2 (independent
arms). bandits/policies/condorcet/self_sparring.py is the case of two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.thompson.argmax import Posteriors, best_mean, draw_best, flat_posteriors, learn
from bandits.policies.condorcet.self_sparring import COIN
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

ALL_PAIRS, WINNER_ONLY = range(2)  # feedback


class State(NamedTuple):
    posteriors: Posteriors
    rates: (
        np.ndarray
    )  # (2,) float64: what a duel of two arms adds to a count, and what one of two copies adds
    copies: np.ndarray  # (arms,) int64: how often each was named in this step
    feedback: np.ndarray  # (1,) int64


class Params(NamedTuple):
    m: int = 4
    eta: float = 1.0
    self_feedback: str = "coin"
    feedback: str = "all_pairs"


def init(n_arms, params, rng):
    on_itself = params.eta if params.self_feedback == COIN else 0.0
    return State(
        posteriors=flat_posteriors(1, n_arms),
        rates=np.array([params.eta, on_itself]),
        copies=np.zeros(n_arms, np.int64),
        feedback=np.array([params.feedback]),
    )


@kernel
def select(state, params, arms, copies, rng):
    n = 0
    for arm in range(len(state.copies)):
        state.copies[arm] = 0
    for _ in range(params.m):
        arm = draw_best(state.posteriors, 0, rng)
        if state.copies[arm] == 0:
            arms[n] = arm
            n += 1
        state.copies[arm] += 1
    for place in range(n):
        copies[place] = state.copies[arms[place]]
    return n


@kernel
def update(state, arms, n, won):
    if state.feedback[0] == WINNER_ONLY and n > 1:
        _learn_from_the_winner(state, arms, n, won)
        return
    for x in range(n):
        n_won, n_lost = 0, 0
        for y in range(n):
            if x != y:
                n_won += won[x, y]
                n_lost += won[y, x]
        same = state.copies[arms[x]] * (state.copies[arms[x]] - 1) // 2  # duels of two copies: both counts
        gained = same * state.rates[1]
        learn(state.posteriors, 0, arms[x], n_won * state.rates[0] + gained, n_lost * state.rates[0] + gained)


@kernel
def _learn_from_the_winner(state, arms, n, won):
    """Who won most of its duels beat all others, as the program of Li et al. has it; the rest is not used."""
    best, most = 0, -1
    for x in range(n):
        n_won = 0
        for y in range(n):
            n_won += won[x, y] > won[y, x] if x != y else 0
        if n_won > most:
            best, most = x, n_won
    for x in range(n):
        if x == best:
            learn(state.posteriors, 0, arms[x], (n - 1) * state.rates[0], 0.0)
        else:
            learn(state.posteriors, 0, arms[x], 0.0, state.rates[0])


@kernel
def recommend(state):
    return best_mean(state.posteriors.counts[0])


POLICY = Policy(
    "multi_self_sparring",
    Params,
    init,
    select,
    update,
    recommend,
    sets=True,
    about="One Thompson sampler, asked m times, names the arms that share a page.",
    source="Sui, Zhuang, Burdick, Yue 2017 (UAI), Algorithm 2",
    assumes="approximate linearity (a Condorcet winner that also wins most against random opponents)",
    settings={
        "m": Setting("arms drawn for a page; the same one may come several times", at_least=2),
        "eta": Setting("learning rate: what a win or a loss adds to a count", above=0),
        "self_feedback": Setting(
            "two copies of an arm count as one win and one loss (coin), or for nothing (none)",
            choices=("coin", "none"),
        ),
        "feedback": Setting(
            "learn from every pair of a page, or that the best of it beat all others",
            choices=("all_pairs", "winner_only"),
        ),
    },
    variants={"paper": {}, "chang-li": {"feedback": "winner_only"}},
)
