"""Active Ranking (elimination): compare undecided arms with random opponents; accept or reject clear ones.

Heckel, Shah, Ramchandran and Wainwright, "Active Ranking from Pairwise Comparisons and when Parametric
Assumptions Don't Help", Annals of Statistics 2019, for two sets: the best k arms and the others. Assumes no
model of the preferences: the best arms are those with the largest Borda scores.

In every round each undecided arm is sampled once, by a comparison with a random other arm, decided or not.
Its share of wins estimates its Borda score. An arm is accepted if its estimate is clearly above that of the
first undecided arm beyond the border of the best k, and rejected if it is clearly below that of the last one
inside.

    the algorithm, for two sets                           here
    sample each active arm once                           plan (a round is one agenda)
    sort the active arms by their estimated scores        learn (sort_descending)
    confidence radius alpha_t                             _margin (in wins, t times the radius)
    accept and reject                                     learn
    stop when k arms are accepted or all others rejected  finished

All active arms have been sampled equally often, so numbers of wins are compared instead of shares. Given the
same random numbers, the pairs equal those of the literal twin, tests/naive/policies/active_ranking_se.py.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.agenda import Agenda, add, clear, empty_agenda, play_one_arm
from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.borda_sampling import beta, confidence_constant, random_opponent, sort_descending
from rankduel.bandits.parts.common_settings import Delta, NumberToFind
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting


class Radius(IntEnum):
    """Confidence radius of the paper, or of the public code."""

    PAPER = 0
    CODED = 1


class Params(NamedTuple):
    k: NumberToFind = 1
    delta: Delta = 0.1
    radius: Annotated[Radius, Setting("confidence radius, of the paper or of the public code")] = Radius.PAPER


class Now(NamedTuple):
    n_rounds: int = 0  # number of complete rounds
    n_accepted: int = 0  # number of accepted arms
    n_rejected: int = 0  # number of rejected arms
    confidence_constant: float = 0.0  # constant part of beta_n, for the radius of the paper


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    agenda: Agenda
    order: np.ndarray  # (arms,) int64: arms accepted, undecided, rejected; of the undecided most wins first
    wins: np.ndarray  # (arms,) int64, of the arm's own samples, in complete rounds


def init(n_arms, params, rng):
    return State(
        now=record(Now(confidence_constant=confidence_constant(n_arms, params.delta))),
        agenda=empty_agenda(n_arms),
        order=np.arange(n_arms),
        wins=np.zeros(n_arms, np.int64),
    )


@kernel
def plan(state, params, rng):
    now, n_arms = state.now[0], len(state.order)
    if finished(state, params):
        play_one_arm(state.agenda, state.order[0])
        return
    clear(state.agenda, 1)
    for arm in state.order[now.n_accepted : n_arms - now.n_rejected]:
        add(state.agenda, arm, random_opponent(arm, n_arms, rng))


@kernel
def learn(state, params):
    now, wins = state.now[0], state.wins
    _record_round(state)
    undecided = state.order[now.n_accepted : len(wins) - now.n_rejected]
    sort_descending(undecided, wins)
    margin = _margin(state, params)
    n_places = params.k - now.n_accepted
    last_inside, first_beyond = wins[undecided[n_places - 1]], wins[undecided[n_places]]
    for arm in undecided:
        now.n_accepted += wins[arm] - first_beyond > margin
        now.n_rejected += last_inside - wins[arm] > margin


@kernel
def recommend(state, params):
    return state.order[0]


@kernel
def answers(state, params, chosen):
    """Mark the first k arms, as of the last complete round."""
    for arm in state.order[: params.k]:
        chosen[arm] = True


@kernel
def survivors(state, params):
    return len(state.order) - state.now[0].n_rejected


@kernel
def finished(state, params):
    """Return whether k arms are accepted, or all arms but k rejected."""
    now = state.now[0]
    return now.n_accepted == params.k or len(state.order) - now.n_rejected <= params.k


@kernel
def _record_round(state):
    """Count the outcomes of a round for the sampled arms, the first of each pair."""
    state.now[0].n_rounds += 1
    for index in range(state.agenda.now[0].n_pairs):
        state.wins[state.agenda.pairs[index, 0]] += state.agenda.wins[index]


@kernel
def _margin(state, params):
    """Return t alpha_t, the confidence radius in wins, after t rounds."""
    now, n_arms = state.now[0], len(state.order)
    t = now.n_rounds
    if params.radius == Radius.PAPER:
        return math.sqrt(2.0 * t * beta(now.confidence_constant, t))
    log_term = math.log(3.0 * n_arms / params.delta) + math.log(math.log(1.12 * t))
    return math.sqrt(t * max(log_term, 0.0))


POLICY = policy_of(
    __name__,
    source="Heckel, Shah, Ramchandran, Wainwright 2019 (Annals of Statistics)",
    assumes="best items by Borda score, the chance to beat a random opponent",
    variants={"paper": {}},
)
