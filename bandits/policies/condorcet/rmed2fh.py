"""RMED2FH, RMED2 for a fixed horizon: the cheapest opponent of every arm is chosen once, early.

Komiyama, Honda, Kashima and Nakagawa, "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem",
COLT 2015, Algorithm 1 with Algorithm 3.

Every pair is compared ceil(alpha ln ln T) times. What is known then says for each arm who refutes it at the
smallest regret, and the arm meets that opponent from there on, while it does not lead it; otherwise it meets
whom it would meet in RMED1. The printed estimate of the regret of a pair has its sign reversed; here it is
positive, and at least `floor`. Steps are skipped as in RMED1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.bounds import NEVER
from bandits.parts.rmed.candidate_rounds import (
    FIRST,
    SECOND,
    SETTINGS,
    Rounds,
    first_round,
    initial_pair,
    log_log,
    play_alone,
    play_step,
    whose_turn,
)
from bandits.parts.rmed.divergence import (
    Divergences,
    cheapest_opponent,
    most_plausible,
    no_divergences,
    refuting_opponent,
)
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

UNDECIDED = -2


class State(NamedTuple):
    table: Divergences
    rounds: Rounds
    cheap: np.ndarray  # (arms,) int64: each arm's opponent for good, NO_ARM if it has none, or UNDECIDED


class Params(NamedTuple):
    f_scale: float = 0.3
    f_power: float = 1.01
    alpha: float = 3.0
    floor: float = 0.01
    j_after: bool = False
    horizon: int = 0


def init(n_arms, params, rng):
    cheap = np.full(n_arms, UNDECIDED)
    return State(no_divergences(n_arms), first_round(n_arms, params, rng), cheap)


@kernel
def select(state, params, rng):
    table, rounds, cheap = state
    log_log_horizon = log_log(params.horizon)
    if initial_pair(rounds.tour, table.wins, max(1, math.ceil(params.alpha * log_log_horizon))):
        return rounds.tour[FIRST], rounds.tour[SECOND]
    if cheap[0] == UNDECIDED:
        for arm in range(len(cheap)):
            cheap[arm] = cheapest_opponent(table, arm, params.floor)
    arm = whose_turn(rounds.now, rounds.order)
    return arm, refuting_opponent(table, arm, cheap[arm], log_log_horizon)


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
    "rmed2fh",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    about="RMED2 with the cheapest opponents chosen once, after a first exploration fitted to the horizon.",
    source="Komiyama, Honda, Kashima, Nakagawa 2015 (COLT), Algorithms 1 and 3",
    assumes="Condorcet winner",
    settings={
        **SETTINGS,
        "alpha": Setting("every pair is first compared ceil(alpha ln ln T) times", above=0, at_most=1e6),
        "floor": Setting("least regret a duel is taken to cost; -1 for none", at_least=-1, at_most=1),
        "horizon": Setting("how many steps there will be; 0 for those of the run", at_least=0),
    },
    variants={"paper": {"floor": -1.0}, "published": {}},
)
