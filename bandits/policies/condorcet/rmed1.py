"""RMED1, relative minimum empirical divergence: whoever may still be the winner meets the likeliest winner.

Komiyama, Honda, Kashima and Nakagawa, "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem",
COLT 2015, Algorithm 1 with Algorithm 2.

The duels so far speak against each arm's being the winner, by an empirical divergence I. Rounds go through
the arms whose I is within ln t + f of the smallest. Each meets the arm with the smallest, so that a wrong
arm is refuted by as few duels as the likelihood allows.

A step costs one term and the sums of the rows it stands in. An arm that is alone in its round and leads
everybody plays itself until a step that is known in advance, and those steps are played at once.
"""

from __future__ import annotations

from typing import NamedTuple

from bandits.contract import Policy
from bandits.parts.bounds import NEVER
from bandits.parts.rmed.candidate_rounds import (
    FIRST,
    SECOND,
    SETTINGS,
    Rounds,
    first_round,
    initial_pair,
    play_alone,
    play_step,
    whose_turn,
)
from bandits.parts.rmed.divergence import Divergences, likely_opponent, most_plausible, no_divergences
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

LIKELIEST, HARDEST = range(2)  # competitor


class State(NamedTuple):
    table: Divergences
    rounds: Rounds


class Params(NamedTuple):
    f_scale: float = 0.3
    f_power: float = 1.01
    j_after: bool = False
    competitor: str = "likeliest"


def init(n_arms, params, rng):
    return State(no_divergences(n_arms), first_round(n_arms, params, rng))


@kernel
def select(state, params, rng):
    table, rounds = state
    if initial_pair(rounds.tour, table.wins, 1):
        return rounds.tour[FIRST], rounds.tour[SECOND]
    arm = whose_turn(rounds.now, rounds.order)
    favourite = table.best[0] if params.competitor == LIKELIEST else arm
    return arm, likely_opponent(table.rate, arm, favourite)


@kernel
def update(state, first, second, first_won):
    winner, loser = (first, second) if first_won else (second, first)
    play_step(state.rounds, state.table, winner, loser)


@kernel
def idle(state, params, limit, selves, rng):
    return play_alone(state.rounds, state.table, NEVER, limit, selves)


@kernel
def recommend(state):
    return most_plausible(state.table)


POLICY = Policy(
    "rmed1",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    about="Arms that may still be the winner meet the most plausible winner, in rounds.",
    source="Komiyama, Honda, Kashima, Nakagawa 2015 (COLT), Algorithms 1 and 2",
    assumes="Condorcet winner",
    settings={
        **SETTINGS,
        "competitor": Setting(
            "who meets an arm: the likeliest winner if that beats it, or always who beats it most",
            choices=("likeliest", "hardest"),
        ),
    },
    variants={"paper": {}, "chang-li": {"competitor": "hardest"}},
)
