"""RTS: choose both arms by Thompson sampling, without confidence bounds.

Relative Thompson sampling has no paper of its own. It is a baseline of Li, Markov, de Rijke and Zoghi,
"MergeDTS: A Method for Effective Large-Scale Online Ranker Evaluation", ACM TOIS 2020, and is double Thompson
sampling (bandits/policies/condorcet/dts.py) without its two prunings. Assumes a Condorcet winner.

The first arm has most wins in a tournament sampled from the posterior; ties are broken at random. The second
arm has the largest new sample against the first arm, whose own is 1/2. The number of the step is not used.

    step                                          here
    W = 0                                         init (Posterior.wins)
    samples theta, first arm: most wins           sample_first_arm (bandits/parts/thompson/double_sampling.py)
    samples phi, second arm: largest sample       largest_sample_against (the same)
    compare and update W                          update
    arm that beats most                           recommend

`idle` draws the number of coming steps in which an undefeated arm duels itself. The distribution of the pairs
equals that of the literal twin, tests/naive/policies/rts.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.answers import copeland_leader
from rankduel.bandits.parts.thompson.bernoulli_rows import (
    TournamentRoom,
    admit_all,
    seed_bits,
    tournament_room,
)
from rankduel.bandits.parts.thompson.double_sampling import (
    Posterior,
    largest_sample_against,
    record_win,
    sample_first_arm,
    skip_self_duels,
    uniform_posterior,
)
from rankduel.base.compiling import kernel, record


class Params(NamedTuple):
    pass


class Now(NamedTuple):
    not_idle: bool = False  # the coming step is known not to be idle


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    posterior: Posterior
    arms: np.ndarray  # (arms,) int64: all arms, which are the candidates
    room: TournamentRoom


def init(n_arms, params, rng):
    return State(
        now=record(Now()),
        posterior=uniform_posterior(n_arms),
        arms=np.arange(n_arms),
        room=tournament_room(n_arms, keep_rows=False),
    )


@kernel
def select(state, params, rng):
    posterior, arms, room, now = state.posterior, state.arms, state.room, state.now[0]
    not_idle = now.not_idle
    now.not_idle = False
    seed_bits(room.bits, rng)
    first, _, not_idle = sample_first_arm(posterior, room, arms, len(arms), not_idle, rng)
    admit_all(room)
    neg_log_self = posterior.undefeated.neg_log[first]
    return first, largest_sample_against(posterior, room, first, neg_log_self, not_idle, rng)


@kernel
def update(state, params, first, second, first_won):
    if first != second:
        winner, loser = (first, second) if first_won else (second, first)
        record_win(state.posterior, winner, loser)


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip steps in which the undefeated arm of a tournament duels itself."""
    n, not_idle = skip_self_duels(state.posterior.undefeated, state.arms, limit, self_duels, rng)
    state.now[0].not_idle = not_idle
    return n


@kernel
def recommend(state, params):
    return copeland_leader(state.posterior.wins)


POLICY = policy_of(
    __name__,
    source="Li, Markov, de Rijke, Zoghi 2020 (TOIS), a baseline there",
    assumes="Condorcet winner",
    variants={"paper": {}},
    late_feedback=True,
)
