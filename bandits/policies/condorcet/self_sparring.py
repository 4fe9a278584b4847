"""Self-sparring: let one Thompson sampler choose both arms of every duel.

Sui, Zhuang, Burdick and Yue, "Multi-dueling Bandits with Dependent Arms", UAI 2017, Algorithm 2 (independent
arms) with two arms per round. Assumes approximate linearity: the Condorcet winner is also the arm that wins
most against random opponents.

Every arm has one Beta posterior of the probability to win a duel, whatever the opponent. Both arms of a duel
have the largest of fresh samples from all posteriors. The winner counts a success and the loser a failure,
each of size eta.

    Algorithm 2                                       here
    S_i = F_i = 0                                     init (Posteriors.counts, S_i + 1 and F_i + 1)
    theta_i ~ Beta(S_i + 1, F_i + 1), arm of the      select
    largest; repeated for the second arm
    duel; S += eta of the winner, F += eta of the     update
    loser
    (not in the paper) arm of the answer              recommend

Only the arm of the largest sample is drawn (bandits/parts/thompson/argmax.py). The distribution of the pairs
equals that of the literal twin, tests/naive/policies/self_sparring.py.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from rankduel.bandits.contract import policy_of
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


class Params(NamedTuple):
    eta: LearningRate = 1.0
    self_feedback: Annotated[
        SelfFeedback,
        Setting("an arm against itself counts as one win and one loss (coin), or is not counted (none)"),
    ] = SelfFeedback.COIN


class State(NamedTuple):
    posteriors: Posteriors
    room: PosteriorsRoom


def init(n_arms, params, rng):
    return State(flat_posteriors(1, n_arms), posteriors_room())


@kernel
def select(state, params, rng):
    first = draw_best(state.posteriors, state.room, SAMPLER, rng)
    return first, draw_best(state.posteriors, state.room, SAMPLER, rng)


@kernel
def update(state, params, first, second, first_won):
    posteriors, room = state.posteriors, state.room
    if first == second:  # one win and one loss, or nothing
        rate = self_rate(params)
        record_outcome(posteriors, room, SAMPLER, first, rate, rate)
        return
    winner, loser = (first, second) if first_won else (second, first)
    record_outcome(posteriors, room, SAMPLER, winner, params.eta, 0.0)
    record_outcome(posteriors, room, SAMPLER, loser, 0.0, params.eta)


@kernel
def recommend(state, params):
    return best_mean(state.posteriors.counts[SAMPLER])


POLICY = policy_of(
    __name__,
    source="Sui, Zhuang, Burdick, Yue 2017 (UAI), Algorithm 2, two arms per round",
    assumes="approximate linearity (a Condorcet winner that also wins most against random opponents)",
    variants={"paper": {}},
    late_feedback=True,
)
