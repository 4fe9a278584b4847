"""RMED2: whoever may still be the winner meets the opponent that refutes it at the smallest regret.

Komiyama, Honda, Kashima and Nakagawa, "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem",
COLT 2015, Algorithm 1 with Algorithm 3.

RMED1, but an arm that loses clearly to somebody other than the likeliest winner is refuted there, if that
costs less; its regret then grows as slowly as any policy's can. To find such opponents every pair is compared
at least alpha ln ln t times, in tours of all pairs before a round. The printed estimate of the regret of a
pair has its sign reversed; here it is positive, and at least `floor`.

How often each pair was compared at the least is known from the last tour, so the step of the next is known
in advance, and an arm that plays itself does so at once up to it.
"""

from __future__ import annotations

from typing import NamedTuple

from bandits.contract import Policy
from bandits.parts.rmed.candidate_rounds import (
    CLOCK,
    FEWEST,
    FIRST,
    OPENED,
    SECOND,
    SETTINGS,
    Rounds,
    first_round,
    initial_pair,
    log_log,
    pair_below,
    play_alone,
    play_step,
    tour_from,
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


class State(NamedTuple):
    table: Divergences
    rounds: Rounds


class Params(NamedTuple):
    f_scale: float = 0.3
    f_power: float = 1.01
    alpha: float = 3.0
    floor: float = 0.01
    j_after: bool = False


def init(n_arms, params, rng):
    return State(no_divergences(n_arms), first_round(n_arms, params, rng))


@kernel
def select(state, params, rng):
    table, rounds = state
    log_log_t = log_log(rounds.now[CLOCK] + 1)
    due = initial_pair(rounds.tour, table.wins, 1)
    if not due and not rounds.now[OPENED]:
        due = pair_below(rounds.tour, table.wins, params.alpha * log_log_t)
    if due:
        return rounds.tour[FIRST], rounds.tour[SECOND]
    arm = whose_turn(rounds.now, rounds.order)
    cheap = cheapest_opponent(table, arm, params.floor)
    return arm, refuting_opponent(table, arm, cheap, log_log_t)


@kernel
def update(state, first, second, first_won):
    winner, loser = (first, second) if first_won else (second, first)
    play_step(state.rounds, state.table, winner, loser)


@kernel
def idle(state, params, limit, selves, rng):
    stop = tour_from(state.rounds.tour[FEWEST], params.alpha)
    return play_alone(state.rounds, state.table, stop, limit, selves)


@kernel
def recommend(state):
    return most_plausible(state.table)


POLICY = Policy(
    "rmed2",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    about="Arms that may still be the winner meet who refutes them most cheaply, in rounds.",
    source="Komiyama, Honda, Kashima, Nakagawa 2015 (COLT), Algorithms 1 and 3",
    assumes="Condorcet winner",
    settings={
        **SETTINGS,
        "alpha": Setting("every pair is compared at least alpha ln ln t times", above=0, at_most=1e6),
        "floor": Setting("least regret a duel is taken to cost; -1 for none", at_least=-1, at_most=1),
    },
    variants={"paper": {"floor": -1.0}, "published": {}},
)
