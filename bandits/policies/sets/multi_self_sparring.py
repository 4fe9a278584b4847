"""Self-sparring with m arms: draw the m arms of a page from one Thompson sampler.

Sui, Zhuang, Burdick and Yue, "Multi-dueling Bandits with Dependent Arms", UAI 2017, Algorithm 2 (independent
arms). Assumes approximate linearity: the Condorcet winner is also the arm that wins most against random
opponents.

Every arm has one Beta posterior of the probability to win a duel, whatever the opponent. Each of the m arms
has the largest of fresh samples from all posteriors, so an arm may be drawn several times. Every pair of the
m is a duel: the winner counts a success and the loser a failure, each of size eta.
bandits/policies/condorcet/self_sparring.py is the case m = 2.

    Algorithm 2                                       here
    S_i = F_i = 0                                     init (Posteriors.counts, S_i + 1 and F_i + 1)
    m times: theta_i ~ Beta(S_i + 1, F_i + 1), arm    select
    of the largest
    all pairs duel; S += eta of the winner,           update (_record_all_pairs)
    F += eta of the loser
    (feedback of Li's library)                        update (_record_winner)
    (not in the paper) arm of the answer              recommend

Only the arm of the largest sample is drawn (bandits/parts/thompson/argmax.py). The distribution of the sets
equals that of the literal twin, tests/naive/policies/multi_self_sparring.py.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import LONGEST_PAGE
from rankduel.bandits.parts.thompson.argmax import (
    Posteriors,
    PosteriorsRoom,
    best_mean,
    draw_best,
    flat_posteriors,
    posteriors_room,
    record_outcome,
)
from rankduel.bandits.parts.thompson.self_sparring import LearningRate, SelfFeedback, self_rate
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

SAMPLER = 0  # index of the only sampler in `posteriors`


class Feedback(IntEnum):
    """The duels of a page that are counted: all pairs, or wins of the best arm over all others."""

    ALL_PAIRS = 0
    WINNER_ONLY = 1


class Params(NamedTuple):
    m: Annotated[
        int, Setting("number of arms drawn for a page, with repetition", at_least=2, at_most=LONGEST_PAGE)
    ] = 4
    eta: LearningRate = 1.0
    self_feedback: Annotated[
        SelfFeedback,
        Setting("two copies of an arm count as one win and one loss (coin), or are not counted (none)"),
    ] = SelfFeedback.COIN
    feedback: Annotated[
        Feedback, Setting("count every pair of a page, or only that the best arm beat all others")
    ] = Feedback.ALL_PAIRS


class State(NamedTuple):
    posteriors: Posteriors
    copies: np.ndarray  # (arms,) int64: how often each arm was drawn in this step
    room: PosteriorsRoom


def init(n_arms, params, rng):
    return State(
        posteriors=flat_posteriors(1, n_arms),
        copies=np.zeros(n_arms, np.int64),
        room=posteriors_room(),
    )


@kernel
def select(state, params, arms, copies, rng):
    n = 0
    state.copies[:] = 0
    for _ in range(params.m):
        arm = draw_best(state.posteriors, state.room, SAMPLER, rng)
        if state.copies[arm] == 0:
            arms[n] = arm
            n += 1
        state.copies[arm] += 1
    for place in range(n):
        copies[place] = state.copies[arms[place]]
    return n


@kernel
def update(state, params, arms, n, won):
    if params.feedback == Feedback.WINNER_ONLY and n > 1:
        _record_winner(state, params, arms, n, won)
    else:
        _record_all_pairs(state, params, arms, n, won)


@kernel
def recommend(state, params):
    return best_mean(state.posteriors.counts[SAMPLER])


@kernel
def _record_all_pairs(state, params, arms, n, won):
    """Record all duels of a page, those of two copies of an arm as one win and one loss."""
    for x in range(n):
        n_won, n_lost = 0, 0
        for y in range(n):
            if x != y:
                n_won += won[x, y]
                n_lost += won[y, x]
        arm = arms[x]
        of_copies = state.copies[arm] * (state.copies[arm] - 1) // 2 * self_rate(params)
        successes, failures = n_won * params.eta + of_copies, n_lost * params.eta + of_copies
        record_outcome(state.posteriors, state.room, SAMPLER, arm, successes, failures)


@kernel
def _record_winner(state, params, arms, n, won):
    """Record that the arm that won most of its duels beat all others; Li's library has this rule."""
    best, most = 0, -1
    for x in range(n):
        n_beaten = 0
        for y in range(n):
            n_beaten += won[x, y] > won[y, x] if x != y else 0
        if n_beaten > most:
            best, most = x, n_beaten
    for x in range(n):
        successes, failures = (n - 1, 0) if x == best else (0, 1)
        rate, arm = params.eta, arms[x]
        record_outcome(state.posteriors, state.room, SAMPLER, arm, successes * rate, failures * rate)


POLICY = policy_of(
    __name__,
    source="Sui, Zhuang, Burdick, Yue 2017 (UAI), Algorithm 2",
    assumes="approximate linearity (a Condorcet winner that also wins most against random opponents)",
    variants={"paper": {}, "chang-li": {"feedback": "winner_only"}},
    sets=True,
)
